/**
 * Blocks that programs keep inside a task's Context: whole lines between an opening and a closing line. Findings, delegation
 * history and the board's own notes are taken out before a spec is judged or hashed; the confirmation log is the issuer's
 * word and stays.
 */
type Kind = {
  readonly open: RegExp;
  readonly opening: string;
  readonly closing: string;
  readonly stripped: boolean;
};

const findings: Kind = {
  open: /^--- Quality Review Findings hash=[0-9a-f]{8} @\S+ ---$/,
  opening: "",
  closing: "--- End Quality Review Findings ---",
  stripped: true,
};
const confirmations = named("Waggle Confirmation Log", false);
const delegations = named("Waggle Delegation History", true);
const notes = named("Owlpost Board Notes", true);
const kinds: readonly Kind[] = [findings, confirmations, delegations, notes];

function named(name: string, stripped: boolean): Kind {
  const opening = `--- ${name} ---`;
  return { open: new RegExp(`^${opening}$`), opening, closing: `--- End ${name} ---`, stripped };
}

/** Places of lines: the opening one and the closing one. */
type Block = { readonly kind: Kind; readonly from: number; readonly to: number };

function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

/** Complete blocks in their order. An opening line without its closing one, before the next opening, begins none. */
function blocksIn(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (const kind of kinds) {
    let from: number | undefined;
    for (const [at, line] of lines.entries()) {
      if (kind.open.test(line)) from = at;
      else if (line === kind.closing && from !== undefined) {
        blocks.push({ kind, from, to: at });
        from = undefined;
      }
    }
  }
  return blocks.sort((a, b) => a.from - b.from);
}

/** The Context that a reviewer reads and that the hash covers: LF line ends, stripped blocks gone with their line ends. */
export function reviewerContext(context: string): string {
  // Nearly every Context holds none.
  if (!context.includes("--- ")) return context.replace(/\r\n?/g, "\n");
  const lines = linesOf(context);
  const gone = new Set<number>();
  for (const { kind, from, to } of blocksIn(lines)) {
    if (!kind.stripped) continue;
    for (let at = from; at <= to; at += 1) gone.add(at);
  }
  if (gone.size === 0) return lines.join("\n");
  const last = lines.length - 1;
  const kept = lines.flatMap((line, at) => (gone.has(at) ? [] : at < last ? [`${line}\n`] : [line]));
  return kept.join("");
}

/**
 * Does the change write what programs keep in a Context: a block that was not there, another text in one, a confirmation
 * that is gone? Whoever may not do that may move blocks, and leave out those that are stripped.
 */
export function writesBlocks(before: string, after: string): boolean {
  if (before === after) return false;
  const left = piecesIn(before);
  for (const piece of piecesIn(after)) {
    const at = left.indexOf(piece);
    if (at < 0) return true;
    left.splice(at, 1);
  }
  return left.some((piece) => piece.startsWith(confirmations.opening));
}

/** Whole blocks as text, and the lines that would begin or end one. */
function piecesIn(context: string): string[] {
  const lines = linesOf(context);
  const blocks = blocksIn(lines);
  const isWithin = (at: number): boolean => blocks.some(({ from, to }) => at >= from && at <= to);
  const stray = lines.filter(
    (line, at) => !isWithin(at) && kinds.some(({ open, closing }) => open.test(line) || line === closing),
  );
  return [...blocks.map(({ from, to }) => lines.slice(from, to + 1).join("\n")), ...stray];
}

export type Findings = {
  readonly hash: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly gaps: readonly string[];
  readonly fixes: readonly string[];
};

/** Characters of a findings block at most; fixes are dropped before gaps. */
const longestBlock = 1_500;

/** Puts the findings in the place of earlier ones, else at the end. */
export function putFindings(context: string, found: Findings): string {
  const gaps = found.gaps.map(oneItem);
  const fixes = found.fixes.map(oneItem);
  const text = (): string[] => [
    `--- Quality Review Findings hash=${found.hash} @${found.at} ---`,
    ...(gaps.length > 0 ? ["Gaps:", ...gaps] : []),
    ...(fixes.length > 0 ? ["Suggested fixes:", ...fixes] : []),
    findings.closing,
  ];
  while (text().join("\n").length > longestBlock && gaps.length + fixes.length > 1) {
    if (fixes.length > 0) fixes.pop();
    else gaps.pop();
  }
  if (text().join("\n").length > longestBlock) {
    const only = gaps.length > 0 ? gaps : fixes;
    only[0] = `${(only[0] ?? "").slice(0, longestBlock - 200).trimEnd()} …`;
  }
  const lines = context.split("\n");
  const [first, ...others] = findingsIn(lines);
  if (!first) return appended(context, text());
  return withoutRanges(lines, [first, ...others], text()).join("\n");
}

/** Takes the findings away, complete or not. */
export function dropFindings(context: string): string {
  const lines = context.split("\n");
  return withoutRanges(lines, findingsIn(lines), []).join("\n");
}

/** The findings that the Context holds, stale or not. */
export function readFindings(context: string): Findings | undefined {
  const lines = linesOf(context);
  const block = blocksIn(lines).find(({ kind }) => kind === findings);
  if (!block) return undefined;
  const opening = /hash=([0-9a-f]{8}) @(\S+) ---$/.exec(lines[block.from] ?? "");
  const gaps: string[] = [];
  const fixes: string[] = [];
  let list = gaps;
  for (const line of lines.slice(block.from + 1, block.to)) {
    if (line === "Gaps:") list = gaps;
    else if (line === "Suggested fixes:") list = fixes;
    else if (line.startsWith("- ")) list.push(line.slice(2));
  }
  return { hash: opening?.[1] ?? "", at: opening?.[2] ?? "", gaps, fixes };
}

/** One more line of the issuer's own: the hash changes with it. */
export function addConfirmation(context: string, line: string, who: string, at: string): string {
  return added(context, confirmations, `- ${oneText(line)} — confirmed by ${oneText(who)} @${at}`);
}

/** @param on a date, `2026-08-20` */
export function addDelegation(context: string, from: string, to: string, on: string): string {
  return added(context, delegations, `- Delegated from @${oneText(from)} to @${oneText(to)} on ${on}`);
}

/** What the board did by itself; the judgment on the task is not touched by it. */
export function addBoardNote(context: string, note: string, at: string): string {
  return added(context, notes, `- [Auto] ${oneText(note)} @${at}`);
}

/** A line in the first block of that kind, which is made at the end where there is none. */
function added(context: string, kind: Kind, line: string): string {
  const lines = context.split("\n");
  const block = blocksIn(lines.map(bare)).find((each) => each.kind === kind);
  if (!block) return appended(context, [kind.opening, line, kind.closing]);
  const end = lines[block.to]?.endsWith("\r") ? "\r" : "";
  return [...lines.slice(0, block.to), line + end, ...lines.slice(block.to)].join("\n");
}

function appended(context: string, lines: readonly string[]): string {
  const gap = context === "" || context.endsWith("\n") ? "" : "\n";
  return `${context}${gap}${lines.join("\n")}`;
}

type Range = Pick<Block, "from" | "to">;

/**
 * Where findings stand. Of an unterminated block, what still looks like one belongs to it: the two headings and the items.
 */
function findingsIn(lines: readonly string[]): Range[] {
  const plain = lines.map(bare);
  const whole = blocksIn(plain).filter(({ kind }) => kind === findings);
  if (whole.length > 0) return whole;
  const from = plain.findIndex((line) => findings.open.test(line));
  if (from < 0) return [];
  let to = from;
  while (/^(?:Gaps:|Suggested fixes:|- .*)$/.test(plain[to + 1] ?? "")) to += 1;
  return [{ from, to }];
}

/** The lines without those ranges; `instead` stands in the place of the first. */
function withoutRanges(
  lines: readonly string[],
  ranges: readonly Range[],
  instead: readonly string[],
): string[] {
  return lines.flatMap((line, at) => {
    if (at === ranges[0]?.from) return [...instead];
    return ranges.some(({ from, to }) => at >= from && at <= to) ? [] : [line];
  });
}

function bare(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function oneItem(text: string): string {
  return `- ${oneText(text)}`;
}

function oneText(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
