import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

/** A command that hangs must not eat the night. */
const commandMs = 10 * 60_000;
const gitMs = 20_000;
/** So much of an output's end is kept; its last lines are among it. */
const mostTail = 64 * 1024;
const tailLines = 10;
/** How long what it printed is waited for once it was ended. */
const graceMs = 1_000;

export type Facts = Readonly<Record<string, unknown>>;

/** The last lines of what a program printed, without colours and without blank lines at its end. */
export function tailOf(output: string): string {
  const text = stripVTControlCharacters(output.slice(-mostTail))
    .replace(/\r\n|\r/g, "\n")
    .trimEnd();
  return text.split("\n").slice(-tailLines).join("\n");
}

/**
 * Runs a command line in the shell and tells how it ended and what it printed last: `command`, `exit_code`, `output_tail`.
 * One that is still running after ten minutes is ended, with all that it started; its exit code is then 124.
 *
 * @param cwd the folder in which it runs
 */
export async function factsOfCommand(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  withinMs = commandMs,
): Promise<Facts> {
  const { code, output } = await run("/bin/sh", ["-c", command], cwd, env, withinMs);
  const tail = tailOf(output);
  return { command, exit_code: code, ...(tail === "" ? {} : { output_tail: tail }) };
}

/** What changed in a git work tree against its last commit, and on which branch: `diff_stat`, `branch`. */
export async function factsOfDiff(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly ok: true; readonly facts: Facts } | { readonly ok: false; readonly message: string }> {
  const git = (...args: string[]) =>
    run("git", ["-C", folder, ...args], folder, env, gitMs).catch(() => undefined);
  const stat = await git("diff", "--stat", "--no-color", "HEAD");
  if (stat?.code !== 0) {
    return {
      ok: false,
      message: `--diff-stat: ${folder} is no git work tree with a commit, or git is not installed`,
    };
  }
  const branch = await git("branch", "--show-current");
  const name = branch?.code === 0 ? branch.output.trim() : "";
  const diff = stat.output.trimEnd();
  return {
    ok: true,
    facts: { ...(diff === "" ? {} : { diff_stat: diff }), ...(name === "" ? {} : { branch: name }) },
  };
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  withinMs: number,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let late = false;
    let grace: NodeJS.Timeout | undefined;
    const end = (code: number): void => {
      clearTimeout(limit);
      clearTimeout(grace);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code, output });
    };
    const limit = setTimeout(() => {
      late = true;
      stop(child.pid);
      grace = setTimeout(() => end(124), graceMs);
    }, withinMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        output = (output + text).slice(-2 * mostTail);
      });
    }
    child.once("error", (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.once("close", (code, signal) => end(late ? 124 : (code ?? (signal === null ? 1 : 128))));
    // What it left running in the background may hold its output open for ever.
    child.once("exit", (code, signal) => {
      grace ??= setTimeout(() => end(late ? 124 : (code ?? (signal === null ? 1 : 128))), graceMs);
    });
  });
}

/** Ends the whole group that the command began. */
function stop(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
