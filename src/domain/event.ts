import type { Instant } from "./ids.ts";

/** `noun.what-happened`; each is written in the transaction of the move that it tells of. */
export const eventKinds = [
  "question.asked",
  "question.held",
  "question.released",
  "question.not-asked-again",
  "question.rejected",
  "question.redacted",
  "question.fields-dropped",
  "question.posted",
  "question.post-failed",
  "question.answered",
  "question.overridden",
  "question.expired",
  "question.applied",
  "question.default-applied",
  "question.confirmed",
  "question.lapsed",
  "question.resolved",
  "question.cancelled",
  "question.late-reply",
  "question.digest-mismatch",
  "reply.refused",
  "reply.quarantined",
  "run.aborted",
  "run.abort-taken",
  "run.abort-confirmed",
  "steering.noted",
  "person.paired",
  "person.unpaired",
  "pairing.code-made",
  "pairing.failed",
  "pairing.codes-revoked",
  "notice.queued",
  "notice.failed",
  "task.created",
  "task.edited",
  "task.moved",
  "task.cascaded",
  "task.claimed",
  "task.released",
  "task.lapsed",
  "task.parked",
  "task.freed",
  "task.left-blocked",
  "task.reviewed",
  "task.line-confirmed",
  "task.deleted",
  "task.imported",
  "night.began",
  "night.ended",
  "service.started",
  "service.stopped",
  "channel.away",
  "channel.down",
  "channel.refused",
  "channel.reopened",
  "channel.up",
] as const;
export type EventKind = (typeof eventKinds)[number];

export type Event = {
  /** Rises by one, never reused. */
  readonly seq: number;
  readonly at: Instant;
  readonly kind: EventKind;
  readonly question?: string;
  readonly task?: string;
  readonly project?: string;
  readonly data: Readonly<Record<string, unknown>>;
};

export type NewEvent = Omit<Event, "seq" | "at">;
