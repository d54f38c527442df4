import type { VerdictWord } from "../../domain/review.ts";
import type { Task } from "../../domain/task.ts";
import { contentHash } from "../digest.ts";
import { reviewerContext } from "./blocks.ts";

export type VerdictLine = {
  readonly verdict: VerdictWord;
  /** Eight lower-case hex digits. */
  readonly hash: string;
  /** As it is written, not checked. */
  readonly at: string;
  readonly version: number;
};

const line =
  /^(PASS|NEEDS_REFINEMENT|REJECT)\s+hash=([0-9a-f]{8})\s+@(\S+)\s+v([0-9]{1,9})((?:\s+[^\s=]+=\S*)*)\s*$/;

/** Reads a Quality Verdict; undefined where it is malformed. Keys behind the version mean nothing. */
export function parseVerdict(text: string): VerdictLine | undefined {
  const match = line.exec(text);
  if (!match) return undefined;
  const [, verdict, hash, at, version] = match;
  return { verdict: verdict as VerdictWord, hash: hash ?? "", at: at ?? "", version: Number(version) };
}

/** The versions whose meaning is known. */
export function isUsable({ version }: VerdictLine): boolean {
  return version === 1 || version === 2;
}

/**
 * The newest format; an older one is never written.
 *
 * @param at ISO 8601 UTC
 * @param reviewer who judged, as a word without white space; behind the version, where it carries no meaning for programs
 */
export function writeVerdict(verdict: VerdictWord, hash: string, at: string, reviewer?: string): string {
  const by = reviewer === undefined ? "" : ` reviewer=${reviewer.replace(/[\s=]+/g, "-")}`;
  return `${verdict} hash=${hash} @${at} v2${by}`;
}

/** What a reviewer judges; a field that is absent or null is empty. */
export type Spec = {
  readonly [Field in "title" | "description" | "acceptanceCriteria" | "executionPlan" | "context"]?:
    | Task[Field]
    | null
    | undefined;
};

const rubric = "irc-6axis";

/**
 * The text that the hash is taken of. A `|` inside a part is not escaped, as upstream has it. Version 1 has neither
 * context nor rubric.
 */
export function hashInput(spec: Spec, version: 1 | 2): string {
  const parts = [spec.title, spec.description, spec.acceptanceCriteria, spec.executionPlan].map(normalised);
  if (version === 1) return parts.join("|");
  return [...parts, normalised(reviewerContext(spec.context ?? "")), rubric].join("|");
}

/** The first eight hex digits of the SHA-256 of what was judged. */
export function specHash(spec: Spec, version: 1 | 2 = 2): string {
  return contentHash(hashInput(spec, version));
}

function normalised(text: string | null | undefined): string {
  const whole = (text ?? "").replace(/\r\n?/g, "\n");
  let end = whole.length;
  while (end > 0 && whiteSpace.test(whole[end - 1] as string)) end -= 1;
  return whole.slice(0, end);
}

const whiteSpace = /\p{White_Space}/u;

/** What a stored verdict is worth for the text as it stands now. */
export type VerdictStanding =
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  | { readonly kind: "unknown-version"; readonly line: VerdictLine }
  /** The text has changed since. */
  | { readonly kind: "stale"; readonly line: VerdictLine }
  | { readonly kind: "current"; readonly line: VerdictLine };

export function verdictStanding(spec: Spec & { readonly qualityVerdict: string }): VerdictStanding {
  if (spec.qualityVerdict.trim() === "") return { kind: "none" };
  const read = parseVerdict(spec.qualityVerdict);
  if (!read) return { kind: "malformed" };
  if (read.version !== 1 && read.version !== 2) return { kind: "unknown-version", line: read };
  return { kind: specHash(spec, read.version) === read.hash ? "current" : "stale", line: read };
}
