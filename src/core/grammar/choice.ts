import { keyChoice } from "../wording.ts";
import type { Attempt, Known } from "./reading.ts";
import { foldShort } from "./scan.ts";

/** What a text chooses of one question. */
export type Choice = { readonly key: string; readonly goAhead?: true };

/** Words that mean only what the protocol says, whatever a label is called. */
const agreements = ["yes", "y", "ok", "go", "👍"];
const factKeys = ["yes", "no", "unknown"];

export type Where = {
  /** Is it said to the bot? Then `ok` and `y` count as well. */
  readonly addressed: boolean;
  /** Does the text stand alone, or after an id alone, where any single word is meant as a key? */
  readonly afterId: boolean;
};

/** The option that a folded text chooses, or the key that it names although there is no such option. */
export function choiceIn(said: string, known: Known, where: Where): Choice | undefined {
  const { question, form } = known;
  if (factKeys.includes(said) && question.kind === "fact") {
    const own = keyIn(said, known);
    if (own) return own;
  }
  const agreed = agreementIn(said);
  if (agreed !== undefined && form === "consent") {
    if (!where.addressed && (agreed === "ok" || agreed === "y")) return undefined;
    const recommended = question.options.find((option) => option.recommended === true);
    if (recommended) return { key: recommended.key, goAhead: true };
  }
  const plain = agreed === undefined && !factKeys.includes(said);
  const own = plain ? (keyIn(said, known) ?? labelIn(said, known)) : undefined;
  return own ?? strayKey(said, where.afterId);
}

/** After `/answer` and `/override`: a key or a whole label of the question, or key-shaped text that is neither. */
export function answerIn(text: string, known: Known): Choice | undefined {
  const said = foldShort(text);
  const own = keyIn(said, known) ?? labelIn(said, known);
  return own ?? strayKey(said, false);
}

/** Might a folded text be meant as a choice, for at least one of these questions? */
export function isAttempt(said: string, open: readonly Known[], addressed: boolean): boolean {
  return (
    isKeyShaped(said) ||
    open.some((known) => choiceIn(said, known, { addressed, afterId: false }) !== undefined)
  );
}

export function isKeyShaped(said: string): boolean {
  return strayKey(said, false) !== undefined;
}

/** The exact text to send, so that an attempt that could be meant for several questions is meant for this one. */
export function sayAgain(attempt: Attempt, known: Known, mark: "/" | "!"): string {
  const { id } = known.question;
  if (!("text" in attempt) && !("spelled" in attempt)) return `${mark}${attempt.verb} ${id}`;
  if (attempt.verb === "steer") return `${mark}steer ${id} …`;
  // Before the morning it takes no choice.
  if (known.form === "held") return `${mark}skip ${id}`;
  const spelled = "spelled" in attempt ? attempt.spelled : attempt.text;
  const choice = choiceIn(foldShort(spelled), known, { addressed: true, afterId: false });
  const key = known.question.options.find((option) => option.key === choice?.key)?.key;
  if (known.form === "consent") return `${id} go`;
  if (key !== undefined) return `${id} ${key}`;
  return attempt.verb === "answer"
    ? `${mark}answer ${id} …`
    : `${id} ${keyChoice(known.question.options.map((option) => option.key))}`;
}

/** Some devices add a variation selector or a skin tone to the thumb. */
function agreementIn(said: string): string | undefined {
  return agreements.find((word) => word === said.replace(/^👍[\u{1f3fb}-\u{1f3ff}]?\ufe0f?$/u, "👍"));
}

const spellings = /^(?:([a-z0-9]{1,8})[.)]?|#([a-z0-9]{1,8})|\(([a-z0-9]{1,8})\))$/;
const keycap = /^([0-9])\ufe0f?\u20e3$/;

/** The key that a text spells, of this question or not. */
function spelledKey(said: string): string | undefined {
  const narrow = said.replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));
  const found = keycap.exec(said) ?? spellings.exec(narrow);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

function keyIn(said: string, { question }: Known): Choice | undefined {
  const key = spelledKey(said);
  if (key === undefined || (factKeys.includes(key) && question.kind !== "fact")) return undefined;
  return question.options.some((option) => option.key === key) ? { key } : undefined;
}

function labelIn(said: string, { question }: Known): Choice | undefined {
  if (said === "") return undefined;
  const found = question.options.filter((option) => foldShort(option.label) === said);
  return found[0] && found.length === 1 ? { key: found[0].key } : undefined;
}

/** Key-shaped text: one or two digits or one letter, spelled like a key; after an id alone, any single word. */
function strayKey(said: string, afterId: boolean): Choice | undefined {
  const key = spelledKey(said);
  if (key !== undefined && /^(?:[0-9]{1,2}|[a-z])$/.test(key)) return { key };
  return afterId && said !== "" && !said.includes(" ") ? { key: key ?? said } : undefined;
}
