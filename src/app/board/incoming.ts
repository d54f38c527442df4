/** One document of what comes in, with the line on which it stands; `undefined` where there is none. */
export type Numbered = { readonly line: number; readonly value: unknown; readonly wrong?: string };

/** A document for all of it is read whole, up to this size. */
const mostWholeBytes = 256 * 1024 * 1024;
/** The longest task is shorter. */
const mostLineBytes = 16 * 1024 * 1024;

export type Incoming =
  | { readonly kind: "lines"; readonly documents: AsyncIterable<Numbered> }
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "unreadable"; readonly why: string };

type Line = { readonly line: number; readonly bytes: Buffer; readonly cut: boolean };

/**
 * What a stream of bytes holds: a document a line, of which one is in memory at a time however many there are, or one for
 * all of them.
 */
export async function readIncoming(chunks: AsyncIterable<Uint8Array>): Promise<Incoming> {
  const lines = linesIn(chunks)[Symbol.asyncIterator]();
  const first = (await lines.next()).value as Line | undefined;
  if (!first) return { kind: "whole", text: "" };
  const { value } = documentOf(first);
  const isTask =
    typeof value === "object" && value !== null && !Array.isArray(value) && !("results" in value);
  if (isTask) return { kind: "lines", documents: documents(first, lines) };
  const parts = [first.bytes];
  let bytes = first.bytes.length;
  let isTooLarge = first.cut;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const { line, bytes: part, cut } = next.value;
    // Blank lines are left out, and the numbers of the others stay.
    for (let at = parts.length; at < line - 1; at += 1) parts.push(Buffer.alloc(0));
    parts.push(part);
    bytes += part.length + 1;
    isTooLarge ||= cut || bytes > mostWholeBytes;
    if (isTooLarge) break;
  }
  if (isTooLarge) return { kind: "unreadable", why: "is larger than 256 MiB: split it at a line's end" };
  const text = decoded(Buffer.concat(parts.flatMap((part) => [part, newLine])));
  return text === undefined
    ? { kind: "unreadable", why: "is not UTF-8 text: save it as UTF-8" }
    : { kind: "whole", text };
}

const newLine = Buffer.from("\n");

async function* documents(first: Line, lines: AsyncIterator<Line>): AsyncGenerator<Numbered> {
  yield documentOf(first);
  for (let next = await lines.next(); !next.done; next = await lines.next()) yield documentOf(next.value);
}

function documentOf({ line, bytes, cut }: Line): Numbered {
  const wrong = (why: string): Numbered => ({ line, value: undefined, wrong: why });
  if (cut) return wrong("is longer than 16 MiB");
  const text = decoded(bytes);
  return text === undefined ? wrong("is not UTF-8 text") : { line, value: parsed(text) };
}

/** Lines that are not blank, without their ends. Of one that is too long, only the beginning is kept; the first may be all there is. */
async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  let isFirst = true;
  const add = (part: Uint8Array): void => {
    const left = (isFirst ? mostWholeBytes : mostLineBytes) - length;
    if (left > 0) parts.push(part.subarray(0, left));
    length += part.length;
  };
  const ended = (): Line | undefined => {
    const bytes = Buffer.concat(parts);
    const cut = length > bytes.length;
    parts = [];
    length = 0;
    const isBlank = bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
    return isBlank ? undefined : { line, bytes, cut };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      from = at + 1;
      const found = ended();
      if (found) {
        yield found;
        isFirst = false;
      }
      line += 1;
    }
    add(chunk.subarray(from));
  }
  const last = ended();
  if (last) yield last;
}

/** One document a line, or one for all of them. */
export function documentsIn(text: string): readonly Numbered[] {
  const whole = parsed(text.startsWith("\uFEFF") ? text.slice(1) : text);
  const list = Array.isArray(whole)
    ? whole
    : typeof whole === "object" && whole !== null && "results" in whole && Array.isArray(whole.results)
      ? whole.results
      : undefined;
  if (list) return list.map((value: unknown, at) => ({ line: at + 1, value }));
  return text
    .split(/\r?\n/)
    .map((line, at) => ({ line: at + 1, text: line.trim() }))
    .filter((each) => each.text !== "")
    .map((each) => ({ line: each.line, value: parsed(each.text) }));
}

/** Without a mark of byte order; undefined where it is no UTF-8. */
function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
