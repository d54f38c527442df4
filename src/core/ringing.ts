import type { Capabilities } from "../domain/capabilities.ts";
import type { Instant } from "../domain/ids.ts";
import type { StoredQuestion } from "../domain/question.ts";
import type { Job } from "../domain/store.ts";
import { formAt, type NightRules } from "./night.ts";
import { isNight } from "./quiet-hours.ts";

/** `aloud`: as it is; `silent`: without ringing; `later`: in the morning. */
export type Loudness = "aloud" | "silent" | "later";

export type Quietness = {
  readonly rules: NightRules | undefined;
  readonly now: Instant;
  /** Can the channel send without ringing? */
  readonly quiet: Capabilities["quiet"];
};

/**
 * How a new message may come: in quiet hours only a consent question and the receipt of one's own reply may ring, and a held
 * question does not go out. (An edit rings never.)
 */
export function loudnessOf(
  job: Pick<Job, "kind" | "notice">,
  stored: StoredQuestion | undefined,
  { rules, now, quiet }: Quietness,
): Loudness {
  // A hint may answer anybody at all.
  const isReceipt = job.kind === "receipt" && job.notice?.kind !== "hint";
  if (!rules || !isNight(rules.hours, now) || isReceipt) return "aloud";
  if (job.kind === "post" && stored)
    return formAt(stored.question, rules, now) === "consent" ? "aloud" : "later";
  return quiet === "flag" ? "silent" : "later";
}
