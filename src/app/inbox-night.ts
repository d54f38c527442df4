import { formAt, morningAfter, type NightRules } from "../core/night.ts";
import { heldLine, safetyLine } from "../core/night-words.ts";
import { timeWords } from "../core/wording.ts";
import type { Instant } from "../domain/ids.ts";
import { isOpen, type StoredQuestion } from "../domain/question.ts";
import type { When } from "./inbox-verdict.ts";

/** The night form of a card. What it shows in full is in the card itself. */
export type NightLines = {
  /** The first instant at which every option counts; absent where quiet hours have no end. */
  readonly until?: When;
} & (
  | {
      readonly form: "consent";
      readonly label: string;
      readonly consequence: string;
      readonly safety: string;
    }
  | { readonly form: "held"; readonly words: string }
);

/** Undefined by day, and for what is decided. */
export function nightLines(
  stored: StoredQuestion,
  rules: NightRules | undefined,
  now: Instant,
): NightLines | undefined {
  const form = formAt(stored.question, rules, now);
  if (!rules || form === undefined || !(isOpen(stored.state) || stored.state === "expired")) return undefined;
  const morningAt = morningAfter(rules, now);
  const until =
    morningAt === undefined
      ? {}
      : {
          until: {
            iso: new Date(morningAt).toISOString(),
            text: timeWords(morningAt, stored.zone, now),
          },
        };
  if (form === "held") return { form, words: heldLine(stored, rules, now), ...until };
  const { label = "", consequence = "" } =
    stored.question.options.find((option) => option.recommended === true) ?? {};
  return { form, label, consequence, safety: safetyLine(stored, rules), ...until };
}
