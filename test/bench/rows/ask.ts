import { spawnSync } from "node:child_process";
import { accessSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openOwlpost } from "../../../src/app/owlpost.ts";
import { at, bareInsert, benchConfig, benchDocument, benchDocuments, mustAsk, newHome } from "../home.ts";
import { absolutes, type Figure, interleave, type Row, ratio, spreadOf } from "../measure.ts";

/** One ask in a program, beside one bare row; and how often the disk is told to write it through. */
export const ask: Row = {
  name: "ask",
  async run() {
    const home = newHome();
    const owlpost = await openOwlpost({ home, config: benchConfig() });
    const bare = bareInsert(home);
    const size = { blocks: 9, rounds: 120, warm: 60 };
    const documents = benchDocuments((size.blocks * size.rounds + size.warm) * 2);
    let n = 0;
    const blocks = await interleave(
      {
        bare: () => bare.insert(),
        ask: async () => mustAsk(await owlpost.ask({ document: at(documents, n++) })),
        keyed: async (round) =>
          mustAsk(await owlpost.ask({ document: at(documents, n++), key: `key-${round}` })),
      },
      size,
    );
    await owlpost.close();
    bare.close();
    const goal = { most: 1.6 };
    return [
      {
        name: "ask in process / bare durable INSERT",
        spread: ratio(blocks, "ask", "bare"),
        unit: "x",
        goal,
        detail: absolutes(blocks, ["ask", "bare"]),
      },
      {
        name: "ask with an idempotency key / bare INSERT",
        spread: ratio(blocks, "keyed", "bare"),
        unit: "x",
        goal,
        detail: absolutes(blocks, ["keyed"]),
      },
      ...countSyncs(),
    ];
  },
};

const singles = 300;
const together = 64;

/** A process under strace: it asks, and says when each ask has returned by looking for a file that is not there. */
export async function askUnderStrace(home: string): Promise<void> {
  const owlpost = await openOwlpost({ home, config: benchConfig() });
  for (let n = 0; n < 20; n += 1) mustAsk(await owlpost.ask({ document: benchDocument(n) }));
  mark(home, "start");
  for (let n = 20; n < 20 + singles; n += 1) {
    mustAsk(await owlpost.ask({ document: benchDocument(n) }));
    mark(home, "single");
  }
  mark(home, "burst");
  const asks = Array.from({ length: together }, async (_, n) => {
    mustAsk(await owlpost.ask({ document: benchDocument(1000 + n) }));
    mark(home, "returned");
  });
  await Promise.all(asks);
  mark(home, "end");
  await owlpost.close();
}

function mark(home: string, name: string): void {
  try {
    accessSync(join(home, `mark-${name}`));
  } catch {
    // It never exists: only the call is wanted.
  }
}

type Step = { readonly mark: string } | { readonly sync: "wal" | "db" } | { readonly write: "wal" };

function countSyncs(): Figure[] {
  const home = newHome();
  const trace = join(home, "trace");
  const calls = "trace=?access,?faccessat,?faccessat2,fsync,fdatasync,pwrite64,?pwritev";
  const program = process.argv[1] ?? "";
  const strace = ["-f", "-y", "-s", "0", "-e", calls, "-o", trace];
  const ran = spawnSync("strace", [...strace, process.execPath, program, "askUnderStrace", home], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (ran.status !== 0) throw new Error("counting fsyncs needs strace: install it");
  const steps = readFileSync(trace, "utf8").split("\n").flatMap(stepOf);
  const marks = (name: string): number => steps.findIndex((step) => "mark" in step && step.mark === name);
  const start = marks("start");
  const burst = marks("burst");
  const end = marks("end");
  if (start < 0 || burst < 0 || end < 0) throw new Error("the trace shows no marks");
  return [singleSyncs(steps.slice(start + 1, burst)), burstSyncs(steps.slice(burst + 1, end))];
}

function stepOf(line: string): Step[] {
  const looked = /access[^"]*"[^"]*mark-(\w+)"/.exec(line);
  if (looked) return [{ mark: looked[1] ?? "" }];
  const called = /\b(fsync|fdatasync|pwrite64|pwritev)\(\d+<[^>]*owlpost\.db(-wal)?>/.exec(line);
  if (!called) return [];
  const wal = called[2] !== undefined;
  if (called[1]?.startsWith("pwrite")) return wal ? [{ write: "wal" }] : [];
  return [{ sync: wal ? "wal" : "db" }];
}

/**
 * One ask is one fsync of the journal. Beside that, every thousand pages SQLite copies the journal into the
 * file: it syncs the journal, then the file, and the first commit of the journal's next lap syncs its new header.
 */
function singleSyncs(steps: readonly Step[]): Figure {
  const perAsk: { wal: number; db: number }[] = [];
  let now = { wal: 0, db: 0 };
  for (const step of steps) {
    if ("sync" in step) now[step.sync] += 1;
    else if ("mark" in step) {
      perAsk.push(now);
      now = { wal: 0, db: 0 };
    }
  }
  const checkpoints = perAsk.filter((each) => each.db > 0).length;
  const plain = perAsk.filter((each, index) => each.db === 0 && perAsk[index - 1]?.db !== 1);
  const total = perAsk.reduce((sum, each) => sum + each.wal + each.db, 0);
  return {
    name: "fsyncs of one ask (strace)",
    spread: spreadOf(plain.map((each) => each.wal)),
    unit: "syncs",
    goal: { most: 1 },
    detail: `${perAsk.length} asks: ${total} fsyncs, of them ${total - perAsk.length} for ${checkpoints} checkpoints`,
  };
}

/** No ask of a burst may return while a page that was written to the journal is not synced yet. */
function burstSyncs(steps: readonly Step[]): Figure {
  let syncs = 0;
  let unsynced = 0;
  let early = 0;
  let returned = 0;
  for (const step of steps) {
    if ("write" in step) unsynced += 1;
    else if ("sync" in step) {
      syncs += 1;
      if (step.sync === "wal") unsynced = 0;
    } else {
      returned += 1;
      if (unsynced > 0 || syncs === 0) early += 1;
    }
  }
  return {
    name: "asks of a burst that returned before their fsync",
    spread: { value: early, low: early, high: early },
    unit: "syncs",
    goal: { most: 0 },
    detail: `${returned} asks in flight: ${syncs} fsyncs`,
  };
}
