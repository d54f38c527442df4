import type { Event } from "../domain/event.ts";
import type { Instant } from "../domain/ids.ts";
import { outcomes, type StoredQuestion } from "../domain/question.ts";
import type {
  AbortedRun,
  Deafness,
  DeliveryFailure,
  LateReply,
  QuarantinedReplies,
  RefusedReplies,
  Said,
  Span,
} from "../domain/report.ts";

/** What stands in events alone. Their data is read with care: an older version may have written it. */

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function instantOf(value: unknown): Instant | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** What somebody said, as an event's data tells it. */
export function saidIn(value: unknown): Said {
  const data = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const [option, text, by, host] = [data.option, data.text, data.by, data.host].map(textOf);
  const outcome = outcomes.find((each) => each === data.outcome);
  return {
    ...(option === undefined ? {} : { option }),
    ...(text === undefined ? {} : { text }),
    ...(by === undefined ? {} : { by }),
    ...(host === undefined ? {} : { host }),
    ...(outcome === undefined ? {} : { outcome }),
    via: textOf(data.via) ?? "unknown",
  };
}

export function lateReplies(
  events: readonly Event[],
  known: ReadonlyMap<string, StoredQuestion>,
): readonly LateReply[] {
  return events.flatMap(({ kind, question, at, data }): LateReply[] => {
    const stored = kind === "question.late-reply" ? known.get(question ?? "") : undefined;
    if (!stored) return [];
    return [{ stored, at, said: saidIn(data) }];
  });
}

/** How many for each reason, the most first. What strangers wrote is not even kept. */
export function refusedReplies(events: readonly Event[]): readonly RefusedReplies[] {
  const counts = new Map<string, number>();
  for (const { kind, data } of events) {
    if (kind !== "reply.refused") continue;
    const reason = textOf(data.reason) ?? "unknown";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

/** How many on each channel and for each reason, the most first. */
export function quarantinedReplies(events: readonly Event[]): readonly QuarantinedReplies[] {
  const found = new Map<string, QuarantinedReplies>();
  for (const { kind, data } of events) {
    if (kind !== "reply.quarantined") continue;
    const channel = textOf(data.channel) ?? "unknown";
    const reason = textOf(data.reason) ?? "unknown";
    const key = JSON.stringify([channel, reason]);
    found.set(key, { channel, reason, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found]
    .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
    .map(([, each]) => each);
}

/** Messages that were given up, gathered by channel, kind of message and reason. */
export function failuresOf(events: readonly Event[]): readonly DeliveryFailure[] {
  const found = new Map<string, DeliveryFailure>();
  for (const { kind, at, data } of events) {
    if (kind !== "question.post-failed" && kind !== "notice.failed") continue;
    const channel = textOf(data.channel) ?? "unknown";
    const message = textOf(data.message) ?? (kind === "notice.failed" ? "notice" : "post");
    const reason = textOf(data.reason) ?? "unknown";
    const key = JSON.stringify([channel, message, reason]);
    const before = found.get(key);
    found.set(key, {
      channel,
      message,
      reason,
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? at,
      lastAt: at,
    });
  }
  return [...found.values()];
}

/** The service itself, when it did not run: then every channel is deaf. */
export const serviceName = "service";

/** A service that starts again in place, such as with a changed configuration, was not away. */
const restartMs = 5_000;

/**
 * When each channel could not be heard, inside `since` to `until`: between `channel.down` and `channel.up`, and for the
 * time that a `channel.away` names. Events before `since` say how it stood then. Channels that were never deaf are left out.
 */
export function deafness(events: readonly Event[], since: Instant, until: Instant): readonly Deafness[] {
  const spans = new Map<string, Span[]>();
  const downSince = new Map<string, Instant>();
  const add = (channel: string, fromAt: Instant, toAt: Instant): void => {
    const inside = { fromAt: Math.max(fromAt, since), toAt: Math.min(toAt, until) };
    if (inside.toAt > inside.fromAt) spans.set(channel, [...(spans.get(channel) ?? []), inside]);
  };
  const down = (channel: string, at: Instant): void => {
    if (!downSince.has(channel)) downSince.set(channel, at);
  };
  const up = (channel: string, at: Instant): void => {
    const fromAt = downSince.get(channel);
    if (fromAt === undefined) return;
    const restarted = channel === serviceName && at < until && at - fromAt < restartMs;
    if (!restarted) add(channel, fromAt, at);
    downSince.delete(channel);
  };
  for (const { kind, at, data } of events) {
    if (at > until) continue;
    const channel = textOf(data.channel) ?? "unknown";
    if (kind === "channel.down") down(channel, at);
    else if (kind === "channel.up") up(channel, at);
    else if (kind === "service.stopped") down(serviceName, at);
    else if (kind === "service.started") up(serviceName, at);
    else if (kind === "channel.away") {
      const [fromAt, toAt] = [instantOf(data.from), instantOf(data.to)];
      if (fromAt !== undefined && toAt !== undefined) add(channel, fromAt, toAt);
    }
  }
  for (const channel of [...downSince.keys()]) up(channel, until);
  return [...spans]
    .map(([channel, each]) => {
      const joined = join(each);
      return {
        channel,
        spans: joined,
        totalMs: joined.reduce((sum, { fromAt, toAt }) => sum + toAt - fromAt, 0),
      };
    })
    .sort((a, b) => b.totalMs - a.totalMs || (a.channel < b.channel ? -1 : 1));
}

/** Spans that touch or overlap become one. */
function join(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromAt - b.fromAt)) {
    const last = joined.at(-1);
    if (last && span.fromAt <= last.toAt) {
      joined[joined.length - 1] = { fromAt: last.fromAt, toAt: Math.max(last.toAt, span.toAt) };
    } else joined.push(span);
  }
  return joined;
}

/** Runs that somebody stopped. The kind is compared as text: an older log has none. */
export function runsAborted(events: readonly Event[]): readonly AbortedRun[] {
  return events.flatMap(({ kind, at, data }): AbortedRun[] => {
    const run = textOf(data.run);
    if ((kind as string) !== "run.aborted" || run === undefined) return [];
    const [by, host] = [textOf(data.by), textOf(data.host)];
    return [
      {
        run,
        at,
        ...(by === undefined ? {} : { by }),
        ...(host === undefined ? {} : { host }),
        via: textOf(data.via) ?? "unknown",
      },
    ];
  });
}
