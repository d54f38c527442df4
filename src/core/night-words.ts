import type { Instant } from "../domain/ids.ts";
import type { StoredQuestion } from "../domain/question.ts";
import { morningAfter, type NightRules } from "./night.ts";
import { timeWords } from "./wording.ts";

/** Promised only as far as somebody vouches for it: the engine for the branch, the owner for the isolation, or the agent. */
export function safetyLine({ question }: StoredQuestion, { isolated }: NightRules): string {
  const { branch } = question.facts ?? {};
  const hasBranch = typeof branch === "string" && branch.trim() !== "";
  if (isolated && hasBranch) {
    return "Either answer is safe: everything stays on the branch, and nothing merges tonight.";
  }
  const recommended = question.options.find((option) => option.recommended === true);
  // The agent gave no options of its own, so it promised nothing.
  const who = recommended?.reversible === true ? "The agent says this can be undone." : isolatedWords;
  return `${who} Skipping only lets the task wait.`;
}

const isolatedWords = "Work of the night is kept apart, so this can be undone.";

/** Until when it waits, and that it takes no choice before. */
export function heldLine({ deadlineAt, zone }: StoredQuestion, rules: NightRules, now: Instant): string {
  const morningAt = morningAfter(rules, now);
  if (morningAt === undefined) {
    return "🌙 This question is held: quiet hours are set without an end. It can be read and answered in the local inbox.";
  }
  const held = `🌙 This question is held until ${timeWords(morningAt, zone, now)} and takes no choice before.`;
  // One whose deadline falls first is never shown.
  return deadlineAt > morningAt ? `${held} It is shown in full then.` : held;
}
