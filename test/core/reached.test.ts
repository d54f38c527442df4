import { describe, expect, test } from "vitest";
import { longestWaitMs, waitMs } from "../../src/core/backoff.ts";
import { routesFor } from "../../src/core/people.ts";
import { editsFor, postsFor, reached } from "../../src/core/reached.ts";
import { hasLapsed } from "../../src/domain/question.ts";
import { type ChannelHealth, isDue, longestRestMs } from "../../src/domain/store.ts";
import { aBinding, aPlace, aQuestion, aQuestionId, aStored, evening, hour, minute } from "../builders.ts";

const routes = ["42", "43"].map((destination) => ({ channel: "telegram", destination }));
const refused = (...destinations: string[]): ChannelHealth => ({
  channel: "telegram",
  up: true,
  since: evening,
  refused: destinations.map((destination) => ({
    destination,
    since: evening + minute,
    detail: "it was blocked",
  })),
});

describe("how a channel stands", () => {
  test("it is up while one destination takes messages, and says which does not", () => {
    expect(reached(refused("43"), routes)).toMatchObject({
      up: true,
      since: evening,
      detail: "nothing arrives at 43: it was blocked",
    });
    expect(reached(refused("42", "43"), routes)).toMatchObject({ up: false, since: evening + minute });
  });

  test("a destination that questions no longer go to says nothing", () => {
    expect(reached(refused("44"), routes)).toEqual(refused("44"));
    expect(reached(refused("42"), [{ channel: "slack", destination: "42" }])).toEqual(refused("42"));
  });

  test("a platform that is down stays down for its own reason", () => {
    const down = { ...refused("42", "43"), up: false, detail: "unreachable" };
    expect(reached(down, routes)).toEqual(down);
  });
});

describe("a destination that opens", () => {
  const there = { channel: "telegram", destination: "43" };
  const mara = aBinding({ id: 2, person: { name: "mara", role: "member" }, address: "43" });
  const router = (answerableBy?: readonly string[]) => routesFor([aPlace()], [mara], answerableBy);
  const hers = aStored({ question: aQuestion({ answerable_by: ["mara"] }) });
  const copy = { ...there, question: aQuestionId, ref: "43:1", revision: 1, postedAt: evening };

  test("gets what rings there, is open and was never shown there", () => {
    expect(postsFor(there, [hers], new Map(), router, evening)).toEqual([
      { type: "send", job: { ...there, kind: "post", question: aQuestionId } },
    ]);
    expect(postsFor(there, [aStored()], new Map(), router, evening)).toEqual([]);
    expect(postsFor(there, [{ ...hers, state: "answered" }], new Map(), router, evening)).toEqual([]);
    expect(postsFor(there, [hers], new Map(), router, hers.deadlineAt)).toEqual([]);
    expect(postsFor(there, [hers], new Map([[aQuestionId, [copy]]]), router, evening)).toEqual([]);
    const elsewhere = { ...copy, destination: "42" };
    expect(postsFor(there, [hers], new Map([[aQuestionId, [elsewhere]]]), router, evening)).toHaveLength(1);
  });

  test("and an edit of each copy that shows less than what is known", () => {
    expect(editsFor(there, { ...hers, revision: 2 }, [copy])).toEqual([
      { type: "send", job: { ...there, kind: "edit", question: aQuestionId } },
    ]);
    expect(editsFor(there, { ...hers, revision: 1 }, [copy])).toEqual([]);
    expect(editsFor(there, { ...hers, revision: 2 }, [{ ...copy, destination: "42" }])).toEqual([]);
  });
});

describe("a clock that was set back", () => {
  test("makes a job due that would wait longer than any does", () => {
    expect(isDue({ notBeforeAt: evening }, evening)).toBe(true);
    expect(isDue({ notBeforeAt: evening + 1 }, evening)).toBe(false);
    expect(isDue({ notBeforeAt: evening + longestRestMs }, evening)).toBe(false);
    expect(isDue({ notBeforeAt: evening + longestRestMs + 1 }, evening)).toBe(true);
  });

  test("no wait is longer than that, whatever a platform asks for", () => {
    expect(waitMs(99, 0.99, 24 * hour)).toBe(longestRestMs);
    expect(longestWaitMs).toBeLessThan(longestRestMs);
  });

  test("ends a claim that was taken more than its own lease from now", () => {
    const claim = { claim: "c", takenAt: evening, leaseUntilAt: evening + 10 * minute };
    expect(hasLapsed(claim, evening + 10 * minute)).toBe(true);
    expect(hasLapsed(claim, evening)).toBe(false);
    expect(hasLapsed(claim, evening - 10 * minute)).toBe(false);
    expect(hasLapsed(claim, evening - 10 * minute - 1)).toBe(true);
  });
});
