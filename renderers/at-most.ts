import { utf8Bytes } from "../src/domain/bytes.ts";
import type { Capabilities, SizeUnit } from "../src/domain/capabilities.ts";
import type { Question } from "../src/domain/question.ts";
import { openText } from "./open-text.ts";

/**
 * Bounds from above, found without writing anything. They hold in every unit and dialect; `at-most.test.ts` compares them
 * with what is written.
 */

/** Our own words in a whole message: ids, the names of channels, times, tags around parts. */
const ownWords = 1_500;
/** The same in one part. */
const ownPartWords = 900;
/** Around one option: its mark, what recommends it, tags. */
const ownOptionWords = 100;
/** A line of a fact is cut at that many code points, one of output at that many units. */
const mostFact = 162;
const linesOfOutput = 3;
/** No question of at most nine options, within the lengths of the contract, needs as much, whatever is written in it. */
const roomy = 90_000;
/** `⟨U+202E⟩` in the place of one unit, the longest that can become of it. */
const hiddenGrowth = 11;

/**
 * Is there surely room for what is never cut of a question, whatever becomes of it? `false` says nothing: only writing it
 * down can tell.
 */
export function surelyFits(
  question: Pick<Question, "title" | "options" | "facts" | "low_fidelity">,
  row: Capabilities,
): boolean {
  if (row.body.max >= roomy && row.body.partMax === undefined && !row.body.wire) return true;
  const { facts = {}, title, options } = question;
  const growth = growthOf(row);
  const most = (text: string): number => atMost(text, row.body.unit, growth);
  const choices = options.map(
    ({ key, label, consequence }) => 2 * key.length + most(label) + most(consequence),
  );
  const label = Math.max(0, ...options.map((option) => most(option.label)));
  const command = facts.command === undefined ? 0 : mostOfFact(facts.command, most);
  const next = facts.next_task === undefined ? 0 : mostOfFact(facts.next_task, most);
  const output = question.low_fidelity === true ? linesOfOutput * mostFact * (3 + hiddenGrowth) : 0;
  const longest = Math.max(most(title), command, output, next + label, ...choices) + ownPartWords;
  const { max, editMax = max, partMax = longest, wire } = row.body;
  const size =
    choices.reduce((sum, choice) => sum + choice + ownOptionWords, ownWords) +
    most(title) +
    command +
    next +
    label +
    output;
  // No character takes more than twice its bytes as JSON, and no unit more than three bytes.
  const bytes = row.body.unit === "utf8" ? size : size * 3;
  const fitsWire = wire === undefined || bytes * 2 <= wire.maxBytes - wire.restBytes;
  return size <= Math.min(max, editMax) && longest <= partMax && fitsWire;
}

/** What a unit of text in which nothing is hidden may grow by, in any unit: signs that are set apart or escaped. */
function growthOf({ dialect, body }: Capabilities): number {
  if (dialect === "plain" || dialect === "ntfy") return 0;
  return body.counted === "shown" ? 1 : 6;
}

function atMost(text: string, unit: SizeUnit, growth: number): number {
  const size = unit === "utf8" ? utf8Bytes(text) : text.length;
  // What looks like a line of ours goes on after a dot.
  return size + 3 + text.length * (openText.test(text) ? growth : hiddenGrowth);
}

function mostOfFact(fact: unknown, most: (text: string) => number): number {
  const isShort = typeof fact === "string" && fact.length <= mostFact;
  return isShort ? most(fact) : 2 * mostFact * (3 + hiddenGrowth);
}
