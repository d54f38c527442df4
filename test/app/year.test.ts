import { join } from "node:path";
import { expect, test } from "vitest";
import { trackHealth } from "../../src/app/health.ts";
import { takeIn } from "../../src/app/inbox-turn.ts";
import { silentLog } from "../../src/app/log.ts";
import { openNights } from "../../src/app/nights.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { placesOf } from "../../src/app/route.ts";
import { startSender } from "../../src/app/sender.ts";
import { startSweeper } from "../../src/app/sweeper.ts";
import { type AnswerChannel, ChannelError, type ChannelMessage } from "../../src/domain/channel.ts";
import type { Event } from "../../src/domain/event.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, hour, minute, someRules } from "../builders.ts";
import { afterwards, aQuickHome } from "../homes.ts";

/**
 * A year in one go: questions at any hour, answers of all kinds, a platform that fails and a service that is away, on a
 * clock that goes from one thing that happens to the next. What must hold is judged by Intl, not by our own sums.
 */
const asked = Number(process.env.OWLPOST_YEAR_QUESTIONS ?? 90);
const seed = Number(process.env.OWLPOST_YEAR_SEED ?? 7);

const start = Date.parse("2026-01-05T12:00:00Z");
const end = start + 365 * 24 * hour;

/** Windows that the changes of the clocks fall into: an end that comes twice, and a start that comes twice or not at all. */
const places = [
  { zone: "Europe/Berlin", window: "22:00-02:30" },
  { zone: "America/St_Johns", window: "23:30-08:00" },
  { zone: "Pacific/Auckland", window: "02:30-09:00" },
];

type Sent = {
  readonly at: number;
  readonly channel: string;
  readonly by: "post" | "edit";
  readonly silent: boolean;
  /** `post`, `notice` or `receipt`, as its key says; an edit has no key. */
  readonly kind: string;
  readonly question: string;
  readonly isConsent: boolean;
};

test.each(places)("a year in $zone", { timeout: 600_000 }, async ({ zone, window }) => {
  const year = await aYear(zone, window, seed);
  await year.run();
  const { sent, questions, events, isNight, upAt, told } = await year.ends();

  // Nothing rings in quiet hours but a consent question and the receipt of one's own reply.
  const atNight = sent.filter(({ at, by }) => by === "post" && isNight(at));
  for (const each of atNight) {
    const mayRing = each.kind === "receipt" || (each.kind === "post" && each.isConsent);
    expect(mayRing || (each.silent && each.channel === "telegram"), JSON.stringify(each)).toBe(true);
  }
  expect(atNight.some(({ isConsent, silent }) => isConsent && !silent)).toBe(true);
  expect(sent.some(({ kind, silent }) => kind === "notice" && silent)).toBe(true);

  // Every deadline fires once, at its instant or when the service is back; and no answer is followed by one.
  const of = (kind: string, id: string) =>
    events.filter((event) => event.kind === kind && event.question === id);
  let closed = 0;
  for (const { question, deadlineAt, answer, state, why } of questions) {
    const expired = of("question.expired", question.id).map(({ at }) => at);
    // What asks again is closed by a late answer to what it asks again, and by nothing else here.
    const isClosed = state === "cancelled";
    if (isClosed) expect(why).toBe(`answered as ${question.again}`);
    if (isClosed) closed += 1;
    const inTime = isClosed || (answer !== undefined && !answer.late);
    expect(expired, question.id).toEqual(inTime || deadlineAt > end ? [] : [upAt(deadlineAt)]);
  }
  expect(closed).toBeGreaterThan(0);

  // What was held is sent when the night is over, or was never shown, or was decided without being shown.
  const held = new Set(events.filter(({ kind }) => kind === "question.held").map((event) => event.question));
  let released = 0;
  let unshown = 0;
  for (const { question, state } of questions) {
    const first = sent.find((each) => each.by === "post" && each.question === question.id);
    if (first) expect(isNight(first.at) && !first.isConsent, question.id).toBe(false);
    if (!held.has(question.id)) continue;
    if (first) released += 1;
    const ran = of("question.expired", question.id)[0]?.data.never_shown === "held";
    if (ran) unshown += 1;
    expect(first !== undefined || ran || state !== "pending", question.id).toBe(true);
    if (ran) expect(first, question.id).toBeUndefined();
  }
  expect([released > 0, unshown > 0]).toEqual([true, true]);

  // What ended in a night without an answer is asked again, once, by day; and nothing else is.
  const again = questions.filter(({ question }) => question.again !== undefined);
  const askedAgain = again.map(({ question }) => question.again);
  expect(new Set(askedAgain).size).toBe(askedAgain.length);
  const mornings = events.filter(({ kind }) => kind === "night.ended");
  const wanted = questions.filter(({ question, deadlineAt, defaultAction }) => {
    const own = events.filter((event) => event.question === question.id);
    return mornings.some((morning) => {
      // As it stood at that morning: what was answered late in the day is another matter.
      const last = own.findLast(
        ({ seq, kind }) => seq < morning.seq && (kind === "question.expired" || kind === "question.answered"),
      );
      if (!last) return false;
      if (last.kind === "question.answered") return last.data.outcome === "skipped" && isNight(last.at);
      return defaultAction !== "take_recommended" && isNight(deadlineAt);
    });
  });
  expect(askedAgain.toSorted()).toEqual(wanted.map(({ question }) => question.id).toSorted());
  expect(wanted.length).toBeGreaterThan(3);
  for (const { askedAt } of again) expect(isNight(askedAt)).toBe(false);

  // A night begins and ends once, where the service was there.
  const begins = events.filter(({ kind }) => kind === "night.began").map(({ at }) => at);
  const ends = events.filter(({ kind }) => kind === "night.ended").map(({ at }) => at);
  expect(ends.length).toBeGreaterThan(330);
  for (const at of begins) expect(isNight(at)).toBe(true);
  for (const at of ends) expect(isNight(at)).toBe(false);
  for (const [index, at] of ends.entries()) {
    const before = ends[index - 1] ?? 0;
    // One morning may have come late; otherwise a day lies between two, also where clocks are set back.
    expect(at - before > 20 * hour || upAt(before - 1) === before, new Date(at).toISOString()).toBe(true);
  }

  // Nothing waits any more that could have gone.
  expect(told).toBe(0);
  if (process.env.OWLPOST_YEAR_QUESTIONS) {
    console.info(
      `${zone}: ${questions.length} questions, ${sent.length} messages, ${released} held and sent, ${unshown} never shown, ${again.length} asked again, ${begins.length} nights`,
    );
  }
});

function random(of: number): () => number {
  let state = of >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function nightByIntl(zone: string, window: string): (at: number) => boolean {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const [from = "", to = ""] = window.split("-");
  return (at) => {
    const time = clock.format(at);
    return from < to ? time >= from && time < to : time >= from || time < to;
  };
}

async function aYear(zone: string, window: string, given: number) {
  const dice = random(given);
  const between = (low: number, high: number): number => Math.floor(low + dice() * (high - low));
  const spans = (count: number, longest: number) =>
    Array.from({ length: count }, () => {
      const from = between(start + 24 * hour, end - 100 * hour);
      return { from, to: from + between(minute, longest) };
    });
  const within = (all: readonly { from: number; to: number }[], at: number) =>
    all.find(({ from, to }) => at >= from && at < to);
  const away = spans(12, 40 * hour);
  const deaf = spans(20, 14 * hour);
  const upAt = (at: number): number => {
    let up = at;
    for (let span = within(away, up); span; span = within(away, up)) up = span.to;
    return up;
  };

  let at = start;
  const now = (): number => at;
  const rules = someRules(window, zone);
  const isNight = nightByIntl(zone, window);
  const config = aConfig({
    zone,
    night: rules,
    autoDefault: true,
    deliver: ["telegram", "email"],
    channels: { inbox: { port: 0 }, telegram: { chat: 42, allow: [42] }, email: { chat: "eric" } },
  });
  const store = await openStore(join(aQuickHome(), "owlpost.db"));
  const sent: Sent[] = [];
  const refs = new Map<string, { ref: string; buttons: ChannelMessage["buttons"] }>();

  function channel(id: string, edits: boolean): AnswerChannel {
    const note = (by: Sent["by"], message: ChannelMessage, kind: string, question: string): void => {
      const isConsent = message.plain.includes("Recommended:");
      sent.push({ at, channel: id, by, silent: message.silent, kind, question, isConsent });
    };
    const check = (): void => {
      if (within(deaf, at)) throw new ChannelError("down", "the platform is down", { delivered: "no" });
    };
    return {
      id,
      rings: true,
      destinations: [id === "telegram" ? "42" : "eric"],
      async post(_to, message, key) {
        check();
        const [question = "", kind = ""] = key.split("/");
        note("post", message, kind, question);
        const ref = `42:${sent.length}`;
        if (kind === "post" && id === "telegram") refs.set(question, { ref, buttons: message.buttons });
        return ref;
      },
      ...(edits
        ? {
            async edit(_to: string, ref: string, message: ChannelMessage) {
              check();
              const known = [...refs].find(([, each]) => each.ref === ref);
              if (known) refs.set(known[0], { ref, buttons: message.buttons });
              note("edit", message, "edit", known?.[0] ?? "");
            },
          }
        : {}),
      async close() {},
    };
  }

  const channels = new Map(
    [channel("telegram", true), channel("email", false)].map((each) => [each.id, each]),
  );
  const owlpost = await openOwlpost({ home: "unused", config, store, now });
  const health = trackHealth(store, now, []);
  const nothing = (): void => undefined;
  const sender = startSender({
    store,
    channels,
    health,
    log: silentLog,
    now,
    random: () => 0.5,
    night: rules,
    onCommit: nothing,
  });
  const nights = openNights({ store, config, onCommit: nothing });
  const sweeper = startSweeper({ store, log: silentLog, now, nights, onCommit: nothing });
  afterwards(async () => {
    await sender.close();
    await sweeper.close();
    await store.close();
  });

  type Act = { readonly at: number; do(): Promise<void> };
  const plan: Act[] = [];
  const later = (act: Act): void => {
    plan.push(act);
    plan.sort((a, b) => a.at - b.at);
  };

  async function reply(question: string): Promise<void> {
    const stored = await store.question(question as StoredQuestion["question"]["id"]);
    if (!stored) return;
    const known = refs.get(question);
    const dart = dice();
    const keys = known?.buttons.map(({ action }) => ("key" in action ? action.key : action.verb)) ?? [];
    const press = keys[between(0, keys.length)];
    const key = `${at}-${between(0, 1e9)}`;
    const base = { key, sender: "42", chat: "42", private: true, at };
    const typed =
      dart < 0.2 ? `/skip ${question}` : dart < 0.3 ? `${question} 2` : `/answer ${question} neither`;
    const replies =
      dart < 0.6 && known && press !== undefined && press !== "more"
        ? [{ ...base, to: known.ref, press: { question, action: press } }]
        : [{ ...base, text: typed }];
    await takeIn(
      "telegram",
      { replies },
      { store, now, project: "default", places: placesOf(config), night: rules },
    );
  }

  let count = 0;
  async function ask(): Promise<void> {
    count += 1;
    const document = aDocument({
      kind: (["decide", "blocked", "stalled", "approval"] as const)[between(0, 4)],
      task: `task-${count}`,
      run: "year",
      title: `Which way for task ${count}?`,
      auto_default: true,
      default: {
        action: (["skip_spec", "skip_spec", "stay_parked", "take_recommended"] as const)[between(0, 4)],
        at: dice() < 0.3 ? `0${between(0, 10)}:${between(10, 60)}` : `${between(15, 20 * 60)}m`,
      },
    });
    const outcome = await owlpost.ask({ document });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome));
    const replies = between(0, 3);
    for (let index = 0; index < replies; index += 1) {
      const when = upAt(at + between(minute, 16 * hour));
      later({ at: when, do: () => reply(outcome.id) });
    }
  }

  async function take(): Promise<void> {
    const { taken } = await owlpost.take({ run: "year", claim: `claim-${at}` });
    if (taken.length > 0) await owlpost.confirm(`claim-${at}`);
  }

  for (let index = 0; index < asked; index += 1) later({ at: between(start, end - 60 * hour), do: ask });
  for (let index = 0; index < 60; index += 1) {
    later({ at: upAt(between(start, end)), do: take });
    later({ at: between(start, end), do: () => owlpost.notify("run-complete", "3 of 5").then(nothing) });
  }

  async function work(): Promise<void> {
    await sweeper.run();
    await sender.settled();
  }

  return {
    async run(): Promise<void> {
      for (;;) {
        const up = upAt(at) === at;
        const times = [plan[0]?.at ?? Number.POSITIVE_INFINITY];
        if (up) {
          times.push((await store.nextSweepAt(at)) ?? Number.POSITIVE_INFINITY);
          times.push((await store.nextJobAt(at)) ?? Number.POSITIVE_INFINITY);
          times.push(nights.nextAt(at) ?? Number.POSITIVE_INFINITY);
          times.push(...away.map(({ from }) => from).filter((from) => from > at));
        } else times.push(upAt(at));
        const next = Math.min(...times);
        if (next > end) break;
        at = Math.max(at, next);
        while ((plan[0]?.at ?? Number.POSITIVE_INFINITY) <= at) await plan.shift()?.do();
        if (upAt(at) === at) await work();
      }
    },
    async ends() {
      at = end;
      const events: Event[] = [];
      for (let page = await store.events(0, 1_000); page.length > 0; ) {
        events.push(...page);
        page = await store.events(page.at(-1)?.seq ?? 0, 1_000);
      }
      const questions = await store.questions({ limit: 100_000 });
      const next = await store.nextJobAt(at);
      return { sent, events, questions, isNight, upAt, told: next !== undefined && next <= at ? 1 : 0 };
    },
  };
}
