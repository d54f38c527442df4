import { isDue, type Store } from "../domain/store.ts";
import { recordCopy } from "./copies.ts";
import { applyEffects } from "./effects.ts";
import type { Commit } from "./group-commit.ts";
import { firstJobs, heads, nextReleaseAt, postponeJob, removeJob, waitUntil } from "./outbox.ts";
import { findQuestion } from "./questions.ts";
import type { Sql } from "./statements.ts";

/** The sender's side of the outbox. */
export function sending(
  sql: Sql,
  commit: Commit,
): Pick<Store, "nextJobs" | "nextJobAt" | "queue" | "sent" | "postpone" | "waitUntil" | "drop"> {
  return {
    nextJobs: async (now, limit) =>
      heads(sql, now)
        .filter((job) => isDue(job, now))
        .sort((a, b) => a.id - b.id)
        .slice(0, limit),

    nextJobAt: async (now = 0) => {
      const waiting = heads(sql, now).map((job) => job.notBeforeAt);
      const release = nextReleaseAt(sql, now);
      if (release !== undefined) waiting.push(release);
      return waiting.length === 0 ? undefined : Math.min(...waiting);
    },

    queue: async (channel, destination, limit) => firstJobs(sql, channel, destination, limit),

    sent: (job, copy, decide, now) =>
      commit(() => {
        const found = job.question && findQuestion(sql, job.question);
        const waited = removeJob(sql, job);
        if (found && copy) recordCopy(sql, found.n, { ...job, ...copy }, now);
        // Gone already: recorded before a fault hid it, or replaced by a newer edit while it travelled.
        if (waited) applyEffects(sql, decide(found ? found.stored : undefined), now);
      }),

    postpone: (job, notBeforeAt) => commit(() => postponeJob(sql, job, notBeforeAt)),

    waitUntil: (job, at) => commit(() => waitUntil(sql, job, at)),

    drop: (job, effects, now) =>
      commit(() => {
        if (removeJob(sql, job)) applyEffects(sql, effects, now);
      }),
  };
}
