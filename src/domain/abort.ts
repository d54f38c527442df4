import type { Sender } from "./command.ts";
import type { Instant, RunId } from "./ids.ts";
import type { ClaimRecord } from "./question.ts";

/** An order to stop a run, on its way to the loop; one for each project in which the run has asked something. */
export type NewAbort = {
  readonly run: RunId;
  readonly project: string;
  readonly sender: Sender;
  readonly at: Instant;
};

/** It waits until a take of the loop is confirmed: a claim that is not confirmed in time leaves it free again. */
export type Abort = NewAbort & { readonly id: number; readonly claim?: ClaimRecord };
