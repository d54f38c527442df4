import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { startPeer } from "../peer/peer-server.ts";
import { packages } from "./bundle.ts";
import { startGitHubDesk } from "./github-desk.ts";
import { startHooksDesk } from "./hooks-desk.ts";
import { inspect, inspectCursor } from "./inspect.ts";
import { readLedger } from "./ledger.ts";
import { startMailDesk } from "./mail-desk.ts";
import { startNtfyDesk } from "./ntfy-desk.ts";
import type { Desk } from "./remains.ts";
import { scenes } from "./scenes.ts";
import { startSlackDesk } from "./slack-desk.ts";
import { startTelegramDesk } from "./telegram-desk.ts";

/**
 * One run: a scene, and where the child dies in its first start, its second, …
 * `write/pwrite64#7`: in the middle of that system call; `fault/fsync:EIO#7`: that call fails, and the child may or may
 * not live on.
 */
export type Run = { readonly scene: string; readonly kills: readonly string[] };
export type Outcome = {
  readonly wrong: readonly string[];
  /** Messages that stand twice, and nobody can help it. */
  readonly doubles: readonly string[];
  /** How many of the kills and faults happened. */
  readonly killed: number;
  /** The slowest start of the service, from the start of its process. */
  readonly readyMs: number;
};

type Exit = { readonly how: "done" | "killed" | "failed" | "hung"; readonly output: string };

const childMs = 30_000;
/** Whatever a dead service left behind, the next one does not wait for it. */
const slowestStartMs = 10_000;
/** What the store changes in one of its two files. */
export const syscalls = ["pwrite64", "fsync"] as const;

export async function play(child: string, folder: string, run: Run): Promise<Outcome> {
  const scene = scenes[run.scene];
  if (!scene) throw new Error(`no scene ${run.scene}`);
  mkdirSync(folder, { recursive: true });
  const desk = await openDesk(run.scene);
  const telegram = "telegram" in desk ? desk.telegram : undefined;
  const hooks = "hooks" in desk ? desk.hooks : undefined;
  const cursorFaults: string[] = [];
  try {
    let killed = 0;
    for (const step of [...run.kills, undefined]) {
      telegram?.begin();
      const exit = await start([child, folder, run.scene, urlOf(desk)], folder, step);
      const faulty = step?.startsWith("fault/") === true;
      if (exit.how === "hung" || (exit.how === "failed" && !faulty)) {
        return { wrong: [`the child ${exit.how}: ${exit.output}`], doubles: [], killed, readyMs: 0 };
      }
      if (exit.how === "done" && !(faulty && wasInjected(folder))) break;
      killed += 1;
      ageTemporaries(folder);
      hooks?.died();
      if (!("telegram" in desk || "slack" in desk || "ntfy" in desk)) continue;
      await hearOut();
      telegram?.died();
      if (!("slack" in desk)) cursorFaults.push(...inspectCursor(folder, desk));
    }
    const found = await inspect(folder, scene, desk, killed > 0);
    const wrong = [...cursorFaults, ...found.wrong];
    const ready = readLedger(join(folder, "ledger.jsonl")).filter(({ name }) => name === "(ready)");
    const readyMs = Math.max(0, ...ready.map(({ value }) => Number(value)));
    if (readyMs > slowestStartMs) wrong.push(`the service was ready only after ${readyMs} ms`);
    return { wrong, doubles: found.doubles, killed, readyMs };
  } finally {
    await closeDesk(desk);
  }
}

/**
 * What the dead child had said already is heard before the next one speaks. Time alone does not do: where other runs hold
 * this process up, a timer is over before anything was read.
 */
async function hearOut(): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await new Promise((heard) => setTimeout(heard, 5));
    await new Promise((read) => setImmediate(read));
  }
}

async function openDesk(scene: string): Promise<Desk> {
  switch (scenes[scene]?.platform) {
    case "telegram":
      return { telegram: await startTelegramDesk() };
    case "slack":
      return { slack: await startSlackDesk() };
    case "github":
      return { github: await startGitHubDesk() };
    case "ntfy":
      return { ntfy: await startNtfyDesk() };
    case "hooks":
      return { hooks: await startHooksDesk() };
    case "email":
      return { mail: await startMailDesk() };
    default:
      return { peer: await startPeer() };
  }
}

function serverOf(desk: Desk): { readonly url: string; close(): Promise<void> } {
  if ("peer" in desk) return desk.peer;
  if ("slack" in desk) return desk.slack;
  if ("mail" in desk) return desk.mail;
  if ("github" in desk) return desk.github;
  if ("ntfy" in desk) return desk.ntfy;
  return "hooks" in desk ? desk.hooks : desk.telegram;
}
const urlOf = (desk: Desk): string => serverOf(desk).url;
const closeDesk = (desk: Desk): Promise<void> => serverOf(desk).close();

/** The steps of a scene, from one run that nothing disturbs; its inspection must find nothing. */
export async function listSteps(child: string, folder: string, scene: string): Promise<string[]> {
  const outcome = await play(child, folder, { scene, kills: [] });
  if (outcome.wrong.length > 0)
    throw new Error(`${scene} is wrong without any kill: ${outcome.wrong.join("; ")}`);
  const steps = JSON.parse(readFileSync(join(folder, "steps.json"), "utf8")) as string[];
  return [...new Set(steps)];
}

/** The system calls of a scene that change the store's files. */
export async function listWrites(child: string, folder: string, scene: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const desk = await openDesk(scene);
  try {
    const trace = join(folder, "strace.txt");
    const args = [...straceArgs(folder, trace), process.execPath, child, folder, scene, urlOf(desk)];
    const exit = await wait("strace", args, undefined);
    if (exit.how !== "done") throw new Error(`strace: ${exit.output}`);
    const lines = readFileSync(trace, "utf8").split("\n");
    return syscalls.flatMap((call) =>
      lines.filter((line) => line.includes(`${call}(`)).map((_, index) => `write/${call}#${index + 1}`),
    );
  } finally {
    await closeDesk(desk);
  }
}

function start(command: readonly string[], folder: string, step: string | undefined): Promise<Exit> {
  const write = /^(?:write|fault)\/(\w+)(?::(\w+))?#([\d+]+)$/.exec(step ?? "");
  if (!write) return wait(process.execPath, command, step);
  const [, call, error, when] = write;
  const inject = `inject=${call}:${error === undefined ? "signal=SIGKILL" : `error=${error}`}:when=${when}`;
  const args = [...straceArgs(folder, join(folder, injected)), "-e", inject, process.execPath, ...command];
  return wait("strace", args, undefined);
}

const injected = "injected.txt";

function wasInjected(folder: string): boolean {
  return readFileSync(join(folder, injected), "utf8").includes("(INJECTED)");
}

function straceArgs(folder: string, output: string): string[] {
  const file = join(folder, "home", "owlpost.db");
  const paths = ["-P", file, "-P", `${file}-wal`];
  // Not with --seccomp-bpf: strace 6.1 then forgets to send the signal.
  return ["-f", "-qq", "-o", output, ...paths, "-e", `trace=${syscalls.join(",")}`];
}

function wait(command: string, args: readonly string[], killAt: string | undefined): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const { KILL_AT: _, ...env } = process.env;
    const child = spawn(command, args, {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, NODE_PATH: packages, ...(killAt === undefined ? {} : { KILL_AT: killAt }) },
    });
    let output = "";
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, childMs);
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const killed = signal === "SIGKILL" || code === 137;
      const how = hung ? "hung" : killed ? "killed" : code === 0 ? "done" : "failed";
      resolve({ how, output: output.slice(-3_000) });
    });
  });
}

/** Only temporary files that are old are known to be nobody's: time passes before the next start. */
function ageTemporaries(folder: string): void {
  const longAgo = Date.now() / 1_000 - 2 * 3_600;
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (path.endsWith(".tmp")) utimesSync(join(folder, path), longAgo, longAgo);
  }
}

export function discard(folder: string): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
