import type { Instant } from "../domain/ids.ts";
import { isOpen, type StoredQuestion } from "../domain/question.ts";
import type { AskedView, ConsentView, HeldView } from "../domain/view.ts";
import { defaultAt, formAt, type NightForm, type NightRules } from "./night.ts";
import { heldLine, safetyLine } from "./night-words.ts";
import { isAlwaysNight } from "./quiet-hours.ts";
import { deadlineLine, standingLines } from "./standing.ts";
import { mayBeAnswered, questionView } from "./view.ts";

/**
 * What is to be shown of a question at that instant: in full, as a consent question, as held, or what became of it.
 * Without rules there is no night.
 */
export function viewAt(stored: StoredQuestion, rules: NightRules | undefined, now: Instant): AskedView {
  if (!rules) return questionView(stored, now);
  // What ran is known; what would run at a deadline of the night is not always what was asked for.
  const shown = isOpen(stored.state) ? { ...stored, defaultAction: defaultAt(stored, rules) } : stored;
  switch (shownForm(stored, rules, now)) {
    case "consent":
      return consentView(shown, rules, now);
    case "held":
      return heldView(shown, rules, now);
    default:
      return questionView(shown, now);
  }
}

/** What was decided keeps the form in which it was decided: a message does not grow under the thumb, nor in the morning. */
function shownForm(stored: StoredQuestion, rules: NightRules, now: Instant): NightForm | undefined {
  const { question, state, answer, deadlineAt } = stored;
  const isWaiting = isOpen(state) || state === "expired" || state === "cancelled";
  return formAt(question, rules, isWaiting ? now : (answer?.at ?? deadlineAt));
}

/** A night-safe question: what is stuck, what is recommended, why either answer is safe. */
export function consentView(stored: StoredQuestion, rules: NightRules, now: Instant): ConsentView {
  const { label = "", consequence = "" } =
    stored.question.options.find((option) => option.recommended === true) ?? {};
  return {
    type: "consent",
    ...nightLines(stored, now),
    recommended: { label, consequence },
    safety: safetyLine(stored, rules),
    again: !isAlwaysNight(rules.hours),
  };
}

/** A question that takes no choice before the morning. */
export function heldView(stored: StoredQuestion, rules: NightRules, now: Instant): HeldView {
  return { type: "held", ...nightLines(stored, now, true), held: heldLine(stored, rules, now) };
}

function nightLines(stored: StoredQuestion, now: Instant, held = false) {
  const { question } = stored;
  const standing = standingLines(stored, now, { held });
  return {
    id: question.id,
    task: question.task,
    title: question.title,
    deadline: deadlineLine(stored, now),
    ...(standing === undefined ? {} : { standing }),
    answerable: mayBeAnswered(stored),
    fullText: `owlpost status ${question.id}`,
  };
}
