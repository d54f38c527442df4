import type { NightRules } from "../../src/core/night.ts";
import { viewAt } from "../../src/core/night-view.ts";
import { readQuietHours } from "../../src/core/quiet-hours.ts";
import type { Option, Question, StoredQuestion } from "../../src/domain/question.ts";
import type { AskedView } from "../../src/domain/view.ts";
import { anAnswer, aStored, evening, hour, minute } from "../builders.ts";
import { cases, seedQuestion } from "./cases.ts";

/** The rules of a night in Berlin. */
export function nightRules(changes: Partial<NightRules> & { readonly window?: string } = {}): NightRules {
  const { window = "22:00-08:00", ...more } = changes;
  const read = readQuietHours(window, "Europe/Berlin");
  if (!read.ok) throw new Error(read.reason);
  return { hours: read.hours, isolated: true, autoDefault: false, ...more };
}

const isolated = nightRules();
const alone = nightRules({ isolated: false });
const without = (changes: Partial<Question>, more: Partial<StoredQuestion> = {}): StoredQuestion =>
  aStored({ question: { ...seedQuestion, ...changes }, ...more });
const { branch: _branch, ...noBranch } = seedQuestion.facts ?? {};
const blocked: Partial<Question> = {
  kind: "blocked",
  title: "The staging database refuses my migrations: whose is the lock?",
};
/** The question of a day's case, with a recommendation that can be undone. */
const undoable = (name: string): StoredQuestion => {
  const [stored] = cases[name] as readonly [StoredQuestion, number];
  const options = stored.question.options.map((option: Option) =>
    option.recommended === true ? { ...option, reversible: true } : option,
  );
  return { ...stored, question: { ...stored.question, options } };
};
const byEric = anAnswer({ via: "telegram", by: "eric", at: evening + 14 * minute });
const { option: _option, ...nothingChosen } = byEric;
const skipped = { ...nothingChosen, outcome: "skipped" } as const;
const claim = { claim: "c", run: "a3f2", takenAt: evening + hour, leaseUntilAt: evening };

/** Every form in which a question can stand at night, by name. */
export const nightCases: Readonly<Record<string, readonly [StoredQuestion, NightRules, now: number]>> = {
  consent: [without({}), isolated, evening],
  "consent-not-isolated": [without({}), alone, evening],
  "consent-without-branch": [without({ facts: noBranch }), isolated, evening],
  "consent-low-fidelity": [cases["low-fidelity"]?.[0] ?? without({}), isolated, evening],
  "consent-low-fidelity-without-branch": [
    {
      ...(cases["low-fidelity"]?.[0] ?? without({})),
      question: { ...(cases["low-fidelity"]?.[0].question ?? seedQuestion), facts: noBranch },
    },
    isolated,
    evening,
  ],
  "consent-long": [
    without({
      title: `Shall the session table be rebuilt by a background job, ${"step by step, ".repeat(4)}or all at once?`,
      options: [
        {
          key: "1",
          label: "A background job that copies a thousand rows at a time, then swaps the tables",
          consequence:
            `about three hours of work tonight, ${"no lock is held for more than a second, ".repeat(3)}`.trim(),
          recommended: true,
          reversible: true,
        },
        { key: "2", label: "One migration", consequence: "ten minutes during which nobody can sign in" },
      ],
    }),
    isolated,
    evening,
  ],
  "consent-hostile": [undoable("hostile"), isolated, evening],
  "consent-right-to-left": [undoable("right-to-left"), isolated, evening],
  "consent-cjk": [undoable("cjk"), isolated, evening],
  "consent-recommendation-by-deadline": [
    without({}, { defaultAction: "take_recommended" }),
    isolated,
    evening,
  ],
  "consent-without-end": [without({}), nightRules({ window: "00:00-24:00" }), evening],
  "consent-go": [
    without({}, { state: "answered", outcome: "answered", answer: byEric }),
    isolated,
    evening + 15 * minute,
  ],
  "consent-go-taken": [
    without({}, { state: "applied", answer: byEric, claim }),
    isolated,
    evening + 10 * hour,
  ],
  "consent-skipped": [
    without({}, { state: "answered", outcome: "skipped", answer: skipped }),
    isolated,
    evening + 15 * minute,
  ],
  "consent-expired": [without({}, { state: "expired", outcome: "expired" }), isolated, evening + 7 * hour],
  "night-decided-by-day": [
    without({}, { state: "answered", outcome: "answered", answer: { ...byEric, at: evening - 2 * hour } }),
    isolated,
    evening,
  ],
  held: [without(blocked), isolated, evening],
  "held-past-the-morning": [without(blocked, { deadlineAt: evening + 12 * hour }), isolated, evening],
  "held-without-end": [without(blocked), nightRules({ window: "00:00-24:00" }), evening],
  "held-hostile": [
    { ...undoable("hostile"), question: { ...undoable("hostile").question, kind: "blocked" } },
    isolated,
    evening,
  ],
  "held-skipped": [
    without(blocked, { state: "answered", outcome: "skipped", answer: skipped }),
    isolated,
    evening + 15 * minute,
  ],
  "held-expired": [without(blocked, { state: "expired", outcome: "expired" }), isolated, evening + 7 * hour],
};

export const nightViews: Readonly<Record<string, AskedView>> = Object.fromEntries(
  Object.entries(nightCases).map(([name, [stored, rules, now]]) => [name, viewAt(stored, rules, now)]),
);
