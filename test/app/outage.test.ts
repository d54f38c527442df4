import { describe, expect, test } from "vitest";
import { awayLine, outageOf, touchUp } from "../../src/core/outage.ts";
import type { Copy } from "../../src/domain/question.ts";
import { aQuestionId, aStored, evening, hour, minute } from "../builders.ts";

const outage = { from: evening, to: evening + 8 * hour };
const copies: Copy[] = ["telegram", "ntfy"].map((channel) => ({
  question: aQuestionId,
  channel,
  destination: "1",
  ref: "1:1",
  revision: 2,
  postedAt: evening - minute,
}));

describe("an outage", () => {
  test("is a silence that is longer than presses are kept", () => {
    expect(outageOf(evening, evening + 151_000, 150_000)).toEqual({ from: evening, to: evening + 151_000 });
    expect(outageOf(evening, evening + 150_000, 150_000)).toBeUndefined();
    expect(outageOf(undefined, evening, 150_000)).toBeUndefined();
    expect(outageOf(evening, evening + 1_000 * hour, "unlimited")).toBeUndefined();
  });

  test("is none while polls come back as they do", () => {
    expect(outageOf(evening, evening + 60_000, 0)).toBeUndefined();
  });

  test("is said in the zone of the question, without a claim that anybody tapped", () => {
    expect(awayLine(outage, "Europe/Berlin")).toBe(
      "🦉 I was away from 23:00 to 07:00 — if you tapped, tap again.",
    );
  });

  test("touches up the open question's copies of that channel, and nothing else", () => {
    expect(touchUp(aStored(), copies, "telegram", outage)).toMatchObject([
      {
        type: "send",
        job: { channel: "telegram", kind: "edit", question: aQuestionId, notice: { kind: "away" } },
      },
    ]);
    expect(touchUp(aStored({ state: "answered" }), copies, "telegram", outage)).toEqual([]);
    expect(touchUp(undefined, copies, "telegram", outage)).toEqual([]);
    const fresh = copies.map((copy) => ({ ...copy, postedAt: outage.to }));
    expect(touchUp(aStored(), fresh, "telegram", outage)).toEqual([]);
  });
});
