import { specHash } from "../../src/core/board/verdict.ts";
import type { TaskFields } from "../../src/domain/task.ts";

/** A spec that satisfies every structural check for Ready. */
export const wholeSpec = {
  title: "Add login page",
  description: "Build the login page with the existing form kit, and keep the old URL working.",
  acceptanceCriteria: "- the suite passes",
  executionPlan: "1. write it\n2. run the suite",
  executor: "human",
  assignee: [{ id: "eric", name: "eric" }],
} as const satisfies Partial<TaskFields>;

export function passFor(spec: Partial<TaskFields>): string {
  return `PASS hash=${specHash(spec)} @2026-07-06T20:00:00Z v2`;
}

/** A task that may be begun. */
export const readyTask = {
  ...wholeSpec,
  board: "default",
  status: "Ready",
  qualityVerdict: passFor(wholeSpec),
} as const;
