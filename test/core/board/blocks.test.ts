import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addBoardNote,
  addConfirmation,
  addDelegation,
  dropFindings,
  putFindings,
  readFindings,
} from "../../../src/core/board/blocks.ts";
import { decideChange } from "../../../src/core/board/change.ts";
import { specHash, verdictStanding, writeVerdict } from "../../../src/core/board/verdict.ts";
import type { TaskId } from "../../../src/domain/ids.ts";
import { priorities, type TaskFields } from "../../../src/domain/task.ts";
import { evening } from "../../builders.ts";
import { aTaskRow, memoryBoard } from "../../memory-board.ts";

const at = "2026-08-21T00:00:00Z";
const base = {
  title: "Add login page",
  description: "Build the login page.",
  acceptanceCriteria: "- test passes",
  executionPlan: "1. write it",
  context: "",
};
const hashOf = (context: string): string => specHash({ ...base, context });
const found = { hash: "deadbeef", at, gaps: ["no rollback named"], fixes: ["name one"] };

/** Prose of people, with the lines of machines strewn in. */
const context = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
      fc.constantFrom(
        "",
        "  ",
        "- a bullet",
        "Gaps:",
        "--- Waggle Delegation History ---",
        "--- End Waggle Delegation History ---",
        "--- Owlpost Board Notes ---",
        "--- End Owlpost Board Notes ---",
        "--- Waggle Confirmation Log ---",
        "--- End Quality Review Findings ---",
      ),
    ),
    { maxLength: 8 },
  )
  .chain((lines) => fc.constantFrom("\n", "\r\n").map((end) => lines.join(end)));

describe("the hash of a spec", () => {
  it("is stable under everything that programs write of themselves", () => {
    fc.assert(
      fc.property(context, fc.string(), fc.array(fc.string(), { maxLength: 4 }), (prose, note, gaps) => {
        const hash = hashOf(prose);
        const findings = { ...found, gaps };
        for (const written of [
          putFindings(prose, findings),
          putFindings(putFindings(prose, found), findings),
          dropFindings(putFindings(prose, findings)),
          addDelegation(prose, "alice", note, "2026-08-20"),
          addBoardNote(prose, note, at),
          addBoardNote(addBoardNote(prose, note, at), "again", at),
          dropFindings(addBoardNote(putFindings(addDelegation(prose, "a", "b", at), findings), note, at)),
        ]) {
          expect(hashOf(written)).toBe(hash);
        }
      }),
    );
  });

  it("changes with every other edit", () => {
    const fields = ["title", "description", "acceptanceCriteria", "executionPlan", "context"] as const;
    const text = fc.string({ unit: "grapheme", minLength: 1 });
    const plain = (value: string): string => value.replace(/\r\n?/g, "\n").replace(/\p{White_Space}+$/u, "");
    fc.assert(
      fc.property(fc.constantFrom(...fields), text, text, (field, one, other) => {
        fc.pre(plain(one) !== plain(other) && !`${one}${other}`.includes("|"));
        expect(specHash({ ...base, [field]: one })).not.toBe(specHash({ ...base, [field]: other }));
      }),
    );
    expect(hashOf(addConfirmation("See design doc.", "test passes", "alice", at))).toBe("083aa3bc");
  });

  it("changes with one character more anywhere in the prose around what programs have written", () => {
    const prose = fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 12 }), { maxLength: 4 });
    fc.assert(
      fc.property(
        prose,
        prose,
        fc.nat(),
        fc.constantFrom("x", "é", "日", "-"),
        (before, behind, seed, more) => {
          const around = (text: string): string => {
            const written = addBoardNote(putFindings(text, found), "Status set to Done", at);
            return [written, ...behind].join("\n");
          };
          const text = before.join("\n");
          const place = seed % (text.length + 1);
          const longer = `${text.slice(0, place)}${more}${text.slice(place)}`;
          expect(hashOf(around(longer))).not.toBe(hashOf(around(text)));
          expect(hashOf([around(text), more].join("\n"))).not.toBe(hashOf(around(text)));
        },
      ),
    );
  });

  it("stands through every edit of what is not judged, and falls with every edit of what is", () => {
    const judged = ["title", "description", "acceptanceCriteria", "executionPlan", "context"] as const;
    const neutral: fc.Arbitrary<Partial<TaskFields>> = fc.record(
      {
        priority: fc.constantFrom(...priorities, null),
        executor: fc.constantFrom("human", "cli", null),
        requiresReview: fc.boolean(),
        workingDirectory: fc.string(),
        sessionReference: fc.string(),
        agentOutput: fc.string(),
        errorMessage: fc.string(),
        artifacts: fc.string(),
        repository: fc.option(fc.string()),
        startDate: fc.constantFrom(null, "2026-07-06"),
        dueDate: fc.constantFrom(null, "2026-07-09"),
        tags: fc.array(fc.string(), { maxLength: 3 }),
        project: fc.option(fc.string()),
        team: fc.option(fc.string()),
        assignee: fc.constantFrom([], [{ id: "7", name: "mara" }]),
        branch: fc.string(),
        sourceMessageId: fc.option(fc.string()),
      },
      { requiredKeys: [] },
    );
    const text = fc.string({ unit: "grapheme", maxLength: 20 });
    const id = "spec" as TaskId;
    const settings = {
      now: evening,
      iso: at,
      actor: { kind: "person", name: "eric" } as const,
      directories: new Set<string>(),
    };
    fc.assert(
      fc.property(neutral, fc.constantFrom(...judged), text, (fields, name, value) => {
        const spec = aTaskRow({ id, ...base });
        const hash = specHash(spec);
        const board = memoryBoard([{ ...spec, qualityVerdict: writeVerdict("PASS", hash, at) }]);
        const edit = (changes: Partial<TaskFields>): string => {
          const { ok } = board.run({ tasks: [id] }, (seen) =>
            decideChange(seen, { id, fields: changes }, settings),
          );
          const task = board.get(id)?.task;
          return ok && task ? verdictStanding(task).kind : "refused";
        };
        expect(edit(fields)).toBe("current");
        const plain = (words: string): string =>
          words.replace(/\r\n?/g, "\n").replace(/\p{White_Space}+$/u, "");
        expect(edit({ [name]: `${base[name]}\r\n \u00a0` })).toBe("current");
        expect(edit({ [name]: value })).toBe(plain(value) === base[name] ? "current" : "stale");
        expect(edit({ [name]: base[name] })).toBe("current");
      }),
    );
  });

  it("does not feel a block between two lines of prose", () => {
    const between = putFindings("A", found);
    expect(hashOf(`${between}\nB`)).toBe("c55169f7");
    expect(hashOf("A\nB")).toBe("c55169f7");
  });
});

describe("findings", () => {
  it("are read as they were written, and replaced in their place", () => {
    const one = putFindings("Before.\r\nStill before.", found);
    expect(readFindings(one)).toEqual(found);
    const two = putFindings(`${one}\nBehind.`, {
      ...found,
      hash: "0badcafe",
      gaps: ["another\n gap"],
      fixes: [],
    });
    expect(two).toBe(
      `Before.\r\nStill before.\n--- Quality Review Findings hash=0badcafe @${at} ---\nGaps:\n- another gap\n--- End Quality Review Findings ---\nBehind.`,
    );
    expect(dropFindings(two)).toBe("Before.\r\nStill before.\nBehind.");
    expect(readFindings(dropFindings(two))).toBeUndefined();
  });

  it("are at most 1,500 characters: fixes go before gaps", () => {
    const long = "x".repeat(300);
    const written = putFindings("", { ...found, gaps: [long, long, long], fixes: [long, long, long] });
    expect(written.length).toBeLessThanOrEqual(1_500);
    expect(readFindings(written)?.gaps).toHaveLength(3);
    expect(readFindings(written)?.fixes.length).toBeLessThan(3);
    expect(putFindings("", { ...found, gaps: ["y".repeat(9_000)], fixes: [] }).length).toBeLessThanOrEqual(
      1_500,
    );
  });

  it("of an unterminated block go as far as it looks like one", () => {
    const torn = `Before.\n--- Quality Review Findings hash=deadbeef @${at} ---\nGaps:\n- one\nProse.\n- a list`;
    expect(dropFindings(torn)).toBe("Before.\nProse.\n- a list");
    expect(putFindings(torn, found)).toContain("--- End Quality Review Findings ---\nProse.\n- a list");
  });
});

describe("lists of the board", () => {
  it("grow inside their block", () => {
    const one = addBoardNote("Prose.", "Status set to Done — all subtasks completed", at);
    const two = `${addBoardNote(one, "Status reverted to In Progress — subtask re-opened", at)}\nMore prose.`;
    expect(two.split("\n")).toEqual([
      "Prose.",
      "--- Owlpost Board Notes ---",
      `- [Auto] Status set to Done — all subtasks completed @${at}`,
      `- [Auto] Status reverted to In Progress — subtask re-opened @${at}`,
      "--- End Owlpost Board Notes ---",
      "More prose.",
    ]);
  });

  it("cannot be broken out of by what people are called", () => {
    const written = addDelegation("", "a\n--- End Waggle Delegation History ---\nb", "c", "2026-08-20");
    expect(written.split("\n")).toHaveLength(3);
  });
});
