import type { Asked, ChannelStatus, StatusReport, Taken } from "../app/api.ts";
import type { Ack } from "../domain/command.ts";
import type { Event } from "../domain/event.ts";
import type { Instant } from "../domain/ids.ts";
import { type Copy, isOpen, type StoredQuestion } from "../domain/question.ts";

/** The JSON that commands print: snake_case keys, instants as ISO UTC strings. Undefined fields vanish. */
export type Shape = Readonly<Record<string, unknown>>;

export function iso(at: Instant | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

export function askedShape(asked: Asked): Shape {
  return {
    id: asked.id,
    task: asked.task,
    project: asked.project,
    state: asked.state,
    digest: asked.digest,
    deadline: iso(asked.deadlineAt),
    channels: asked.channels,
    held_until: iso(asked.heldUntilAt),
    default_changed: asked.defaultChanged,
    repeated: asked.repeated,
    redacted: asked.redacted,
    dropped: asked.dropped,
  };
}

export function takenShape(taken: Taken): Shape {
  const { at, steeringFile, ...rest } = taken;
  return { ...rest, at: iso(at), steering_file: steeringFile };
}

export function ackShape(ack: Ack): Shape {
  return ack.accepted
    ? { accepted: true, state: ack.state, ack: ack.text, repeated: ack.repeated }
    : { accepted: false, reason: ack.reason, state: ack.state, ack: ack.text };
}

export function eventShape(event: Event): Shape {
  return { ...event, at: iso(event.at) };
}

/** Where a copy stands: `shown` is false while a newer state is still on its way to it. */
export function copyShape(copy: Copy, stored: StoredQuestion): Shape {
  return {
    channel: copy.channel,
    destination: copy.destination,
    posted_at: iso(copy.postedAt),
    shown: isCurrent(copy, stored),
  };
}

/** Posting raises the revision too, so the copy that was posted first is one behind and shows the same. */
export function isCurrent(copy: Copy, stored: StoredQuestion): boolean {
  return isOpen(stored.state) || copy.revision >= stored.revision;
}

export function channelShape(channel: ChannelStatus): Shape {
  return {
    id: channel.channel,
    up: channel.up,
    rings: channel.rings,
    // Zero stands for a channel that was never opened.
    since: channel.since > 0 ? iso(channel.since) : null,
    last_receive_at: iso(channel.lastReceiveAt) ?? null,
    detail: channel.detail ?? "",
    ...(channel.refused === undefined
      ? {}
      : { refused: channel.refused.map((each) => ({ ...each, since: iso(each.since) })) }),
  };
}

/** The window, and when it begins or ends next; `null` where there are no quiet hours. */
export function quietShape({ quietHours }: StatusReport["wake"]): Shape | null {
  if (!quietHours) return null;
  const { window, zone, inside, changeAt } = quietHours;
  return { window, zone, inside, ...(inside ? { until: iso(changeAt) } : { from: iso(changeAt) }) };
}

/** A question where it stands. The claim's token is its taker's alone and stays out. */
export function questionShape(stored: StoredQuestion): Shape {
  const { question, answer, claim } = stored;
  return {
    id: question.id,
    project: question.project,
    task: question.task,
    run: question.run,
    kind: question.kind,
    title: question.title,
    state: stored.state,
    outcome: stored.outcome,
    asked_at: iso(stored.askedAt),
    deadline: iso(stored.deadlineAt),
    zone: stored.zone,
    default_action: stored.defaultAction,
    held_until: iso(stored.heldUntilAt),
    again: question.again,
    options: question.options,
    answer: answer ? { ...answer, at: iso(answer.at), digest: undefined } : undefined,
    taken: claim
      ? {
          run: claim.run,
          at: iso(claim.takenAt),
          lease_until: iso(claim.leaseUntilAt),
          confirmed_at: iso(claim.confirmedAt),
        }
      : undefined,
    result: stored.result,
    why: stored.why,
    digest: stored.digest,
    revision: stored.revision,
  };
}
