import { join } from "node:path";
import Database from "better-sqlite3";
import { better, defineQueue } from "plainjob";
import type { NewTask } from "../../../src/domain/provider.ts";
import { benchTask, boardHome } from "../board.ts";
import { at } from "../home.ts";
import { absolutes, type Figure, interleave, type Row, ratio } from "../measure.ts";
import { openBoard } from "./board.ts";

const size = { blocks: 9, rounds: 120, warm: 60 };
const stored = 10_000;
const type = "task";

/** The board as a queue, beside a queue library made for that alone: one narrow table, and as durable. */
export const queue: Row = {
  name: "queue",
  async run() {
    const home = await boardHome(stored);
    const { owlpost, board } = await openBoard(home);
    const plain = plainQueue(home);
    const rounds = size.blocks * size.rounds + size.warm;
    const tasks = Array.from({ length: rounds }, (_, n) => newTask(stored + n));
    const blocks = await interleave(
      {
        create: async (round) => {
          const made = await board.createTask(at(tasks, round));
          if (!made.ok) throw new Error(made.message);
        },
        add: (round) => plain.add(at(tasks, round)),
        work: async () => {
          const claimed = await board.claim({});
          if (!claimed.ok) throw new Error(claimed.message);
          const { task, claim } = claimed;
          const done = await board.updateTask(
            task.id,
            { status: "Done", agentOutput: "It is done." },
            { claim: claim.token },
          );
          if (!done.ok) throw new Error(done.message);
        },
        process: () => plain.work(),
      },
      size,
    );
    await owlpost.close();
    plain.close();
    const figure = (
      name: string,
      ours: "create" | "work",
      theirs: "add" | "process",
      most: number,
    ): Figure => ({
      name,
      spread: ratio(blocks, ours, theirs),
      unit: "x",
      goal: { most },
      detail: absolutes(blocks, [ours, theirs]),
    });
    return [
      figure("a task is created / plainjob, synchronous=FULL", "create", "add", 1.6),
      figure("a task is claimed and finished / plainjob, synchronous=FULL", "work", "process", 1.7),
    ];
  },
};

/** What of a task must reach the disk in any design. */
function newTask(n: number): NewTask {
  const { id, title, description, acceptanceCriteria, executionPlan, context, priority } = benchTask(n);
  return { id, title, description, acceptanceCriteria, executionPlan, context, priority };
}

/** plainjob with as many jobs, each with the text of the same task. */
function plainQueue(home: string) {
  const db = new Database(join(home, "plainjob.db"));
  const made = defineQueue({ connection: better(db), maintenanceInterval: 86_400_000 });
  made.addMany(
    type,
    Array.from({ length: stored }, (_, n) => newTask(n)),
  );
  // It sets NORMAL itself, under which no commit is on disk when it returns.
  db.pragma("synchronous = FULL");
  if (
    db.pragma("synchronous", { simple: true }) !== 2 ||
    db.pragma("journal_mode", { simple: true }) !== "wal"
  )
    throw new Error("plainjob is not durable");
  db.pragma("wal_checkpoint(TRUNCATE)");
  return {
    add(job: NewTask): void {
      made.add(type, job);
    },
    /** As its own worker does it. */
    work(): void {
      const next = made.getAndMarkJobAsProcessing(type);
      const job = next && made.getJobById(next.id);
      if (!job) throw new Error("plainjob has no job left");
      made.markJobAsDone(job.id);
    },
    close: () => made.close(),
  };
}
