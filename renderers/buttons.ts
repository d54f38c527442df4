import type { Capabilities } from "../src/domain/capabilities.ts";
import type { Button } from "../src/domain/channel.ts";
import type { QuestionId } from "../src/domain/ids.ts";
import type { Option } from "../src/domain/question.ts";
import type { AskedView, NightView } from "../src/domain/view.ts";
import { shownLine } from "./look.ts";
import { moreMark } from "./words.ts";

const skipWords = "⏭ Skip";
const goAheadWords = "👍 Go ahead";
const skipItWords = "⏭️ Skip it";
const skipTonightWords = `${skipItWords}, ask me tomorrow`;

/** `complete`: every option has one. */
export type Buttons = { readonly list: readonly Button[]; readonly complete: boolean };

const noButtons: Buttons = { list: [], complete: false };

/** Does every option, or every action of the night, have a button of its own? */
export function areComplete(view: AskedView, row: Capabilities): boolean {
  if (!view.answerable || row.buttons === "none") return false;
  const { max } = row.buttons;
  if (view.type === "question") return view.options.length <= max;
  return max >= (view.type === "consent" ? 2 : 1);
}

/**
 * One for each option, then *Skip* while there is room. Where not all options fit: the recommended one, the next ones,
 * and *More* for the rest. At night two actions, or *Skip* alone.
 */
export function buttonsFor(view: AskedView, row: Capabilities): Buttons {
  if (!view.answerable || row.buttons === "none") return noButtons;
  const { max, label } = row.buttons;
  if (view.type !== "question") return nightButtons(view, row, label);
  const { id, options } = view;
  const button = (option: Option): Button => optionButton(option, id, label);
  if (areComplete(view, row)) {
    const list = options.map(button);
    return { list: options.length < max ? [...list, skipButton(id)] : list, complete: true };
  }
  const shown = shownOf(options, max);
  const more: Button = {
    label: `${moreMark} More`,
    question: id,
    action: { verb: "more" },
    primary: false,
  };
  return { list: [...shown.map(button), more].slice(0, max), complete: false };
}

function skipButton(question: QuestionId): Button {
  return { label: skipWords, question, action: { verb: "skip" }, primary: false };
}

/** Beside *More*: the recommended option and the next ones. */
function shownOf(options: readonly Option[], max: number): readonly Option[] {
  const recommended = options.find((option) => option.recommended === true);
  const others = options.filter((option) => option !== recommended).slice(0, max - (recommended ? 2 : 1));
  return options.filter((option) => option === recommended || others.includes(option));
}

function optionButton(option: Option, question: QuestionId, most: number): Button {
  return {
    label: labelOf(option, most),
    question,
    action: { key: option.key },
    primary: option.recommended === true,
  };
}

/**
 * Of the options that have no button on the question's own message, those of one more message: its `part`, from 0. The last
 * one has *Skip*, too, while there is room.
 */
export function restOf(
  view: AskedView,
  row: Capabilities,
  part: number,
): { readonly options: readonly Option[]; readonly list: readonly Button[] } {
  if (view.type !== "question" || !view.answerable || row.buttons === "none")
    return { options: [], list: [] };
  const { max, label } = row.buttons;
  const shown = areComplete(view, row) ? [] : shownOf(view.options, max);
  const rest = view.options.filter((option) => !shown.includes(option));
  const options = rest.slice(part * max, (part + 1) * max);
  const list = options.map((option) => optionButton(option, view.id, label));
  const hasRoom = options.length > 0 && options.length < max;
  return { options, list: hasRoom ? [...list, skipButton(view.id)] : list };
}

/** Both actions or none: one of them alone would push. */
function nightButtons(view: NightView, row: Capabilities, most: number): Buttons {
  if (!areComplete(view, row)) return noButtons;
  const button = (verb: "go" | "skip", label: string): Button => ({
    label,
    question: view.id,
    action: { verb },
    primary: verb === "go",
  });
  if (view.type === "held") return { list: [button("skip", skipWords)], complete: true };
  const skip = view.again && skipTonightWords.length <= most ? skipTonightWords : skipItWords;
  return { list: [button("go", goAheadWords), button("skip", skip)], complete: true };
}

/** A label that is longer than the budget stands in the text alone: half a label can mislead. */
function labelOf(option: Option, most: number): string {
  const words = `${option.key} · ${shownLine(option.label)}`;
  // Platforms say "characters"; UTF-16 units are the safe reading.
  if (words.length <= most) return words;
  const short = `${option.key} · recommended`;
  return option.recommended === true && short.length <= most ? short : option.key;
}
