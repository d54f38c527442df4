import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { build } from "esbuild";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { takeMark } from "../../src/core/digest.ts";
import { aConfig, evening } from "../builders.ts";
import { readyTask } from "../contract/spec.ts";
import { type BoardRows, readBoard } from "../kill/board-rows.ts";
import { inspectBoard, inspectTokens } from "../kill/inspect-board.ts";
import { inspectOffered } from "../kill/inspect-board-scene.ts";
import { aTaskRow } from "../memory-board.ts";
import type { Won } from "./board-worker.ts";

/** One file, so that a process starts quickly; the driver is loaded from where it lies. */
export async function bundleWorker(folder: string): Promise<string> {
  const outfile = join(folder, "board-worker.mjs");
  const driver = pathToFileURL(fileURLToPath(import.meta.resolve("better-sqlite3"))).href;
  await build({
    entryPoints: [fileURLToPath(new URL("./board-worker.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    define: { OWLPOST_CHANNELS: "[]" },
    plugins: [
      {
        name: "driver",
        setup: (building) =>
          building.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: driver, external: true })),
      },
    ],
  });
  return outfile;
}

export type Race = {
  /** What each process was given. */
  readonly won: readonly (readonly Won[])[];
  readonly rows: BoardRows;
  /** Everything that the board says wrongly once all is quiet. */
  readonly wrong: readonly string[];
};

/** As many Ready tasks, and one process for each name that does `what` so many times, all from the same moment on. */
export async function race(
  program: string,
  home: string,
  {
    tasks,
    names,
    what,
    count,
  }: { tasks: number; names: readonly string[]; what: "claim" | "mix"; count: number },
): Promise<Race> {
  const first = await openOwlpost({ home, config: aConfig() });
  await first.store.append(
    Array.from({ length: tasks }, (_, at) => at).flatMap((at) => {
      const task = aTaskRow({ id: `t${at}`, ...readyTask });
      const event = {
        kind: "task.created",
        task: task.id,
        project: "default",
        data: { status: "Ready" },
      } as const;
      return [{ type: "insert-task", task } as const, { type: "log", event } as const];
    }),
    evening,
  );
  await first.close();

  const workers = names.map((name) => startWorker(program, [what, home, name, String(count)]));
  await Promise.all(workers.map(({ ready }) => ready));
  writeFileSync(join(home, "go"), "");
  const won = await Promise.all(workers.map(({ told }) => told));

  const last = await openOwlpost({ home, config: aConfig(), now: () => Date.now() + 1_000 });
  const actor = { kind: "person", name: "eric" } as const;
  const board = await last.board({ board: "default", actor, issuer: "eric" });
  // Leases that are over by then come back.
  await board.next();
  const offered = (await last.store.nextTasks("default", { limit: tasks })).map(({ task }) => task.id);
  await last.close();
  const path = join(home, "owlpost.db");
  const rows = readBoard(path);
  const wrong = [
    ...inspectFile(path),
    ...inspectBoard(rows),
    ...inspectTokens(rows),
    ...inspectOffered(rows, "default", offered),
    ...inspectFences(rows, won.flat()),
  ];
  return { won, rows, wrong };
}

function startWorker(program: string, args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let faults = "";
  let begin: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    begin = resolve;
  });
  child.stdout.on("data", (chunk) => {
    output += chunk;
    if (output.startsWith("ready\n")) begin();
  });
  child.stderr.on("data", (chunk) => {
    faults += chunk;
  });
  const told = new Promise<readonly Won[]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      begin();
      if (code === 0) resolve(JSON.parse(output.slice("ready\n".length)) as Won[]);
      else reject(new Error(faults.slice(-2_000)));
    });
  });
  told.catch(() => undefined);
  return { ready, told };
}

function inspectFile(path: string): string[] {
  const database = new Database(path, { readonly: true });
  try {
    const integrity = database.pragma("integrity_check", { simple: true });
    const foreign = database.pragma("foreign_key_check") as unknown[];
    return [
      ...(integrity === "ok" ? [] : [`integrity_check: ${integrity}`]),
      ...foreign.map((each) => JSON.stringify(each)),
    ];
  } finally {
    database.close();
  }
}

/** Each claim that was told is in the log once, and whoever has a task later has it under a higher revision. */
function inspectFences({ events }: BoardRows, won: readonly Won[]): string[] {
  const wrong: string[] = [];
  const claims = new Map<string, number[]>();
  for (const { kind, task, seq, data } of events) {
    if (kind !== "task.claimed") continue;
    const key = `${task} ${data.claim}`;
    claims.set(key, [...(claims.get(key) ?? []), seq]);
  }
  const fences = new Map<string, { seq: number; revision: number }[]>();
  for (const [id, revision, token] of won) {
    const found = claims.get(`${id} ${takeMark(token)}`) ?? [];
    if (found.length !== 1) wrong.push(`${token} has ${id}, and the log says so ${found.length} times`);
    fences.set(id, [...(fences.get(id) ?? []), { seq: found[0] ?? 0, revision }]);
  }
  for (const [id, list] of fences) {
    const inOrder = list.sort((a, b) => a.seq - b.seq);
    if (inOrder.some(({ revision }, at) => at > 0 && revision <= (inOrder[at - 1]?.revision ?? 0)))
      wrong.push(`the fences of ${id} do not grow: ${inOrder.map(({ revision }) => revision)}`);
  }
  return wrong;
}
