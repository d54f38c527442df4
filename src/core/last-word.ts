import type { Instant } from "../domain/ids.ts";
import { timeWords } from "./wording.ts";

export type LastWordFacts = {
  readonly host: string;
  /** When it is written: the last sign of life, should it ever be read. */
  readonly now: Instant;
  /** IANA. */
  readonly zone: string;
  /** Questions that wait for an answer. */
  readonly open: number;
  /** How long the platform keeps what is pressed meanwhile. */
  readonly pressMs: number | "unlimited";
};

const hourMs = 3_600_000;

/** What is said of a service that nobody has heard from: why may be one thing or another. */
export function lastWordText({ host, now, zone, open, pressMs }: LastWordFacts): string {
  const questions = open === 1 ? "1 question is open" : `${open} questions are open`;
  const kept =
    pressMs === "unlimited"
      ? "What is pressed here meanwhile is kept, and counts when it runs again."
      : pressMs < hourMs
        ? "What is pressed here meanwhile is lost."
        : `What is pressed here meanwhile is kept for ${Math.floor(pressMs / hourMs)} h, and counts when it runs again.`;
  return [
    `Not heard from since ${timeWords(now, zone, now)}: owlpost on ${host} does not run, or has no line. ${questions}.`,
    kept,
    "On the machine: owlpost serve.",
  ].join("\n");
}
