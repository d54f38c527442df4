import { rowOf } from "../../renderers/matrix.ts";
import { formAt, type NightForm } from "../core/night.ts";
import { reached } from "../core/reached.ts";
import { decideSweep } from "../core/sweep.ts";
import { wakeLines, wakeOf } from "../core/wake.ts";
import { type QuestionId, questionId } from "../domain/ids.ts";
import type { Copy, StoredQuestion } from "../domain/question.ts";
import type { StatusReport } from "./api.ts";
import type { Desk } from "./desk.ts";
import { newLink } from "./inbox-session.ts";
import { pause } from "./pause.ts";
import { isServiceAlive } from "./service-lock.ts";

/** How often `changed` looks at the store while it waits: a look costs microseconds, and an agent that waits should not wait longer. */
const lookMs = 10;
const never = new AbortController().signal;
const mostSwept = 200;
const mostListed = 200;

/** Looking at a home; due deadlines are swept first, service or no service. */
export function watching(desk: Desk) {
  const { config, store, now, committed } = desk;

  /** Due deadlines and lapsed claims, service or no service. */
  async function sweep(): Promise<void> {
    const at = now();
    for (;;) {
      const due = await store.nextSweepAt(at);
      if (due === undefined || due > at) return;
      const swept = await store.sweep(at, mostSwept, (snapshot) => decideSweep(snapshot, at));
      if (swept.expired + swept.lapsed + swept.gathered === 0) return;
      committed();
    }
  }

  async function status(): Promise<StatusReport> {
    await sweep();
    const holder = await store.service();
    const running = holder !== undefined && isServiceAlive(holder);
    const [open, decided, counts, health, router, aborts] = await Promise.all([
      store.questions({ states: ["pending", "posted"], limit: mostListed }),
      store.questions({
        states: ["answered", "expired", "applied", "default_applied"],
        newest: true,
        limit: mostListed,
      }),
      store.counts(),
      store.health(),
      desk.router(),
      store.aborts(),
    ]);
    const routes = router();
    const channels = config.deliver.map((channel) => {
      const last = health.find((each) => each.channel === channel);
      const known = last && reached(last, routes);
      return {
        channel,
        since: known?.since ?? 0,
        ...(known?.lastReceiveAt === undefined ? {} : { lastReceiveAt: known.lastReceiveAt }),
        ...(known?.refused === undefined ? {} : { refused: known.refused }),
        up: running && (known?.up ?? false),
        detail: running ? (known?.detail ?? "") : "the service is not running",
        rings: rowOf(channel).rings,
      };
    });
    const at = now();
    const ringing = channels.filter((each) => each.rings).map((each) => each.channel);
    const wake = wakeOf({ rules: config.night, open, channels: ringing }, at);
    const forms = new Map<QuestionId, NightForm>();
    for (const { question } of open) {
      const form = formAt(question, config.night, at);
      if (form !== undefined) forms.set(question.id, form);
    }
    const copies = new Map<QuestionId, readonly Copy[]>();
    for (const { question } of open) copies.set(question.id, await store.copies(question.id));
    return {
      service: running
        ? {
            running,
            pid: holder.pid,
            since: holder.sinceAt,
            ...(holder.port === undefined ? {} : { inbox: inboxUrl(holder.port) }),
          }
        : { running },
      zone: config.zone,
      ...(config.night === undefined ? {} : { night: config.night }),
      open,
      decided,
      aborts,
      copies,
      counts,
      channels,
      wake,
      forms,
      wakeLines: wakeLines(wake, config.zone, at),
    };
  }

  async function inboxLink(): Promise<string | undefined> {
    const holder = await store.service();
    if (!holder || holder.port === undefined || !isServiceAlive(holder)) return undefined;
    return newLink(store, holder.port, now());
  }

  async function changed(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const before = store.dataVersion();
    const end = performance.now() + timeoutMs;
    while (!signal?.aborted && store.dataVersion() === before) {
      const left = end - performance.now();
      if (left <= 0) return;
      await pause(Math.min(lookMs, left), signal ?? never);
    }
  }

  async function question(id: string): Promise<StoredQuestion | undefined> {
    await sweep();
    const known = questionId(id);
    return known ? store.question(known) : undefined;
  }

  async function copies(id: string): Promise<readonly Copy[]> {
    const known = questionId(id);
    return known ? store.copies(known) : [];
  }

  async function askedAgainAs(id: string): Promise<QuestionId | undefined> {
    const known = questionId(id);
    return known && store.askedAgainAs(known);
  }

  return { sweep, status, question, copies, askedAgainAs, inboxLink, changed };
}

export function inboxUrl(port: number): string {
  return `http://127.0.0.1:${port}/`;
}
