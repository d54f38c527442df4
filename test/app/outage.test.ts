import { describe, expect, test } from "vitest";
import { awayLine, awayNotices, outageOf, touchUp } from "../../src/core/outage.ts";
import { mintQuestionId, type RunId } from "../../src/domain/ids.ts";
import type { Copy } from "../../src/domain/question.ts";
import { aQuestion, aQuestionId, aStored, evening, hour, minute } from "../builders.ts";

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

describe("an outage where messages cannot be edited", () => {
  const asked = (count: number) =>
    Array.from({ length: count }, (_, n) => {
      const id = mintQuestionId("a3f2" as RunId, "012-fix-auth", n + 1);
      const stored = aStored({ question: aQuestion({ id, title: `Which way, number ${n + 1}?` }) });
      const copy = { question: id, ref: `${n}`, revision: 1, postedAt: evening - minute };
      return {
        stored,
        copies: [
          { ...copy, channel: "ntfy", destination: "default" },
          { ...copy, channel: "ntfy", destination: "default", ref: `${n} again` },
          { ...copy, channel: "telegram", destination: "42" },
        ],
      };
    });
  const texts = ({ effects }: ReturnType<typeof awayNotices>) =>
    effects.flatMap((effect) => (effect.type === "send" ? [effect.job.notice?.text ?? ""] : []));

  test("is one notice at each place, which names what waits there, and no follow-up to each question", () => {
    const notices = awayNotices(asked(2), "ntfy", outage, "Europe/Berlin");
    expect(texts(notices)).toEqual([
      [
        "From 23:00 to 07:00 nobody listened here — if you tapped or wrote, do so again:",
        "[q-a3f2-012-fix-auth-1] Which way, number 1?",
        "[q-a3f2-012-fix-auth-2] Which way, number 2?",
      ].join("\n"),
    ]);
    expect(notices.questions).toBe(2);
    expect(notices.effects).toMatchObject([
      { type: "log", event: { kind: "notice.queued" } },
      { type: "send", job: { channel: "ntfy", destination: "default", kind: "notice" } },
    ]);
  });

  test("names ten at most, and nothing that was decided or came later", () => {
    expect(
      texts(awayNotices(asked(40), "ntfy", outage, "UTC"))[0]
        ?.split("\n")
        .slice(10),
    ).toEqual(["[q-a3f2-012-fix-auth-10] Which way, number 10?", "… and 30 more"]);
    const [one] = asked(1);
    if (!one) throw new Error("nothing was asked");
    const decided = { ...one, stored: { ...one.stored, state: "answered" as const } };
    const later = { ...one, copies: one.copies.map((copy) => ({ ...copy, postedAt: outage.to })) };
    for (const shown of [decided, later]) {
      expect(awayNotices([shown], "ntfy", outage, "UTC")).toEqual({ effects: [], questions: 0 });
    }
    expect(awayNotices([one], "email", outage, "UTC").effects).toEqual([]);
  });
});
