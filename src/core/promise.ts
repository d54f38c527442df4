import { closedFences, type Span } from "./promise/fences.ts";
import { madeUp } from "./promise/made-up.ts";

/** What the output of an agent says at its end. */
export type Promised =
  | { readonly word: null }
  | { readonly word: "DONE" }
  | {
      readonly word: "DECIDE" | "BLOCKED";
      /** What stands behind the colon; absent where nothing does. */
      readonly text?: string;
      /** What is to be asked, in order. */
      readonly posed: readonly Posed[];
      /** The output before all that: the log. */
      readonly before: string;
    };

export type Posed = {
  /** A question's document without what only the engine knows: no task, no facts. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Its options are made up by owlpost. */
  readonly lowFidelity: boolean;
  /** The part of the promise's text that it was made of. */
  readonly text?: string;
  /** Fields of the agent's block that it may not say. */
  readonly dropped: readonly string[];
};

/** What an agent may not say in its block, beside the engine's fields, which the contract drops: the asker names these. */
const ownFields: ReadonlySet<string> = new Set("id task spec project low_fidelity source again".split(" "));

/** Questions that one promise may ask; more than anybody answers at once. */
const mostPosed = 9;

/**
 * Reads what an agent printed: the last complete `<promise>` outside fenced code counts, with the `<question>` before it
 * that no other promise claims. Pure, total, linear but for a few tries at the end of a block.
 *
 * @param output what it printed, without what moves a terminal's cursor
 * @param task what the question is about, named in what owlpost makes up
 */
export function readPromise(output: string, task: string): Promised {
  const fences = closedFences(output);
  const promises = blocksOf(output, "promise", fences)
    .map(({ start, end, body }) => ({ start, end, said: said(body) }))
    .filter((each) => each.said !== undefined);
  const last = promises.at(-1);
  if (!last?.said) return { word: null };
  const { word, words } = last.said;
  if (word === "DONE") return { word };
  const after = promises.at(-2)?.end ?? 0;
  const block = questionIn(output, { start: after, end: last.start }, fences);
  const kind = word === "BLOCKED" ? "blocked" : "decide";
  const promised = { word, ...(words === "" ? {} : { text: words }) };
  if (block) {
    return { ...promised, posed: [asked(block.document, kind)], before: output.slice(0, block.start) };
  }
  const each = word === "DECIDE" ? parts(words) : [words];
  const posed = each.map(
    (one): Posed => ({
      document: madeUp(kind, one, task),
      lowFidelity: true,
      dropped: [],
      ...(one === "" ? {} : { text: one }),
    }),
  );
  return { ...promised, posed, before: output.slice(0, last.start) };
}

function said(
  body: string,
): { readonly word: "DONE" | "DECIDE" | "BLOCKED"; readonly words: string } | undefined {
  const [, word, words = ""] = /^\s*(DONE|DECIDE|BLOCKED)(?::([\s\S]*))?$/.exec(body.trimEnd()) ?? [];
  if (word === undefined) return undefined;
  return { word: word as "DONE" | "DECIDE" | "BLOCKED", words: words.trim() };
}

/** `a?|b?` asks each; a `|` behind anything but a question mark is text. */
function parts(words: string): readonly string[] {
  const found = words
    .split(/(?<=[?？])\s*\|/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (found.length <= 1) return [words];
  const rest = found.slice(mostPosed - 1).join(" | ");
  return [...found.slice(0, mostPosed - 1), ...(rest === "" ? [] : [rest])];
}

type Block = Span & { readonly body: string };

/** Complete blocks of a tag whose ends stand outside fenced code: each closing tag with the nearest opening one before it. */
function blocksOf(text: string, tag: string, fences: readonly Span[]): Block[] {
  const blocks: Block[] = [];
  let open: number | undefined;
  for (const { 0: found, index } of text.matchAll(new RegExp(`</?${tag}>`, "g"))) {
    if (isInside(index, fences)) continue;
    if (found === `<${tag}>`) open = index;
    else if (open !== undefined) {
      blocks.push({
        start: open,
        end: index + found.length,
        body: text.slice(open + found.length - 1, index),
      });
      open = undefined;
    }
  }
  return blocks;
}

/** Fences come in order, and a text may hold thousands. */
function isInside(place: number, fences: readonly Span[]): boolean {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const fence = fences[middle] as Span;
    if (place < fence.start) high = middle;
    else if (place >= fence.end) low = middle + 1;
    else return true;
  }
  return false;
}

/** Where a JSON text itself holds one of the tags, the block begins further up or ends further down; so often it is tried. */
const mostTries = 8;

/** The last block between the two promises, and what it says; undefined where there is none that can be read. */
function questionIn(
  text: string,
  within: Span,
  fences: readonly Span[],
): { readonly start: number; readonly document: Readonly<Record<string, unknown>> } | undefined {
  const tags = [...text.slice(within.start, within.end).matchAll(/<\/?question>/g)]
    .map(({ 0: found, index }) => ({ opens: found === "<question>", at: within.start + index, found }))
    .filter(({ at }) => !isInside(at, fences));
  const last = tags.findLastIndex(({ opens }, at) => opens && tags[at + 1]?.opens === false);
  const ends = last < 0 ? [] : tags.slice(last + 1, last + 1 + mostTries).filter(({ opens }) => !opens);
  // An opening tag further up begins the block only where the one below stands in its JSON.
  const starts = tags.slice(0, last + 1).filter(({ opens }) => opens);
  for (const open of starts.slice(-mostTries).reverse()) {
    for (const { at } of ends) {
      const document = readJson(text.slice(open.at + open.found.length, at));
      if (document) return { start: open.at, document };
    }
  }
  return undefined;
}

function readJson(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(unfenced(body.trim()));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function unfenced(body: string): string {
  const fence = /^(?:`{3,}|~{3,})/.exec(body)?.[0];
  const first = body.indexOf("\n");
  if (fence === undefined || first < 0 || !body.endsWith(fence)) return body;
  return body.slice(first + 1, -fence.length);
}

function asked(block: Readonly<Record<string, unknown>>, kind: string): Posed {
  const kept = Object.entries(block).filter(([name]) => !ownFields.has(name));
  return {
    document: { kind, ...Object.fromEntries(kept) },
    lowFidelity: false,
    dropped: Object.keys(block).filter((name) => ownFields.has(name)),
  };
}
