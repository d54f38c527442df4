import { randomUUID } from "node:crypto";
import { type ClaimAnswer, decideClaim } from "../../core/board/claim.ts";
import { refusal } from "../../core/board/graph.ts";
import type { NextNeed, NextPlace, PassedOver } from "../../domain/board.ts";
import { taskId } from "../../domain/ids.ts";
import type { StoredTask, Task } from "../../domain/task.ts";
import type { Board, ClaimOutcome, ClaimRequest } from "./api.ts";
import { type BoardDesk, directoriesOf } from "./board-desk.ts";
import { settleMore } from "./settling.ts";

/** So many Ready tasks are looked at for one that can be begun. */
const mostPassedOver = 500;
const page = 25;

/** Beginning work: two dispatchers never both win a task. */
export function claiming({ desk, options, change, lapse }: BoardDesk): Pick<Board, "claim"> {
  const { store, config } = desk;
  const { board, actor } = options;

  async function claim(request: ClaimRequest): Promise<ClaimOutcome> {
    await lapse();
    const { id, executor } = request;
    const wanted = {
      token: request.token ?? randomUUID(),
      by: request.by ?? actor.name,
      leaseMs: request.leaseMs ?? config.leaseMs,
      ...(executor === undefined ? {} : { executor }),
    };
    if (id === undefined) return claimNext(request, wanted);
    const known = taskId(id);
    if (!known) {
      return { ...refusal("no-such-task", `There is no task ${id} on this board.`), passedOver: [] };
    }
    const folder = (await store.task(board, known))?.task.workingDirectory;
    return change(
      { tasks: [known] },
      (snapshot, settings) => decideClaim(snapshot, { id: known, ...wanted }, settings),
      directoriesOf([folder]),
    );
  }

  /** The first is nearly always the one; only where it cannot be begun, those behind it are looked at. */
  async function claimNext(
    { executors, owner, token }: ClaimRequest,
    wanted: {
      readonly token: string;
      readonly by: string;
      readonly leaseMs: number;
      readonly executor?: string;
    },
  ): Promise<ClaimOutcome> {
    const passedOver: PassedOver[] = [];
    const filter = {
      ...(executors === undefined ? {} : { executors }),
      ...(owner === undefined ? {} : { owner }),
    };
    /** Is there one that was not looked at? Whoever was told meanwhile, by anybody, may stand before those that were. */
    const isMore = async (): Promise<boolean> => {
      if (await settleMore(store)) return true;
      const seen = new Set(passedOver.map(({ task }) => task.id));
      const now = await store.nextTasks(board, { ...filter, limit: seen.size + 1 });
      return now.some(({ task }) => !seen.has(task.id));
    };
    const folders = new Set<string>();
    let after: NextPlace | undefined;
    let limit = 1;
    for (;;) {
      const next: NextNeed = { ...filter, limit, ...(after === undefined ? {} : { after }) };
      let found: readonly StoredTask[] = [];
      const answer: ClaimAnswer | undefined = await change(
        // The same token again is the same claim, also for whoever asked for the next task.
        { next, ...(token === undefined ? {} : { heldUnder: token }) },
        (snapshot, settings) => {
          if (snapshot.held) return decideClaim(snapshot, wanted, settings);
          found = snapshot.next;
          // Nothing is looked up on the disk in here: a folder that nobody has looked at is looked at first.
          const isKnown = found.every(({ task }) => !needsFolder(task) || folders.has(task.workingDirectory));
          if (!isKnown) return { effects: [], value: undefined };
          return decideClaim(snapshot, wanted, settings);
        },
        directoriesOf([...folders]),
      );
      if (!answer) {
        for (const { task } of found) folders.add(task.workingDirectory);
        continue;
      }
      passedOver.push(...answer.passedOver);
      if (answer.ok || answer.reason !== "nothing-ready") return { ...answer, passedOver };
      after = found.at(-1)?.task;
      if (found.length < limit || passedOver.length >= mostPassedOver) {
        if (found.length < limit && (await isMore())) {
          after = undefined;
          passedOver.length = 0;
          continue;
        }
        return passedOver.length === 0 ? answer : { ...noneReady(passedOver.length), passedOver };
      }
      limit = page;
    }
  }

  return { claim };
}

function needsFolder({ executor, workingDirectory }: Task): boolean {
  return executor !== "human" && workingDirectory !== "";
}

function noneReady(count: number) {
  return refusal(
    "nothing-ready",
    `None of the first ${count} Ready tasks can be begun: owlpost task next --all says why.`,
  );
}
