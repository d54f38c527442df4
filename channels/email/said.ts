import { delimiter } from "./delimiter.ts";
import { quoteStart } from "./quote.ts";
import { advertisements, forwardLines } from "./tongues.ts";

/** What somebody wrote, without what their mail program put around it. */
export type Written = {
  /** The first line of their own; empty where there is none. */
  readonly line: string;
  /** Everything else, with what they quoted by hand. */
  readonly comment: string;
  /** It passes on somebody else's mail. */
  readonly forwarded: boolean;
};

const mostUnits = 128 * 1024;
const mostLines = 5_000;
/** UTF-16 units of what is kept. */
const mostLineUnits = 8_000;
const mostCommentUnits = 16_000;

/** Reads the text of a mail; linear in its length, and of a very long one only the beginning. */
export function writtenIn(text: string, ours: string): Written {
  const lines = text.slice(0, mostUnits).split(/\r\n|[\n\r\u2028\u2029]/, mostLines);
  const cut = lines.findIndex((line) => bare(line) === delimiter);
  const above = cut < 0 ? lines : lines.slice(0, cut);
  const start = quoteStart(above, { ours, atEnd: cut >= 0 });
  const quoted = above.slice(start);
  const own = withoutSignature(above.slice(0, start));
  const at = own.findIndex((line) => isOwn(line));
  const first = own[at] ?? "";
  const rest = at < 0 ? [] : [...own.slice(0, at), ...own.slice(at + 1)];
  return {
    line: clipped(bare(first), mostLineUnits),
    comment: clipped(trimmedLines(rest).join("\n"), mostCommentUnits),
    forwarded: [...own, ...quoted].some((line) => line.length < 200 && forwardLines.test(line)),
  };
}

/** Without quote marks, blanks and U+FEFF around it. */
export function bare(line: string): string {
  return line.replace(/^[>\s]+/u, "").trimEnd();
}

/** Neither blank nor quoted. */
function isOwn(line: string): boolean {
  const text = line.trimStart();
  return text !== "" && !text.startsWith(">");
}

/** Up to the line that begins a signature, and without the advertisement of a mail program. */
function withoutSignature(lines: readonly string[]): readonly string[] {
  const signed = lines.findIndex((line) => /^--\s?$/.test(line.replace(/\u00a0/g, " ")));
  const kept = [...(signed < 0 ? lines : lines.slice(0, signed))];
  const drop = (isDropped: (line: string) => boolean): void => {
    while (kept.length > 0 && isDropped(kept.at(-1) ?? "")) kept.pop();
  };
  const isBlank = (line: string): boolean => bare(line) === "";
  drop(isBlank);
  // What an advertisement stands under is blank, or it is the end of somebody's sentence.
  while (isAdvertisement(bare(kept.at(-1) ?? "")) && (kept.length === 1 || isBlank(kept.at(-2) ?? ""))) {
    kept.pop();
    drop(isBlank);
  }
  return kept;
}

function isAdvertisement(line: string): boolean {
  return line.length < 200 && advertisements.some((words) => words.test(line));
}

function trimmedLines(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.trim() !== "");
  const to = lines.findLastIndex((line) => line.trim() !== "");
  return from < 0 ? [] : lines.slice(from, to + 1).map((line) => line.trimEnd());
}

function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
