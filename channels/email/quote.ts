import { attributionEnds, attributionStarts, forwardLines } from "./tongues.ts";

export type QuoteFacts = {
  /** Our own address, which stands in every quote of ours. */
  readonly ours: string;
  /** The lines end where our own mail begins; else a quote may begin anywhere, or nowhere. */
  readonly atEnd: boolean;
};

/** Lines of a header block or of an attribution, at most. */
const mostLines = 14;
/** No program writes longer lines around a quote. */
const mostLineUnits = 500;

/**
 * Where the quote begins at the end of these lines: with the line that says who wrote it, or with a block of headers, and
 * the rule above it. Their number where there is none. Told by structure: our address, a time, a colon at the end.
 */
export function quoteStart(lines: readonly string[], { ours, atEnd }: QuoteFacts): number {
  const address = ours.toLowerCase();
  if (atEnd) {
    const end = lastFull(lines, lines.length);
    return ruleAbove(lines, blockStart(lines, end, address) ?? attributionStart(lines, end, address) ?? end);
  }
  // Where our mail begins is gone, or it was never there: the quote is what stands under an attribution, to the last line.
  const end = lastFull(lines, lines.length);
  const quotedFrom = lines.findLastIndex((line) => !isQuoted(line) && line.trim() !== "") + 1;
  for (let at = 0; at < end; at += 1) {
    if (startsBlock(lines, at, address)) return ruleAbove(lines, at);
  }
  const before = lastFull(lines, quotedFrom);
  const start = attributionStart(lines, before, address) ?? attributionStart(lines, end, address);
  return start === undefined ? lines.length : ruleAbove(lines, start);
}

/** One past the last line before `end` that holds more than quote marks. */
function lastFull(lines: readonly string[], end: number): number {
  let at = end;
  while (at > 0 && text(lines[at - 1]) === "") at -= 1;
  return at;
}

function text(line = ""): string {
  // White space is also U+FEFF here; marks of direction stand around addresses.
  return line
    .replace(/^[>\s]+/u, "")
    .replace(/\p{Cf}/gu, "")
    .trimEnd();
}

function isQuoted(line: string): boolean {
  return /^\s*>/.test(line);
}

/**
 * The attribution that ends at `end`: `On …, … <…> wrote:`, also when it was wrapped. The fewest lines whose first one
 * begins like one; without such a beginning, the fewest that hold our address or a time and end in a colon.
 */
function attributionStart(lines: readonly string[], end: number, address: string): number | undefined {
  const last = text(lines[end - 1]);
  if (!/[:：]$/u.test(last) || last.length > mostLineUnits) return undefined;
  let fallback: number | undefined;
  let joined = "";
  for (let at = end - 1; at >= Math.max(0, end - 5); at -= 1) {
    const line = text(lines[at]);
    if (line === "" || line.length > mostLineUnits) break;
    joined = `${line} ${joined}`;
    if (!tellsOfUs(joined, address)) continue;
    if (attributionStarts.test(line)) return at;
    if (isBalanced(joined)) fallback ??= at;
  }
  return fallback;
}

function tellsOfUs(joined: string, address: string): boolean {
  const folded = joined.toLowerCase().replace(/\s/g, "");
  return folded.includes(address) || clock.test(joined) || attributionEnds.test(joined.trimEnd());
}

const clock = /\d[:.：時时시hH]\s?\d\d/u;

function isBalanced(joined: string): boolean {
  return joined.split("<").length === joined.split(/(?<!-)>/).length;
}

const label = /^[*_]{0,2}\p{L}[\p{L}\p{M} ./'’-]{0,24}[*_]{0,2}\s?[:：]/u;

/** The block of headers that ends at `end`: three or more lines `Name: value`, of which one is about our mail. */
function blockStart(lines: readonly string[], end: number, address: string): number | undefined {
  let found: number | undefined;
  let labels = 0;
  for (let at = end - 1; at >= Math.max(0, end - mostLines); at -= 1) {
    const line = text(lines[at]);
    if (line === "" || line.length > mostLineUnits || isRule(line)) break;
    if (!label.test(line)) continue;
    labels += 1;
    found = at;
  }
  if (found === undefined || labels < 3) return undefined;
  return isAboutUs(lines.slice(found, end), address) ? found : undefined;
}

function startsBlock(lines: readonly string[], at: number, address: string): boolean {
  if (!label.test(text(lines[at]))) return false;
  let end = at;
  while (end < Math.min(lines.length, at + mostLines) && text(lines[end]) !== "") end += 1;
  return blockStart(lines, end, address) === at;
}

function isAboutUs(block: readonly string[], address: string): boolean {
  const joined = block.join("").toLowerCase().replace(/\s/g, "");
  return joined.includes(address) || /\[q-[a-z0-9]/.test(joined);
}

/** `-----Original Message-----`, `________________`, in any language. */
function isRule(line: string): boolean {
  const bare = text(line);
  if (bare.length > 200) return false;
  return /^[-_=*─—]{3,}(?:[^-_=*─—]{1,60}[-_=*─—]{3,})?$/u.test(bare) || forwardLines.test(bare);
}

function ruleAbove(lines: readonly string[], start: number): number {
  const before = lastFull(lines, start);
  return before > 0 && start < lines.length && isRule(lines[before - 1] ?? "") ? before - 1 : start;
}
