import type { LocalCommand, NightLines, QuestionCard } from "../app/inbox-state.ts";
import { type Child, el } from "./dom.ts";
import { consentLines, heldLine, nightWarning, optionsToRead } from "./night.ts";
import { deadlineLine, whereLine } from "./question.ts";
import { lateLine } from "./verdict.ts";

/** What a card lends to its content. */
export type Controls = {
  readonly card: QuestionCard;
  /** Is a night form looked at in full? */
  readonly inFull: boolean;
  readonly open: "answer" | "note" | "change" | undefined;
  title(): HTMLElement;
  evidence(): HTMLElement;
  choices(): HTMLElement;
  /** A button that sends one decision. */
  press(name: string, className: string, command: LocalCommand, words: string): HTMLElement;
  /** The button that shows a night form in full, or small again. */
  full(className: string, words: string): HTMLElement;
  unfold(name: "answer" | "note", words: string): HTMLElement;
  form(name: "answer" | "note"): HTMLElement;
};

/** A question that waits: with all its options, or in its night form. */
export function waiting(controls: Controls): Child[] {
  const { card, inFull } = controls;
  const { night } = card;
  if (night?.form === "consent") return consent(controls, night);
  if (night?.form === "held" && !inFull) return held(controls, night);
  return [
    whereLine(card),
    controls.title(),
    night?.form === "held" && heldLine(night.words),
    controls.evidence(),
    due(card),
    night && nightWarning(night),
    controls.choices(),
    el("div", { class: "actions" }, skip(controls, "Skip"), retry(controls)),
    ...quiet(controls, { inWords: true }, ...(night ? [controls.full("quiet", "Show less")] : [])),
  ];
}

function consent(controls: Controls, night: Extract<NightLines, { form: "consent" }>): Child[] {
  const { card, inFull } = controls;
  return [
    whereLine(card),
    controls.title(),
    ...consentLines(night),
    due(card),
    el(
      "div",
      { class: "actions actions-night" },
      controls.press("go", "send", { verb: "choose", question: card.id, key: "go" }, "👍 Go ahead"),
      // Where quiet hours have no end, nothing is asked again.
      skip(controls, night.until === undefined ? "⏭️ Skip it" : "⏭️ Skip it, ask me tomorrow"),
    ),
    inFull && controls.evidence(),
    ...(inFull ? [...optionsToRead(card, night), el("div", { class: "actions" }, retry(controls))] : []),
    ...quiet(controls, {}, controls.full("quiet", inFull ? "Show less" : "Show in full")),
  ];
}

function held(controls: Controls, night: Extract<NightLines, { form: "held" }>): Child[] {
  return [
    whereLine(controls.card),
    controls.title(),
    heldLine(night.words),
    due(controls.card),
    el(
      "div",
      { class: "actions" },
      controls.full("plain-button", "Show in full and answer now"),
      skip(controls, "Skip"),
      retry(controls),
    ),
    ...quiet(controls, {}),
  ];
}

function due(card: QuestionCard): HTMLElement {
  return card.place === "late" && card.verdict ? lateLine(card.verdict) : deadlineLine(card);
}

function skip({ card, press }: Controls, words: string): HTMLElement {
  return press("skip", "plain-button", { verb: "skip", question: card.id }, words);
}

/** Not for a permission: it would deny the call, and reads as if the call ran. */
function retry({ card, press }: Controls): Child {
  if (card.permission) return undefined;
  return press("retry", "plain-button", { verb: "retry", question: card.id }, "Run again");
}

/** `inWords`: an answer in own words counts here. */
function quiet(
  { open, unfold, form }: Controls,
  { inWords = false }: { readonly inWords?: boolean },
  ...others: HTMLElement[]
): Child[] {
  return [
    el(
      "div",
      { class: "actions-quiet" },
      ...others,
      inWords && unfold("answer", "Answer in your own words"),
      unfold("note", "Leave a note"),
    ),
    open === "answer" && inWords && form("answer"),
    open === "note" && form("note"),
  ];
}
