import { fork } from "node:child_process";
import type { Board } from "../../../src/app/board/api.ts";
import { openOwlpost } from "../../../src/app/owlpost.ts";
import type { TaskId } from "../../../src/domain/ids.ts";
import { benchTask, blockReady, boardHome, boardName, load } from "../board.ts";
import { benchConfig } from "../home.ts";
import {
  absolutes,
  duration,
  type Figure,
  interleave,
  monotonic,
  quantile,
  type Row,
  ratio,
} from "../measure.ts";
import { told } from "../phone.ts";

const size = { blocks: 9, rounds: 400, warm: 200 };

export async function openBoard(home: string) {
  const owlpost = await openOwlpost({ home, config: benchConfig() });
  const board = await owlpost.board({
    board: boardName,
    actor: { kind: "person", name: "eric" },
    issuer: "eric",
  });
  return { owlpost, board };
}

/** `next` on a board of a million beside one of ten thousand, and a task for which a quarter of a million wait. */
export const board: Row = {
  name: "board",
  async run() {
    const small = await boardHome(10_000);
    const big = await boardHome(1_000_000);
    const figures = await nextFigures(small, big, "next with 1,000,000 tasks");
    const hub = benchTask(2_000_001, { status: "Backlog", priority: "Low" });
    for (const home of [small, big]) {
      load(home, () => [{ type: "insert-task", task: hub }]);
      const blocked = blockReady(home, hub.id);
      process.stderr.write(`  ${blocked} tasks wait for one\n`);
    }
    figures.push(...(await nextFigures(small, big, "next, 240,000 of them blocked by one")));
    return [
      ...figures,
      await settled(big, hub.id, "Cancelled", "the one that 240,000 wait for is cancelled"),
      await settled(big, hub.id, "Backlog", "it is opened again"),
      await settled(big, hub.id, "deleted", "it is deleted"),
    ];
  },
};

async function nextFigures(small: string, big: string, name: string): Promise<Figure[]> {
  const homes = { "10k": await openBoard(small), "1M": await openBoard(big) };
  const next = (board: Board) => async () => {
    const [first] = await board.next();
    if (!first || first.findings.length > 0) throw new Error(`next gave ${JSON.stringify(first?.findings)}`);
  };
  const blocks = await interleave({ "10k": next(homes["10k"].board), "1M": next(homes["1M"].board) }, size);
  for (const { owlpost } of Object.values(homes)) await owlpost.close();
  const p99s = blocks["1M"].map((block) => quantile(block, 0.99));
  return [
    {
      name: `${name} / with 10,000`,
      spread: ratio(blocks, "1M", "10k"),
      unit: "x",
      goal: { most: 1.2 },
      detail: absolutes(blocks, ["1M", "10k"]),
    },
    {
      name: `${name}, p99`,
      spread: {
        value: quantile(blocks["1M"].flat(), 0.99),
        low: Math.min(...p99s),
        high: Math.max(...p99s),
      },
      unit: "ms",
      goal: { most: 1 },
      detail: `of ${blocks["1M"].flat().length}`,
    },
  ];
}

/** How long another process waits at most for a commit of its own while all who wait for a task are told. */
async function settled(
  home: string,
  hub: TaskId,
  to: "Cancelled" | "Backlog" | "deleted",
  name: string,
): Promise<Figure> {
  const { owlpost, board } = await openBoard(home);
  const writer = fork(process.argv[1] ?? "", ["boardWriter", home]);
  await told(writer);
  const began = monotonic();
  const done = to === "deleted" ? await board.deleteTask(hub) : await board.updateTask(hub, { status: to });
  const took = (monotonic() - began) * 1000;
  const heard = told(writer);
  writer.send("stop");
  const waits = (await heard) as readonly number[];
  if (!done.ok) throw new Error(done.message);
  if (await owlpost.store.settleBlockers(1)) throw new Error("some were not told");
  await owlpost.close();
  const value = Math.max(...waits);
  return {
    name: `longest wait of another writer while ${name}`,
    spread: { value, low: Math.min(...waits), high: value },
    unit: "ms",
    goal: { most: 250 },
    detail: `${waits.length} commits, p50 ${duration(quantile(waits, 0.5))}, p99 ${duration(quantile(waits, 0.99))}; all told in ${duration(took)}`,
  };
}

/** Another process on the same board: it puts tasks on it, one by one. */
export async function boardWriter(home: string): Promise<void> {
  const { owlpost, board } = await openBoard(home);
  let stopped = false;
  process.once("message", () => {
    stopped = true;
  });
  // Whoever started it is gone.
  process.once("disconnect", () => process.exit(1));
  const create = async (): Promise<void> => {
    const made = await board.createTask({ title: "Another one" });
    if (!made.ok) throw new Error(made.message);
  };
  await create();
  process.send?.("ready");
  const waits: number[] = [];
  while (!stopped) {
    const start = monotonic();
    await create();
    waits.push((monotonic() - start) * 1000);
    await new Promise((next) => setTimeout(next, 2));
  }
  await owlpost.close();
  await new Promise((sent) => process.send?.(waits, sent));
  process.exit(0);
}
