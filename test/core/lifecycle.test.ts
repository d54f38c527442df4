import { describe, expect, test } from "vitest";
import { type Trigger, transition, triggers } from "../../src/core/lifecycle.ts";
import { type State, states } from "../../src/domain/question.ts";
import cases from "../cases/lifecycle/transitions.json" with { type: "json" };

describe("cases/lifecycle/transitions.json", () => {
  test.each(cases.map((each) => [each.id, each] as const))("%s", (_id, each) => {
    const next = transition(
      each.state as State,
      each.trigger as Trigger,
      "given" in each ? (each.given as object) : {},
    );
    expect(next.ok ? next.state : "refused").toBe(each.expect);
    if ("outcome" in each && next.ok) expect(next.outcome).toBe(each.outcome);
  });
});

test("every move that is not listed is refused", () => {
  const allowed = states.flatMap((state) =>
    triggers.flatMap((trigger) => {
      const next = transition(state, trigger);
      return next.ok ? [`${state} ─${trigger}→ ${next.state}`] : [];
    }),
  );
  expect(allowed).toEqual([
    "pending ─post→ posted",
    "pending ─reply→ answered",
    "pending ─deadline→ expired",
    "pending ─cancel→ cancelled",
    "posted ─reply→ answered",
    "posted ─deadline→ expired",
    "posted ─cancel→ cancelled",
    "answered ─consume→ applied",
    "answered ─override→ answered",
    "applied ─outcome→ resolved",
    "applied ─lapse→ answered",
    "expired ─reply→ answered",
    "expired ─consume→ default_applied",
    "default_applied ─outcome→ resolved",
    "default_applied ─lapse→ expired",
  ]);
});

test("R1: only a reply or an override ever gives the outcome of a person", () => {
  const human = ["answered", "skipped", "retried", "overridden"];
  for (const state of states) {
    for (const trigger of triggers) {
      const next = transition(state, trigger);
      if (next.ok && next.outcome && human.includes(next.outcome))
        expect(["reply", "override"]).toContain(trigger);
    }
  }
});

test("a consumed question never opens again", () => {
  const open: State[] = ["pending", "posted"];
  for (const state of states.filter((each) => !open.includes(each))) {
    for (const trigger of triggers) {
      const next = transition(state, trigger, { token: "same" });
      if (next.ok) expect(open).not.toContain(next.state);
    }
  }
});
