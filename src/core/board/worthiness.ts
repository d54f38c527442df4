import type { TaskFields } from "../../domain/task.ts";

/** What a classifier says of something that came in. Advice only: nothing is thrown away because of it. */
export const worthinessVerdicts = ["task", "calendar-like", "info-only"] as const;
export type Worthiness = (typeof worthinessVerdicts)[number];

/** What the person says, who has the last word. */
export const worthinessChoices = ["create", "note", "discard"] as const;
export type WorthinessChoice = (typeof worthinessChoices)[number];

export type Intake = {
  /** Does it become a task? */
  readonly create: boolean;
  /** Does it become a note? */
  readonly note: boolean;
  readonly tags: readonly string[];
};

/** Nobody has spoken yet: what looks like a task becomes one, everything else waits for a person. */
export function takeIn(
  advice: Worthiness,
  choice: WorthinessChoice | undefined,
  tags: readonly string[] = [],
): Intake | undefined {
  if (choice === undefined && advice !== "task") return undefined;
  if (choice === "note") return { create: false, note: true, tags };
  if (choice === "discard") return { create: false, note: false, tags };
  const tag = worthinessTag(advice);
  return { create: true, note: false, tags: tag === undefined || tags.includes(tag) ? tags : [...tags, tag] };
}

export function worthinessTag(advice: Worthiness): string | undefined {
  return advice === "task" ? undefined : `worthiness:${advice}`;
}

/** A person made it a task although it looked like none: nobody reviews whether it says enough. */
export function isExemptFromReview({ tags }: Pick<TaskFields, "tags">): boolean {
  return tags.includes("worthiness:calendar-like") || tags.includes("worthiness:info-only");
}
