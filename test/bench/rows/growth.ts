import { closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Owlpost } from "../../../src/app/api.ts";
import { openOwlpost } from "../../../src/app/owlpost.ts";
import { decideSweep } from "../../../src/core/sweep.ts";
import type { QuestionId } from "../../../src/domain/ids.ts";
import type { Store } from "../../../src/domain/store.ts";
import { benchConfig, benchDocument, mustAsk, newHome } from "../home.ts";
import { absolutes, duration, interleave, type Row, ratio, timed } from "../measure.ts";
import { postAll, postedQuestions } from "./reply.ts";

const size = { blocks: 9, rounds: 40, warm: 20 };
const rounds = size.blocks * size.rounds + size.warm;
const sweptAtOnce = 20;
/** The sweeps run ahead of the clock: no claim may lapse under them. */
const growthConfig = benchConfig({ leaseMs: 365 * 86_400_000 });

/** The same work in a home that stores 10,000 questions and in one that stores a million, operation by operation. */
export const growth: Row = {
  name: "growth",
  async run() {
    const small = await grownHome(10_000);
    const big = await grownHome(1_000_000);
    const blocks = await interleave(
      {
        "ask 10k": small.ask,
        "ask 1M": big.ask,
        "reply 10k": small.reply,
        "reply 1M": big.reply,
        "take 10k": small.take,
        "take 1M": big.take,
        "sweep 10k": small.sweep,
        "sweep 1M": big.sweep,
      },
      size,
    );
    await small.close();
    await big.close();
    return (["ask", "reply", "take", "sweep"] as const).map((name) => ({
      name: `${name} with 1,000,000 stored questions / with 10,000`,
      spread: ratio(blocks, `${name} 1M`, `${name} 10k`),
      unit: "x" as const,
      goal: { most: 1.2 },
      detail: absolutes(blocks, [`${name} 1M`, `${name} 10k`]),
    }));
  },
};

type Grown = {
  ask(): Promise<void>;
  reply(round: number): Promise<void>;
  take(round: number): Promise<void>;
  sweep(round: number): Promise<void>;
  close(): Promise<void>;
};

async function grownHome(count: number): Promise<Grown> {
  const home = newHome();
  const took = await timed(() => fill(home, count));
  process.stderr.write(`  ${count} questions stored in ${duration(took)}\n`);
  let at = Date.now();
  const owlpost = await openOwlpost({ home, config: growthConfig, now: () => at });
  const ids = await postedQuestions(owlpost, rounds);
  const dueAt = await dueQuestions(owlpost, at + 3_600_000, (now) => {
    at = now;
  });
  at = Date.now();
  let asked = rounds;
  return {
    async ask() {
      mustAsk(await owlpost.ask({ document: benchDocument(asked++) }));
    },
    async reply(round) {
      const ack = await owlpost.decide({ verb: "choose", question: ids[round] ?? "", key: "1" }, "cli");
      if (!ack.accepted) throw new Error(ack.text);
    },
    /** What the reply of the round before decided: the order of the two changes from round to round. */
    async take(round) {
      if (round === 0) return;
      const task = benchDocument(round - 1).task as string;
      const { taken } = await owlpost.take({ task });
      if (taken[0]?.id !== ids[round - 1]) throw new Error(`taken ${taken.map(({ id }) => id)} of ${task}`);
    },
    async sweep(round) {
      const now = dueAt(round);
      const { expired } = await owlpost.store.sweep(now, sweptAtOnce, (snapshot) =>
        decideSweep(snapshot, now),
      );
      if (expired !== sweptAtOnce) throw new Error(`${expired} questions expired, not ${sweptAtOnce}`);
    },
    close: () => owlpost.close(),
  };
}

/** Questions on both channels whose deadlines come in groups, one a minute; returns when group `round` is due. */
async function dueQuestions(
  owlpost: Owlpost & { readonly store: Store },
  from: number,
  setNow: (now: number) => void,
): Promise<(round: number) => number> {
  const groupMs = 60_000;
  for (let group = 0; group < rounds; group += 1) {
    setNow(from + group * groupMs);
    const asks = Array.from({ length: sweptAtOnce }, (_, index) =>
      owlpost.ask({
        document: benchDocument(index, {
          run: "due",
          task: `due-${group}`,
          default: { action: "stay_parked", at: "1h" },
        }),
      }),
    );
    for (const outcome of await Promise.all(asks)) mustAsk(outcome);
  }
  setNow(from + rounds * groupMs);
  await postAll(owlpost.store);
  return (round) => from + 3_600_000 + round * groupMs;
}

/** One question that went the whole way and one that is open, copied by SQL until there are `count`. */
async function fill(home: string, count: number): Promise<void> {
  const owlpost = await openOwlpost({ home, config: benchConfig() });
  const asked = async (n: number): Promise<QuestionId> => {
    const at = { action: "skip_spec", at: "300d" };
    return mustAsk(await owlpost.ask({ document: benchDocument(n, { run: "old", default: at }) })).id;
  };
  const closed = await asked(1);
  const open = await asked(2);
  await postAll(owlpost.store);
  await owlpost.decide({ verb: "choose", question: closed, key: "1" }, "cli");
  const { taken } = await owlpost.take({});
  await owlpost.confirm(taken[0]?.claim ?? "");
  await owlpost.resolve(closed, "done");
  await postAll(owlpost.store);
  await owlpost.close();

  const file = join(home, "owlpost.db");
  const db = new Database(file);
  db.pragma("journal_mode = MEMORY");
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -200000");
  const copyClosed = copier(db, closed, 1);
  const copyOpen = copier(db, open, 2);
  db.exec("BEGIN");
  for (let n = 3; n <= count; n += 1) {
    if (n % openOneIn === 0) copyOpen(n);
    else copyClosed(n);
  }
  // What the store's own counters say must be true of the copies too.
  db.exec(
    `UPDATE counters SET value = (SELECT count(*) FROM questions WHERE state = name) WHERE name <> 'job'`,
  );
  db.exec("COMMIT");
  db.close();
  // Its pages must not be on their way to the disk while something else is measured.
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

const openOneIn = 100;

type Values = Record<string, string | number | null>;

/** Copies one question with everything that belongs to it, under a new number and id. */
function copier(db: Database.Database, id: QuestionId, from: number): (n: number) => void {
  const copies = [
    copy(db, "questions", "n = ?", from),
    copy(db, "documents", "question = ?", from),
    copy(db, "deliveries", "question = ?", from),
    copy(db, "events", "question = ?", id),
    copy(db, "inbox", "instr(payload, ?)", id),
  ];
  return (n) => {
    const part = `${String(n % 100).padStart(3, "0")}-fix-auth`;
    const run = `b${Math.floor(n / 100_000)}`;
    const seq = (Math.floor(n / 100) % 1000) + 1;
    const newId = `q-${run}-${part}-${seq}`;
    for (const { table, rows, insert } of copies) {
      for (const row of rows) {
        const made: Values = { ...row };
        for (const [column, value] of Object.entries(row)) {
          if (typeof value === "string") made[column] = value.replaceAll(id, newId);
        }
        if (table === "questions") Object.assign(made, { n, run, part, seq, task: part });
        else if (table === "events") made.seq = null;
        else if (table === "inbox") made.key = newId;
        else made.question = n;
        insert.run(made);
      }
    }
  };
}

function copy(db: Database.Database, table: string, condition: string, value: string | number) {
  const rows = db.prepare<[string | number], Values>(`SELECT * FROM ${table} WHERE ${condition}`).all(value);
  const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `@${name}`).join(", ")})`,
  );
  return { table, rows, insert };
}
