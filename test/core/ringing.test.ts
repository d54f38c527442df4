import { describe, expect, test } from "vitest";
import { loudnessOf } from "../../src/core/ringing.ts";
import { aStored, evening, someRules } from "../builders.ts";

const night = { rules: someRules("22:00-08:00"), now: evening } as const;
const day = { rules: someRules("01:00-02:00"), now: evening } as const;
const receipt = (kind: string) => ({ kind: "receipt", notice: { kind, text: "x" } }) as const;

describe("in quiet hours", () => {
  test.each(["flag", "none"] as const)("the receipt of one's own reply may ring (%s)", (quiet) => {
    for (const kind of ["receipt", "offer", "more"]) {
      expect(loudnessOf(receipt(kind), undefined, { ...night, quiet })).toBe("aloud");
    }
  });

  test("a hint is none: anybody may have said what it answers", () => {
    expect(loudnessOf(receipt("hint"), undefined, { ...night, quiet: "flag" })).toBe("silent");
    expect(loudnessOf(receipt("hint"), undefined, { ...night, quiet: "none" })).toBe("later");
    expect(loudnessOf(receipt("hint"), undefined, { ...day, quiet: "flag" })).toBe("aloud");
  });

  test("a consent question rings, and what else is posted waits", () => {
    const held = aStored();
    const blocked = { ...held, question: { ...held.question, kind: "blocked" as const } };
    expect(loudnessOf({ kind: "post" }, held, { ...night, quiet: "flag" })).toBe("aloud");
    expect(loudnessOf({ kind: "post" }, blocked, { ...night, quiet: "flag" })).toBe("later");
  });
});
