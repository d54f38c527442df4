import { spawnSync } from "node:child_process";
import type { Task } from "../../../src/domain/task.ts";
import { benchTask, boardName, load } from "../board.ts";
import { builtCli } from "../built.ts";
import { newHome } from "../home.ts";
import { absolutes, type Figure, interleave, type Row, ratio } from "../measure.ts";
import { backlogMd, type TaskPeer, taskwarrior } from "../task-peers.ts";

const stored = 10_000;
/** One task in so many waits for another. taskwarrior's time is nearly all for these: without any it takes a tenth. */
const waitsOneIn = 10;

/** `owlpost task next` as a command, from nothing to its exit, beside two other programs with the same tasks. */
export const next: Row = {
  name: "next",
  async run() {
    const tasks = Array.from({ length: stored }, (_, n) =>
      benchTask(n, {
        status: "Ready",
        ...(n % waitsOneIn === 1 ? { blockedBy: [benchTask(n - 1).id] } : {}),
      }),
    );
    const free = tasks.map((task) => ({ ...task, blockedBy: [] }));
    const ours = await owlpostNext(tasks);
    return [
      await beside("taskwarrior", taskwarrior(tasks), ours, { blocks: 5, rounds: 2 }, 15),
      await beside("Backlog.md", backlogMd(tasks), ours, { blocks: 5, rounds: 1 }, 50),
      await beside("taskwarrior, nothing waiting", taskwarrior(free), await owlpostNext(free), {
        blocks: 5,
        rounds: 3,
      }),
    ];
  },
};

type Arms = { owlpost(): void; node(): void };

async function owlpostNext(tasks: readonly Task[]): Promise<Arms> {
  const cli = await builtCli();
  const home = newHome();
  load(home, () => tasks.map((task) => ({ type: "insert-task", task })));
  const run = (...args: string[]): void => {
    const ran = spawnSync(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    if (ran.status !== 0) throw new Error(`node ${args.join(" ")}: ${ran.stderr.toString()}`);
  };
  return {
    owlpost: () => run(cli, "task", "next", "--home", home, "--project", boardName),
    node: () => run("-e", "0"),
  };
}

async function beside(
  name: string,
  peer: TaskPeer,
  ours: Arms,
  size: { readonly blocks: number; readonly rounds: number },
  least?: number,
): Promise<Figure> {
  const goal = least === undefined ? {} : { goal: { least } };
  const title = `${name} / owlpost task next, cold, with 10,000 tasks`;
  if (!peer.ok) {
    const nothing = { value: 0, low: 0, high: 0 };
    return { name: title, spread: nothing, unit: "x", ...goal, detail: `not measured: ${peer.why}` };
  }
  const blocks = await interleave({ ...ours, peer: () => peer.next() }, { ...size, warm: 1 });
  return {
    name: title,
    spread: ratio(blocks, "peer", "owlpost"),
    unit: "x",
    ...goal,
    detail: `${absolutes(blocks, ["peer", "owlpost", "node"])}; version ${peer.version}`,
  };
}
