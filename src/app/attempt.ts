import { rowOf } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { waitMs } from "../core/backoff.ts";
import { log, move } from "../core/moves.ts";
import { formAt, morningAfter, type NightRules } from "../core/night.ts";
import { viewAt } from "../core/night-view.ts";
import { awayLine, mayStillBeAnswered } from "../core/outage.ts";
import { loudnessOf } from "../core/ringing.ts";
import { hasNews } from "../core/standing.ts";
import { followUpView, noticeView, offerView, questionView } from "../core/view.ts";
import type { Capabilities } from "../domain/capabilities.ts";
import { type AnswerChannel, ChannelError, type ChannelMessage } from "../domain/channel.ts";
import type { ChannelId, Instant, MessageRef } from "../domain/ids.ts";
import { type Copy, isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Effect, Job, Store } from "../domain/store.ts";
import type { AskedView, Elsewhere, View } from "../domain/view.ts";
import { type editsAhead, queueOf } from "./ahead.ts";
import type { Health } from "./health.ts";
import { limitOf } from "./limit.ts";
import type { Log } from "./log.ts";

/** How long one attempt may take before it counts as failed. */
const attemptMs = 30_000;
/** Where quiet hours have no end: when what waits is looked at again. */
const lookAgainMs = 24 * 3_600_000;

/** Writes down what became of a message; may be called again until it succeeds. */
export type Record = () => Promise<void>;

export type AttemptOptions = {
  readonly store: Store;
  readonly health: Health;
  readonly log: Log;
  readonly now: () => Instant;
  readonly random: () => number;
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
  /** The row of a channel as it is configured. Absent: as the matrix has it. */
  readonly rows?: (channel: ChannelId) => Capabilities;
  /** Where a question can be answered. */
  readonly elsewhere?: Elsewhere;
  /** Called when something has arrived at a destination that was refused for good before. */
  readonly onReopened?: (channel: ChannelId, destination: string) => Promise<void>;
};

/** One attempt to send one message: what it says, and how to write down what became of it. */
export function attempting(options: AttemptOptions, ahead: ReturnType<typeof editsAhead>, stop: AbortSignal) {
  const { store, health, log: logger, now, night, rows = rowOf, elsewhere } = options;

  /** Sends. Returns how to write down that it was sent; throws what the channel throws. */
  async function attempt(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion | undefined,
  ): Promise<Record> {
    const limit = limitOf(stop, attemptMs);
    try {
      if (job.kind === "notice" || job.kind === "receipt") {
        if (waits(job)) return waitForMorning(job);
        await channel.post(job.destination, words(job, stored), job.key, limit.signal);
        return sent(job, undefined, () => []);
      }
      if (!stored) return () => store.drop(job, [], now());
      const send = job.kind === "post" ? post : edit;
      return await send(channel, job, stored, limit.signal);
    } finally {
      limit.clear();
    }
  }

  async function post(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion,
    signal: AbortSignal,
  ): Promise<Record> {
    // A question that was decided while its post waited is no longer asked.
    if (!isOpen(stored.state)) return () => store.drop(job, [], now());
    if (waits(job, stored)) return waitForMorning(job);
    const form = formAt(stored.question, night, now());
    const then = (row: StoredQuestion | undefined): readonly Effect[] =>
      posted(row, stored, job, row !== undefined && formAt(row.question, night, now()) !== form);
    // Somebody has it already: the reply to an earlier attempt was lost, or it was asked for twice.
    if ((await copiesAt(job, stored)).length > 0) return () => store.sent(job, undefined, then, now());
    const ref = await channel.post(
      job.destination,
      message(job, viewAt(stored, night, now()), stored),
      job.key,
      signal,
    );
    return sent(job, { ref, revision: stored.revision }, then);
  }

  async function edit(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion,
    signal: AbortSignal,
  ): Promise<Record> {
    const { revision } = stored;
    const answerable = mayStillBeAnswered(stored);
    // After an outage a copy says so, although nothing else about the question has changed.
    const touchedUp = channel.edit !== undefined && job.notice?.kind === "away" && answerable;
    const [copy, ...others] = (await copiesAt(job, stored)).filter(
      (each) => each.revision < revision || touchedUp,
    );
    if (!copy) return () => store.drop(job, [], now());
    const away = answerable ? awayOf(job, stored, copy) : undefined;
    const how = channel.edit
      ? await editEach(channel, job, stored, [copy, ...others], away, signal)
      : "stands";
    const adopted = (copies: readonly Copy[]): readonly Effect[] =>
      copies.map((each): Effect => ({ ...each, type: "adopt-copy", revision }));
    const shown = { ref: copy.ref, revision };
    if (how === "edited") return sent(job, shown, () => adopted(others));
    // Only its form would change: the old one stands, and says itself what is no longer taken.
    if (how === "stands" && !touchedUp && !hasNews(stored, copy.revision, job.notice?.kind === "lapsed"))
      return () => store.sent(job, shown, () => adopted(others), now());
    if (waits(job, stored)) return waitForMorning(job);
    if (how === "gone" && answerable) {
      // Its message is gone, and it waits: it is posted anew, in silence as an edit is.
      const again = { ...message(job, viewNow(stored, away), stored), silent: true };
      const ref = await channel.post(job.destination, again, job.key, signal);
      return sent(job, { ref, revision }, () => adopted([copy, ...others]));
    }
    const followUp = followUpView(stored, now(), viewAt(stored, night, now()));
    const said = away === undefined ? followUp : { ...followUp, text: `${followUp.text}\n${away}` };
    const { standing: _now, ...asked } = questionView(stored, now());
    const thread = message(job, asked, stored).headline;
    const follower = { ...message(job, said, stored), follows: copy.ref, thread };
    await channel.post(job.destination, follower, job.key, signal);
    return sent(job, shown, () => adopted(others));
  }

  /** `gone`: the platform refuses for good to edit any of them; `stands`: it can edit none, and they stand as they were. */
  async function editEach(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion,
    copies: readonly Copy[],
    away: string | undefined,
    signal: AbortSignal,
  ): Promise<"edited" | "gone" | "stands"> {
    const shown = message(job, viewNow(stored, away), stored);
    let edited = false;
    let gone = false;
    for (const { ref } of copies) {
      if (ahead.took(job.channel, ref, stored.revision) && away === undefined) {
        edited = true;
        continue;
      }
      try {
        await channel.edit?.(job.destination, ref, shown, signal);
        edited = true;
      } catch (error) {
        // Where nothing at all arrives, no new message does either.
        if (!(error instanceof ChannelError && error.permanent) || error.closed) throw error;
        gone ||= !error.stands;
      }
    }
    return edited ? "edited" : gone ? "gone" : "stands";
  }

  async function copiesAt(
    { channel, destination }: Pick<Job, "channel" | "destination">,
    { question }: StoredQuestion,
  ): Promise<readonly Copy[]> {
    const copies = await store.copies(question.id);
    return copies.filter((each) => each.channel === channel && each.destination === destination);
  }

  /** A copy that stood there while nobody listened goes on saying so: whoever tapped may not know that it was lost. */
  function awayOf(job: Job, { zone }: StoredQuestion, copy: Copy): string | undefined {
    const outage = health.outage(job.channel);
    if (outage && copy.postedAt < outage.to) return awayLine(outage, zone, now());
    return job.notice?.kind === "away" ? job.notice.text : undefined;
  }

  function viewNow(stored: StoredQuestion, away: string | undefined): AskedView {
    const view = viewAt(stored, night, now());
    return away === undefined ? view : { ...view, standing: `${away}\n${view.standing ?? view.deadline}` };
  }

  function sent(
    job: Job,
    copy: { readonly ref: MessageRef; readonly revision: number } | undefined,
    then: (row: StoredQuestion | undefined) => readonly Effect[],
  ): Record {
    return async () => {
      await store.sent(job, copy, then, now());
      await health.up(job.channel);
      if (health.refusedAt(job.channel, job.destination).length > 0)
        await options.onReopened?.(job.channel, job.destination);
    };
  }

  function notConfigured(job: Job, stored: StoredQuestion | undefined): Record {
    return () => store.drop(job, failure(job, stored, "not-configured"), now());
  }

  function failed(job: Job, stored: StoredQuestion | undefined, error: unknown): Record {
    const { channel, destination } = job;
    const known = error instanceof ChannelError ? error : undefined;
    const reason = known?.reason ?? "unexpected";
    if (known?.permanent) {
      logger.warn({ channel, job: job.key, reason }, "a message was refused for good");
      return async () => {
        if (known.closed) await health.refused(channel, destination, known.message);
        await store.drop(job, failure(job, stored, reason), now());
      };
    }
    const wait = waitMs(job.attempts + 1, options.random(), known?.retryAfterMs);
    logger.warn({ channel, job: job.key, reason, waitMs: wait }, "a message could not be sent yet");
    const at: Instant = now() + wait;
    ahead.rest(queueOf(channel, destination), at);
    return async () => {
      await store.postpone(job, at);
      await health.down(channel, known?.message ?? "an unexpected error; see the log");
    };
  }

  /** A notice, or the receipt of a reply in reply to it. */
  function words(job: Job, stored: StoredQuestion | undefined): ChannelMessage {
    const { kind = "notice", text = "" } = job.notice ?? {};
    if (job.kind === "notice") return message(job, noticeView(kind, text));
    if (stored && (kind === "offer" || kind === "more")) {
      const asked = viewAt(stored, night, now());
      return message(job, offerView(asked, kind === "more" ? Number(text) : text), stored);
    }
    const receipt = message(job, { type: "receipt", text }, stored);
    return job.replyTo === undefined ? receipt : { ...receipt, replyTo: job.replyTo };
  }

  function message(job: Job, view: View, stored?: StoredQuestion): ChannelMessage {
    const about = stored === undefined ? {} : { question: stored.question.id };
    const rendered = { ...render(withElsewhere(view), rows(job.channel)), ...about };
    return loudness(job, stored) === "silent" ? { ...rendered, silent: true } : rendered;
  }

  function withElsewhere(view: View): View {
    if (elsewhere === undefined || view.type === "notice") return view;
    if (view.type !== "receipt") return { ...view, elsewhere };
    return view.asked === undefined ? view : { ...view, asked: { ...view.asked, elsewhere } };
  }

  function loudness(job: Job, stored: StoredQuestion | undefined) {
    return loudnessOf(job, stored, { rules: night, now: now(), quiet: rowOf(job.channel).quiet });
  }

  /** A new message would ring and may not, where the channel knows no silence; or it must not go out at all. */
  function waits(job: Job, stored?: StoredQuestion): boolean {
    return loudness(job, stored) === "later";
  }

  /** Until the morning, and what may ring goes past it. */
  function waitForMorning(job: Job): Record {
    return () => store.waitUntil(job, morningAfter(night, now()) ?? now() + lookAgainMs);
  }

  return { attempt, notConfigured, failed };
}

/** One channel has accepted it: the question is posted; a copy that was overtaken while it travelled is edited. */
function posted(
  row: StoredQuestion | undefined,
  sent: StoredQuestion,
  job: Job,
  formChanged: boolean,
): readonly Effect[] {
  if (!row) return [];
  const { channel, destination } = job;
  const moved = move(row, "post", {}, {}, [], { channel });
  const overtaken = formChanged || (row.revision !== sent.revision && !isOpen(row.state));
  const edit: Effect = {
    type: "send",
    job: { channel, destination, kind: "edit", question: row.question.id },
  };
  return [...(moved?.effects ?? []), ...(overtaken ? [edit] : [])];
}

function failure(job: Job, stored: StoredQuestion | undefined, reason: string): readonly Effect[] {
  const data = { channel: job.channel, message: job.kind, reason };
  if (stored && job.kind !== "receipt") return [log(stored, "question.post-failed", data)];
  return [{ type: "log", event: { kind: "notice.failed", data } }];
}
