/** A stretch of a text: from its first unit to the one behind its last. */
export type Span = { readonly start: number; readonly end: number };

/**
 * Fenced code as Markdown has it, of backticks or tildes, in order. One that is never closed is none, and what stands in it
 * is looked at as if its opening line were text.
 */
export function closedFences(text: string): readonly Span[] {
  const lines = fenceLines(text);
  const fences: Span[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const open = lines[index] as FenceLine;
    if (!open.mayOpen) continue;
    const close = closing(lines, index);
    if (close === undefined) continue;
    fences.push({ start: open.start, end: (lines[close] as FenceLine).end });
    index = close;
  }
  return fences;
}

type FenceLine = Span & {
  readonly mark: string;
  readonly length: number;
  readonly mayOpen: boolean;
  readonly mayClose: boolean;
};

function fenceLines(text: string): readonly FenceLine[] {
  const lines: FenceLine[] = [];
  for (const { 0: line, 1: run = "", 2: rest = "", index } of text.matchAll(
    /^ {0,3}(`{3,}|~{3,})([^\r\n]*)/gm,
  )) {
    const mark = run.charAt(0);
    lines.push({
      start: index,
      end: index + line.length,
      mark,
      length: run.length,
      // Three backticks and more of them on the same line are code within that line.
      mayOpen: mark === "~" || !rest.includes("`"),
      mayClose: rest.trim() === "",
    });
  }
  return lines;
}

/** How far a closing line is looked for; beyond that a text of nothing but opening lines would cost its square. */
const mostLooked = 2_000;

function closing(lines: readonly FenceLine[], open: number): number | undefined {
  const { mark, length } = lines[open] as FenceLine;
  const end = Math.min(lines.length, open + mostLooked);
  for (let index = open + 1; index < end; index += 1) {
    const line = lines[index] as FenceLine;
    if (line.mayClose && line.mark === mark && line.length >= length) return index;
  }
  return undefined;
}
