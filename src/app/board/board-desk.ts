import { statSync } from "node:fs";
import { decideLapses } from "../../core/board/claim.ts";
import type { BoardSettings } from "../../core/board/settings.ts";
import type { BoardNeed, BoardSnapshot } from "../../domain/board.ts";
import { type Decision, StoreError } from "../../domain/store.ts";
import type { Desk } from "../desk.ts";
import type { BoardOptions } from "./api.ts";
import { changesBlocking, settleAll, settleSome } from "./settling.ts";

const mostLapsed = 200;

/** What the operations of one board share. */
export type BoardDesk = {
  readonly desk: Desk;
  readonly options: BoardOptions;
  change<Value>(
    need: Omit<BoardNeed, "board">,
    decide: (snapshot: BoardSnapshot, settings: BoardSettings) => Decision<Value>,
    directories?: ReadonlySet<string>,
  ): Promise<Value>;
  /** Leases that are over are over, service or no service. */
  lapse(): Promise<void>;
  /** The same for whoever only looks; and some are told of what a process that died has not told them, as with each change. */
  sweep(): Promise<void>;
};

export function openBoardDesk(desk: Desk, options: BoardOptions): BoardDesk {
  const { store, now, committed } = desk;
  const { board, actor } = options;

  async function change<Value>(
    need: Omit<BoardNeed, "board">,
    decide: (snapshot: BoardSnapshot, settings: BoardSettings) => Decision<Value>,
    directories: ReadonlySet<string> = new Set(),
  ): Promise<Value> {
    let wrote = false;
    let settles = false;
    const value = await store.changeBoard(
      { board, ...need },
      (snapshot, at) => {
        const settings: BoardSettings = { now: at, iso: new Date(at).toISOString(), actor, directories };
        const decision = decide(snapshot, settings);
        wrote = decision.effects.length > 0;
        settles = changesBlocking(snapshot, decision.effects);
        return decision;
      },
      now,
    );
    if (wrote) committed();
    try {
      // Whoever ends a task tells all who wait for it; everybody else helps a little and is not held up.
      if (settles) await settleAll(store);
      else await settleSome(store);
    } catch (error) {
      // What was written is written, and its claim is given: somebody else tells the others.
      if (!(error instanceof StoreError)) throw error;
    }
    if (settles) committed();
    return value;
  }

  async function sweep(): Promise<void> {
    await settleSome(store);
    await lapse();
  }

  async function lapse(): Promise<void> {
    for (;;) {
      const at = now();
      const due = await store.nextLapseAt(at);
      if (due === undefined || due > at) return;
      const { lapsed } = await change({ lapsed: { limit: mostLapsed } }, (snapshot, settings) =>
        decideLapses(snapshot, settings.now),
      );
      if (lapsed.length === 0) return;
    }
  }

  return { desk, options, change, lapse, sweep };
}

/** Those that are folders on this machine. */
export function directoriesOf(paths: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(
    paths.filter((path): path is string => {
      if (path === undefined || path === "") return false;
      try {
        return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
      } catch {
        // A path that is none, or that leads where nobody may look: one task's folder stops no other task.
        return false;
      }
    }),
  );
}
