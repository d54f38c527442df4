import type { Instant } from "../domain/ids.ts";
import type { DefaultAction, Question, StoredQuestion } from "../domain/question.ts";
import { isNight, nightOf, type QuietHours } from "./quiet-hours.ts";

/** What the owner has set for the night. */
export type NightRules = {
  readonly hours: QuietHours;
  /** The work of a night stays on a branch, and nothing merges or pushes by itself. */
  readonly isolated: boolean;
  /** May a default take its recommendation at night? */
  readonly autoDefault: boolean;
};

/** `consent`: two safe actions, Go ahead and Skip; `held`: kept for the morning. */
export type NightForm = "consent" | "held";

const safeKinds: readonly Question["kind"][] = ["decide", "approval", "stalled"];

/**
 * May a tired person decide it without harm? It recommends exactly one option, which can be undone. Where the night's work
 * is isolated, the usual first option of a question that owlpost had to make up can be undone, too.
 */
export function isNightSafe(question: Question, { isolated }: Pick<NightRules, "isolated">): boolean {
  if (!safeKinds.includes(question.kind) || question.source === "permission") return false;
  const recommended = question.options.filter((option) => option.recommended === true);
  const [only] = recommended;
  if (!only || recommended.length !== 1) return false;
  if (only.reversible === true) return true;
  return isolated && question.low_fidelity === true && only === question.options[0];
}

/** The form in which a question stands at that instant; undefined by day: in full. */
export function formAt(
  question: Question,
  rules: NightRules | undefined,
  now: Instant,
): NightForm | undefined {
  if (!rules || !isNight(rules.hours, now)) return undefined;
  return isNightSafe(question, rules) ? "consent" : "held";
}

/** When the night that holds `now` is over; undefined by day, and where quiet hours have no end. */
export function morningAfter(rules: NightRules | undefined, now: Instant): Instant | undefined {
  return rules && nightOf(rules.hours, now)?.endAt;
}

/** The default that will run: at night nothing is taken unasked, unless the owner wants it so. */
export function defaultAt(
  { defaultAction, deadlineAt }: Pick<StoredQuestion, "defaultAction" | "deadlineAt">,
  rules: NightRules | undefined,
): DefaultAction {
  if (defaultAction !== "take_recommended" || !rules || rules.autoDefault) return defaultAction;
  return isNight(rules.hours, deadlineAt) ? "skip_spec" : defaultAction;
}
