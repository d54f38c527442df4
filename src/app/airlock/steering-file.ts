import { AirlockFault, readOwned, refusalWords, writeWhole } from "./files.ts";

/** Far more than people write about one task; a larger file was not made by us. */
const mostSteeringBytes = 64 * 1024 * 1024;

/**
 * Appends one note to a steering file exactly once: a comment line with its mark stands before it. What stands in the
 * file already is kept byte for byte; a code block that somebody left open there is closed first.
 * The caller holds the home's lock.
 *
 * @param mark names the note, e.g. `note 12`
 * @param day `2026-11-30`, for readers; the note itself gives the clock time
 * @returns false when the note was there
 * @throws AirlockFault when a link or a foreign file stands there
 */
export async function appendNote(
  path: string,
  { mark, day, text, mode }: { mark: string; day: string; text: string; mode: number },
): Promise<boolean> {
  const read = await readOwned(path, mostSteeringBytes);
  if (!read.ok && read.reason !== "missing") {
    throw new AirlockFault(read.reason, `${path} is left alone: ${refusalWords[read.reason]}`);
  }
  const before = read.ok ? read.bytes : Buffer.alloc(0);
  const { marks, openFence } = scan(before.toString("utf8"));
  if (marks.has(mark)) return false;
  const lineEnd = before.length > 0 && before[before.length - 1] !== 10 ? "\n" : "";
  const gap = before.length > 0 ? "\n" : "";
  const closing = openFence === undefined ? "" : `${openFence}\n`;
  const added = `${lineEnd}${closing}${gap}<!-- owlpost ${mark}, ${day} -->\n${text}`;
  await writeWhole(path, Buffer.concat([before, Buffer.from(added)]), mode);
  return true;
}

/** Marks that stand outside code blocks, where no text of a person can be, and the fence that is still open at the end. */
function scan(text: string): { marks: Set<string>; openFence: string | undefined } {
  const marks = new Set<string>();
  let openFence: string | undefined;
  for (const line of text.split(/\r\n?|\n/)) {
    const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (openFence === undefined) {
      const mark = /^<!-- owlpost ([a-z]+ [0-9a-f]+), \d{4}-\d\d-\d\d -->$/.exec(line)?.[1];
      if (mark !== undefined) marks.add(mark);
      openFence = fence;
    } else if (fence?.startsWith(openFence) && line.trim() === fence) openFence = undefined;
  }
  return { marks, openFence };
}

/** The local date of an instant, `2026-11-30`. */
export function dayOf(at: number, zone: string): string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return format.format(at);
}
