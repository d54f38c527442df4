import type { Capabilities } from "../src/domain/capabilities.ts";
import type { Button } from "../src/domain/channel.ts";
import type { Option } from "../src/domain/question.ts";
import { oneLine } from "../src/domain/text.ts";
import type { QuestionView } from "../src/domain/view.ts";
import { reveal } from "./neutralise.ts";

/** `complete`: every option has one. */
export type Buttons = { readonly list: readonly Button[]; readonly complete: boolean };

const noButtons: Buttons = { list: [], complete: false };

/** Does every option have a button of its own? */
export function areComplete(view: QuestionView, row: Capabilities): boolean {
  return view.answerable && row.buttons !== "none" && view.options.length <= row.buttons.max;
}

/**
 * One for each option, then *Skip* while there is room. Where not all options fit: the recommended one, the next ones,
 * and *More* for the rest.
 */
export function buttonsFor(view: QuestionView, row: Capabilities): Buttons {
  if (!view.answerable || row.buttons === "none") return noButtons;
  const { max, label } = row.buttons;
  const { id, options } = view;
  const button = (option: Option): Button => ({
    label: labelOf(option, label),
    question: id,
    action: { key: option.key },
    primary: option.recommended === true,
  });
  const verb = (name: "skip" | "more", words: string): Button => ({
    label: words,
    question: id,
    action: { verb: name },
    primary: false,
  });
  if (areComplete(view, row)) {
    const list = options.map(button);
    return { list: options.length < max ? [...list, verb("skip", "⏭ Skip")] : list, complete: true };
  }
  const recommended = options.find((option) => option.recommended === true);
  const others = options.filter((option) => option !== recommended).slice(0, max - (recommended ? 2 : 1));
  const shown = options.filter((option) => option === recommended || others.includes(option));
  return { list: [...shown.map(button), verb("more", "⋯ More")].slice(0, max), complete: false };
}

/** A label that is longer than the budget stands in the text alone: half a label can mislead. */
function labelOf(option: Option, most: number): string {
  const words = `${option.key} · ${reveal(oneLine(option.label))}`;
  // Platforms say "characters"; UTF-16 units are the safe reading.
  if (words.length <= most) return words;
  const short = `${option.key} · recommended`;
  return option.recommended === true && short.length <= most ? short : option.key;
}
