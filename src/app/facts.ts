import { spawn } from "node:child_process";
import { constants } from "node:os";
import { stripVTControlCharacters } from "node:util";
import { redact } from "../core/redact.ts";

/** A command that hangs must not eat the night. */
const commandMs = 10 * 60_000;
const gitMs = 20_000;
const mostFilters = 100;
/** So much of an output's end is kept; its last lines are among it. */
const mostKept = 128 * 1024;
/** A fact holds 65,536 bytes, and a character takes up to three of them. */
const mostFact = 20_000;
const tailLines = 10;
/** The exit code of what was ended because it took too long, as `timeout` has it. */
const lateCode = 124;
/** How long what it printed is waited for once it was ended. */
const graceMs = 1_000;

export type Facts = Readonly<Record<string, unknown>>;

/** The last lines of what a program printed, as much of them as a fact may hold, without colours and without blank lines at its end. */
export function tailOf(output: string): string {
  const text = stripVTControlCharacters(output.slice(-mostKept))
    .replace(/\r\n|\r/g, "\n")
    .trimEnd();
  return endOf(text.split("\n").slice(-tailLines));
}

/** As many of the last lines as a fact may hold; of one that has no room, its end, and no part of a credential in it. */
function endOf(lines: readonly string[]): string {
  const kept: string[] = [];
  let room = mostFact;
  for (const line of lines.toReversed()) {
    if (line.length < room) {
      kept.unshift(line);
      room -= line.length + 1;
      continue;
    }
    // Masked before it is cut: half a credential is not known as one any more.
    if (kept.length === 0 || room > mostFact / 2) kept.unshift(`…${redact(line).text.slice(1 - room)}`);
    else kept.unshift("…");
    break;
  }
  return kept.join("\n");
}

/**
 * Runs a command line in the shell, with an agent's rights, and tells how it ended and what it printed last: `command`,
 * `exit_code`, `output_tail`. One that is still running after ten minutes is ended, with all that it started; its exit code is
 * then 124. One that a signal ended has 128 and the signal's number, as in a shell.
 *
 * @param cwd the folder in which it runs
 */
export async function factsOfCommand(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  withinMs = commandMs,
): Promise<Facts> {
  // What it runs, such as a test, an agent may have written: it asks, and never answers.
  const rights = { ...env, OWLPOST_AS: "agent" };
  const { code, output } = await run("/bin/sh", ["-c", command], cwd, rights, withinMs);
  const tail = tailOf(output);
  return { command, exit_code: code, ...(tail === "" ? {} : { output_tail: tail }) };
}

export type DiffFacts =
  /** `missing`: what could not be measured, and why; a question is asked all the same. */
  | { readonly ok: true; readonly facts: Facts; readonly missing?: string }
  | { readonly ok: false; readonly message: string };

/** What changed in a git work tree against its last commit, and on which branch: `diff_stat`, `branch`. Runs nothing that the work tree names. */
export async function factsOfDiff(
  folder: string,
  env: NodeJS.ProcessEnv,
  withinMs = gitMs,
): Promise<DiffFacts> {
  const quiet = { ...env, ...gitEnvironment };
  const git: Git = (...args) =>
    run("git", ["-C", folder, ...gitSettings, ...args], folder, quiet, withinMs).catch(() => undefined);
  const filters = (await Promise.all(["--local", "--worktree"].map((scope) => filtersOf(git, scope)))).flat();
  // `-c name=value` divides at the first sign of equality, and a command line holds so many and no more.
  if (filters.length > mostFilters || filters.some((name) => name.includes("="))) {
    const missing = `--diff-stat: the configuration of ${folder} names a filter that cannot be left out (git config --list --local); it is asked without`;
    return { ok: true, facts: {}, missing };
  }
  const off = filters.flatMap((name) => ["-c", `${name}=${name.endsWith(".required") ? "false" : ""}`]);
  const stat = await git(...off, "diff", ...diffFlags, "HEAD");
  if (stat?.code === lateCode) {
    const missing = `--diff-stat: git was not done with ${folder} in ${Math.ceil(withinMs / 1_000)} s; it is asked without`;
    return { ok: true, facts: {}, missing };
  }
  if (stat?.code !== 0) {
    const inside = await git("rev-parse", "--is-inside-work-tree");
    if (inside?.code !== 0 || inside.output.trim() !== "true")
      return { ok: false, message: `--diff-stat: ${folder} is no git work tree, or git is not installed` };
    const missing = `--diff-stat: there is no commit in ${folder} to compare with; it is asked without`;
    return { ok: true, facts: {}, missing };
  }
  const branch = await git("branch", "--show-current");
  const name = branch?.code === 0 ? branch.output.trim() : "";
  const diff = endOf(stat.output.trimEnd().split("\n"));
  return {
    ok: true,
    facts: { ...(diff === "" ? {} : { diff_stat: diff }), ...(name === "" ? {} : { branch: name }) },
  };
}

/** The settings of filters that this part of the work tree's own configuration holds. */
async function filtersOf(git: Git, scope: string): Promise<readonly string[]> {
  const listed = await git("config", scope, "--includes", "-z", "--name-only", "--get-regexp", "^filter\\.");
  return (listed?.code === 0 ? listed.output : "").split("\0").filter((name) => name !== "");
}

type Git = (...args: string[]) => Promise<{ readonly code: number; readonly output: string } | undefined>;

/** An agent writes into the work tree, its configuration included: no command that stands there is run. */
const gitSettings = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
/** A work tree inside the work tree has a configuration of its own: it is not looked into. */
const diffFlags = ["--stat", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];
/** Nothing is written, nothing is fetched. */
const gitEnvironment = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_TERMINAL_PROMPT: "0",
};

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
      grace = setTimeout(() => end(lateCode), graceMs);
    }, withinMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        output += text;
        // Not at each chunk: a gigabyte of output would be copied over and over.
        if (output.length > 16 * mostKept) output = output.slice(-mostKept);
      });
    }
    child.once("error", (error) => {
      clearTimeout(limit);
      reject(error);
    });
    const ended = (code: number | null, signal: NodeJS.Signals | null): void =>
      end(late ? lateCode : (code ?? (signal === null ? 1 : 128 + constants.signals[signal])));
    child.once("close", ended);
    // What it left running in the background may hold its output open for ever.
    child.once("exit", (code, signal) => {
      grace ??= setTimeout(() => ended(code, signal), graceMs);
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
