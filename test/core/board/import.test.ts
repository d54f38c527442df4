import { describe, expect, it } from "vitest";
import { decideImport, importOrder } from "../../../src/core/board/import.ts";
import type { TaskId } from "../../../src/domain/ids.ts";
import type { Task } from "../../../src/domain/task.ts";
import { evening } from "../../builders.ts";
import { aTaskRow, memoryBoard } from "../../memory-board.ts";

const settings = {
  now: evening,
  iso: "2026-07-06T21:00:00Z",
  actor: { kind: "person", name: "eric" } as const,
  directories: new Set<string>(),
};

describe("an import takes as long as what comes in, and no longer", () => {
  it("goes no way through those that a task waits for, neither when it is new nor when it comes again", () => {
    const chain = Array.from({ length: 50 }, (_, at) =>
      aTaskRow({ id: `c${at}`, blockedBy: at === 0 ? [] : [`c${at - 1}` as TaskId] }),
    );
    const board = memoryBoard();
    for (const kind of ["new", "same"])
      for (const task of chain) {
        const asked: TaskId[] = [];
        const answer = board.run({ tasks: [task.id, ...task.blockedBy] }, (snapshot) =>
          decideImport(
            {
              ...snapshot,
              blockersOf: (id) => {
                asked.push(id);
                return snapshot.blockersOf(id);
              },
            },
            { task, given: new Set(["blockedBy"]) },
            settings,
          ),
        );
        expect(answer.kind).toBe(kind);
        // One that is new is waited for by nobody.
        expect(asked).toEqual([]);
      }
    expect(board.get("c49")?.task.blockedBy).toEqual(["c48"]);
  });

  it("reads what a task waits for once, however many those are", () => {
    let reads = 0;
    const parts = Array.from({ length: 300 }, (_, at) => aTaskRow({ id: `p${at}` }));
    const hub: Task = Object.defineProperty(aTaskRow({ id: "hub" }), "blockedBy", {
      get: () => {
        reads += 1;
        return parts.map(({ id }) => id);
      },
    });
    expect(importOrder([hub, ...parts]).at(-1)).toBe(hub);
    expect(reads).toBe(1);
  });
});
