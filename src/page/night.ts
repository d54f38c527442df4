import type { NightLines, QuestionCard } from "../app/inbox-state.ts";
import { type Child, el, told } from "./dom.ts";
import { optionContent } from "./question.ts";

/** Three lines, and nothing else to weigh: what is recommended, and why either answer is safe. */
export function consentLines(night: Extract<NightLines, { form: "consent" }>): readonly Child[] {
  return [
    el(
      "div",
      { class: "recommendation" },
      el("p", { class: "recommendation-lead" }, "Recommended"),
      told("p", { class: "label" }, night.label),
      told("p", { class: "consequence" }, night.consequence),
    ),
    el("p", { class: "safety" }, night.safety),
  ];
}

export function heldLine(words: string): HTMLElement {
  return el("p", { class: "held" }, words);
}

/** The options to be looked at, and when they count. */
export function optionsToRead(card: QuestionCard, { until }: NightLines): readonly HTMLElement[] {
  const when =
    until === undefined
      ? "Quiet hours have no end; here"
      : `The options can be chosen from ${until.text} on; until then`;
  return [
    el("p", { class: "hint" }, `${when} it is Go ahead or Skip.`),
    el(
      "ul",
      { class: "was-offered" },
      ...card.options.map((option) => el("li", {}, ...optionContent(option))),
    ),
  ];
}

/** Above the options of a held question that is shown in full all the same. */
export function nightWarning({ until }: NightLines): HTMLElement {
  const later = until === undefined ? "" : `; it can also wait until ${until.text}`;
  return el("p", { class: "hint" }, `It is night${later}. What is pressed here counts at once.`);
}
