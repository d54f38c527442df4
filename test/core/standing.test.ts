import { expect, test } from "vitest";
import { hasNews } from "../../src/core/standing.ts";
import { states } from "../../src/domain/question.ts";
import { aStored } from "../builders.ts";

/** Whoever cannot see an edit saw revision 4; now it is 5, or more when something was missed. */
const news = (state: (typeof states)[number], revision = 5, lapsed = false): boolean =>
  hasNews(aStored({ state, revision }), 4, lapsed);

test("a follow-up tells what became of a question, and never that nothing did", () => {
  expect(states.filter((state) => news(state))).toEqual([
    "answered",
    "applied",
    "expired",
    "default_applied",
    "cancelled",
  ]);
  // Quiet hours began or ended, and it stands as it stood.
  expect([news("posted", 9), news("pending", 9)]).toEqual([false, false]);
});

test("that it is closed, or that a claim lapsed, is news only to whoever missed what came before", () => {
  expect([news("resolved", 5), news("resolved", 6)]).toEqual([false, true]);
  expect([news("answered", 5, true), news("answered", 6, true)]).toEqual([false, true]);
  expect([news("expired", 5, true), news("expired", 6, true)]).toEqual([false, true]);
});
