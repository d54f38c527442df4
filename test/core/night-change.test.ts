import { describe, expect, test } from "vitest";
import { changeDue, nextChangeAt, rulesText } from "../../src/core/night-change.ts";
import type { NightMark } from "../../src/domain/store.ts";
import { someRules } from "../builders.ts";

const at = (text: string): number => Date.parse(text);
const rules = someRules("22:00-08:00");
const noon = at("2026-07-06T12:00:00+02:00");
const night = at("2026-07-06T23:00:00+02:00");
const morning = at("2026-07-07T08:00:00+02:00");
const start = at("2026-07-06T22:00:00+02:00");

function mark(changes: Partial<NightMark> = {}): NightMark {
  return {
    phase: "night",
    stage: "done",
    rules: rulesText(rules),
    begunAt: start,
    untilAt: morning,
    nightEvent: 1,
    endedEvent: 1,
    openQuestion: 0,
    ...changes,
  };
}

function day(changes: Partial<NightMark> = {}): NightMark {
  const { untilAt: _, ...rest } = mark({ phase: "day", begunAt: noon, ...changes });
  return rest;
}

describe("the change between day and night that is due", () => {
  test("is that of the hour, once", () => {
    expect(changeDue({ mark: day() }, rules, start - 1)).toBeUndefined();
    expect(changeDue({ mark: day() }, rules, start)).toBe("nightfall");
    expect(changeDue({ mark: mark() }, rules, start)).toBeUndefined();
    expect(changeDue({ mark: mark() }, rules, morning - 1)).toBeUndefined();
    expect(changeDue({ mark: mark() }, rules, morning)).toBe("daybreak");
    expect(changeDue({ mark: day({ begunAt: morning }) }, rules, morning)).toBeUndefined();
  });

  test("is gone on with where it was cut off", () => {
    expect(changeDue({ mark: mark({ stage: "open" }) }, rules, night)).toBe("nightfall");
    for (const stage of ["ended", "open", "morning"] as const) {
      expect(changeDue({ mark: day({ stage, begunAt: morning }) }, rules, morning)).toBe("daybreak");
    }
    expect(changeDue({ mark: mark({ stage: "open" }) }, rules, morning)).toBe("daybreak");
  });

  test("is made up for when nobody was there: over one end, a whole night, a night and a day", () => {
    expect(changeDue({ mark: mark() }, rules, morning + 3_600_000)).toBe("daybreak");
    expect(changeDue({ mark: day() }, rules, morning + 3_600_000)).toBe("daybreak");
    expect(changeDue({ mark: mark() }, rules, night + 24 * 3_600_000)).toBe("nightfall");
  });

  test("follows a configuration that changed", () => {
    const shorter = someRules("22:00-02:00");
    const later = someRules("23:30-08:00");
    expect(changeDue({ mark: mark() }, shorter, night)).toBe("nightfall");
    expect(changeDue({ mark: mark() }, later, night)).toBe("daybreak");
    expect(changeDue({ mark: mark() }, { ...rules, isolated: true }, night)).toBe("nightfall");
    expect(changeDue({ mark: mark() }, undefined, night)).toBe("daybreak");
    expect(changeDue({}, undefined, night)).toBeUndefined();
    expect(changeDue({ mark: day() }, undefined, noon)).toBe("forget");
    expect(changeDue({ mark: day({ stage: "open" }) }, undefined, noon)).toBe("daybreak");
    expect(changeDue({}, rules, night)).toBe("nightfall");
    expect(changeDue({}, rules, noon)).toBe("daybreak");
  });

  test("a clock that jumps back makes it day or night again, and nothing twice", () => {
    expect(changeDue({ mark: mark() }, rules, noon)).toBe("daybreak");
    expect(changeDue({ mark: day({ begunAt: morning }) }, rules, noon)).toBeUndefined();
    expect(changeDue({ mark: day({ begunAt: morning }) }, rules, night)).toBe("nightfall");
  });

  test("field 56: one night has one morning, also where clocks are set back over its end", () => {
    const early = someRules("22:00-02:30");
    // 02:30 comes twice in Berlin on 2026-10-25: at 00:30Z, when the wall says day for half an hour, and at 01:30Z.
    const before = {
      mark: mark({
        rules: rulesText(early),
        begunAt: at("2026-10-24T20:00:00Z"),
        untilAt: at("2026-10-25T01:30:00Z"),
      }),
    };
    expect(changeDue(before, early, at("2026-10-25T00:30:00Z"))).toBeUndefined();
    // From 01:00Z on it is night again, and what came in the pause must change its form.
    expect(changeDue(before, early, at("2026-10-25T01:00:00Z"))).toBe("nightfall");
    expect(changeDue(before, early, at("2026-10-25T01:30:00Z"))).toBe("daybreak");
  });

  test("what is held without a night to hold it is let go", () => {
    const heldUntilAt = morning;
    expect(changeDue({ mark: day({ begunAt: morning }), heldUntilAt }, rules, morning)).toBe("release");
    expect(changeDue({ mark: day({ begunAt: morning }), heldUntilAt }, rules, morning - 1)).toBe("nightfall");
    expect(changeDue({ heldUntilAt }, undefined, night)).toBe("release");
  });

  test("comes next at the morning, or when night falls", () => {
    expect(nextChangeAt(rules, noon)).toBe(start);
    expect(nextChangeAt(rules, night)).toBe(morning);
    expect(nextChangeAt(someRules("00:00-24:00"), noon)).toBeUndefined();
    expect(nextChangeAt(undefined, noon)).toBeUndefined();
  });
});
