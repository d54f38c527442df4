import type { Owlpost } from "../../src/app/api.ts";
import type { Board } from "../../src/app/board/api.ts";
import type { BoardRefusal } from "../../src/domain/board.ts";
import type { Task, TaskFields, TaskStatus } from "../../src/domain/task.ts";
import { passFor, wholeSpec } from "../contract/spec.ts";
import type { Steps } from "./telegram-line.ts";

/** What a step on the board was told, as it stands in the ledger under `board …`. */
export type BoardTold = {
  readonly did: "create" | "edit" | "move" | "claim" | "beat" | "release" | "remove" | "import";
  readonly id?: string;
  readonly status?: TaskStatus;
  readonly revision?: number;
  readonly token?: string;
  /** Why it was refused. */
  readonly reason?: string;
};

type Words = { readonly claim?: string; readonly fields?: Partial<TaskFields> };

/** A task that may be begun by whoever claims it, as a line of JSON. */
export function aTaskLine(id: string, changes: Record<string, unknown> = {}): string {
  return JSON.stringify({
    ...wholeSpec,
    id,
    title: wholeSpec.title,
    status: "Ready",
    issuer: "eric",
    qualityVerdict: passFor(wholeSpec),
    createdAt: "2026-07-01T08:00:00Z",
    ...changes,
  });
}

/** The hands of a dispatcher and its workers. Whatever was acknowledged is not done again; the rest is, as a careful program would. */
export function boardHands(play: Steps, owlpost: () => Owlpost) {
  const board = (): Promise<Board> =>
    owlpost().board({ board: "default", actor: { kind: "person", name: "eric" }, issuer: "eric" });
  const step = (name: string, act: (board: Board) => Promise<BoardTold>): Promise<BoardTold> =>
    play.step(`board ${name}`, async () => act(await board()));

  function told(
    did: BoardTold["did"],
    value: { readonly ok: true; readonly task: Task } | BoardRefusal,
  ): BoardTold {
    if (!value.ok) return { did, reason: value.reason };
    const { id, status, revision } = value.task;
    return { did, id, status, revision };
  }

  return {
    board,
    create: (id: string, fields: Partial<TaskFields>) =>
      step(`create ${id}`, async (open) =>
        told("create", await open.createTask({ title: id, ...fields, id })),
      ),
    edit: (name: string, id: string, fields: Partial<TaskFields>) =>
      step(`edit ${name}`, async (open) => told("edit", await open.updateTask(id, fields))),
    move: (name: string, id: string, status: TaskStatus, { fields = {}, ...words }: Words = {}) =>
      step(`move ${name}`, async (open) =>
        told("move", await open.updateTask(id, { ...fields, status }, words)),
      ),
    claim: (name: string, token: string, id?: string) =>
      step(`claim ${name}`, async (open) => {
        const value = await open.claim({ token, ...(id === undefined ? {} : { id }) });
        return { ...told("claim", value), token };
      }),
    beat: (name: string, id: string, token: string) =>
      step(`beat ${name}`, async (open) => ({ ...told("beat", await open.heartbeat(id, token)), token })),
    release: (name: string, id: string, token: string) =>
      step(`release ${name}`, async (open) => told("release", await open.release(id, { token }))),
    remove: (name: string, id: string) =>
      step(`remove ${name}`, async (open) => told("remove", await open.deleteTask(id))),
    bring: (name: string, lines: readonly string[]) =>
      step(`import ${name}`, async (open) => {
        const { refused, dropped } = await open.importText(lines.join("\n"));
        if (refused.length + dropped.length > 0) throw new Error(JSON.stringify({ refused, dropped }));
        return { did: "import" };
      }),
    status: async (id: string): Promise<TaskStatus | undefined> =>
      (await (await board()).stored(id))?.task.status,
    /** Every task that may be begun, in its order. */
    next: async (): Promise<string[]> =>
      (await (await board()).next({ limit: 50 })).map(({ stored }) => stored.task.id),
  };
}
