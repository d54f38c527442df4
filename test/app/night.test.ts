import { expect, test } from "vitest";
import type { Config } from "../../src/app/config.ts";
import { type AnswerChannel, ChannelError, type ChannelMessage } from "../../src/domain/channel.ts";
import { aConfig, aDocument, evening, hour, minute, someRules } from "../builders.ts";
import { aClock, aHome, aService } from "../homes.ts";

/** Nothing about it can be undone, so that no tired person is asked. */
const unsafe = {
  kind: "blocked",
  task: "020-deploy",
  title: "Which cluster does `deploy/prod.yaml` go to?",
  options: [
    { key: "1", label: "The old one", consequence: "Nothing changes", recommended: true },
    { key: "2", label: "The new one", consequence: "Cannot be undone" },
  ],
};
const until = (at: string) => ({ default: { action: "skip_spec", at } });

/** Its own message, and not the line of the digest that names it. */
const isQuestion = (text: string, title: string): boolean =>
  text.includes(title) && !text.includes("The whole report:");

type Sent = {
  readonly to: string;
  readonly by: "post" | "edit";
  readonly silent: boolean;
  readonly text: string;
};

/** 23:00 in Berlin; the service runs with these quiet hours, on a phone that can be silent and by mail, which cannot. */
async function aNight(window: string, changes: Partial<Config> = {}) {
  const clock = aClock(evening);
  const home = aHome();
  const sent: Sent[] = [];
  const line = { down: false };
  const channel = (id: string, edits: boolean): AnswerChannel => {
    const note = (by: Sent["by"], { silent, plain }: ChannelMessage): void => {
      if (line.down) throw new ChannelError("down", "the platform is down", { delivered: "no" });
      sent.push({ to: id, by, silent, text: plain });
    };
    return {
      id,
      rings: true,
      destinations: ["eric"],
      async post(_to, message) {
        note("post", message);
        return String(sent.length);
      },
      ...(edits
        ? { edit: async (_to: string, _ref: string, message: ChannelMessage) => note("edit", message) }
        : {}),
      async close() {},
    };
  };
  const start = (rules: Config["night"]) =>
    aService({
      home,
      now: clock.now,
      config: aConfig({
        deliver: ["telegram", "email"],
        channels: { inbox: { port: 0 }, telegram: { chat: "eric" }, email: { chat: "eric" } },
        ...(rules ? { night: rules } : {}),
        ...changes,
      }),
      channels: new Map([
        ["telegram", channel("telegram", true)],
        ["email", channel("email", false)],
      ]),
    });
  let service = await start(someRules(window));
  await service.settle();
  return {
    clock,
    line,
    sent,
    get service() {
      return service;
    },
    async ask(document: Record<string, unknown>) {
      const asked = await service.owlpost.ask({ document: aDocument(document) });
      if (!asked.ok) throw new Error(JSON.stringify(asked));
      await service.settle();
      return asked;
    },
    async passes(ms: number): Promise<void> {
      clock.advance(ms);
      await service.settle();
    },
    async restart(rules: Config["night"]): Promise<void> {
      await service.close();
      service = await start(rules);
      await service.settle();
    },
    /** What came since the last look: `telegram post`, `email post`, `telegram edit silent`. */
    news(): string[] {
      return sent.splice(0).map(({ to, by, silent }) => `${to} ${by}${silent ? " silent" : ""}`);
    },
  };
}

test("what may not be asked at night is held, and goes out in the morning", async () => {
  const night = await aNight("22:00-08:00");
  const asked = await night.ask({ ...unsafe, ...until("09:00") });
  expect(asked).toMatchObject({ state: "pending", heldUntilAt: evening + 9 * hour });
  await night.passes(9 * hour - minute);
  expect(night.news()).toEqual([]);
  await night.passes(minute);
  expect(night.sent.filter(({ text }) => isQuestion(text, "Which cluster"))).toHaveLength(2);
  const stored = await night.service.owlpost.question(asked.id);
  expect(stored).toMatchObject({ state: "posted" });
  expect(stored?.heldUntilAt).toBeUndefined();
});

test("a held question that runs out is never shown, and is asked again once", async () => {
  const night = await aNight("22:00-08:00");
  const asked = await night.ask({ ...unsafe, ...until("06:00") });
  await night.passes(9 * hour);
  const { open } = await night.service.owlpost.status();
  const deadlineAt = night.clock.now() + 12 * hour;
  expect(open).toMatchObject([{ question: { again: asked.id }, defaultAction: "stay_parked", deadlineAt }]);
  expect(await night.service.owlpost.askedAgainAs(asked.id)).toBe(open[0]?.question.id);
  const events = await night.service.owlpost.events(0, 1_000);
  const expired = events.find(({ kind }) => kind === "question.expired");
  expect(expired?.data).toMatchObject({ never_shown: "held" });
  await night.passes(24 * hour);
  expect((await night.service.owlpost.status()).open).toEqual([]);
});

test("it waits as long as the owner says", async () => {
  const night = await aNight("22:00-08:00", { againDeadlineMs: 3 * hour });
  await night.ask({ ...unsafe, ...until("06:00") });
  await night.passes(9 * hour);
  const [again] = (await night.service.owlpost.status()).open;
  expect(again).toMatchObject({ deadlineAt: night.clock.now() + 3 * hour });
  expect(again?.question.default).toEqual({ action: "stay_parked", at: "180m" });
});

test("a window that opens in an outage: what waits goes out in the form of the hour in which it goes", async () => {
  const night = await aNight("23:30-08:00");
  night.line.down = true;
  await night.ask(until("10:00"));
  await night.ask({ ...unsafe, ...until("10:00") });
  await night.passes(hour);
  night.line.down = false;
  await night.passes(hour);
  // The one that can be undone rings on both; the other waits, and lets the mails behind it pass.
  expect(night.sent.map(({ text }) => text.includes("Recommended:"))).toEqual([true, true]);
  expect(night.news().toSorted()).toEqual(["email post", "telegram post"]);
  await night.passes(7 * hour);
  expect(
    night.sent.filter(({ by, text }) => by === "post" && isQuestion(text, "Which cluster")),
  ).toHaveLength(2);
});

test("what would ring comes in silence, or waits for the morning where there is none", async () => {
  const night = await aNight("23:30-08:00");
  const auth = await night.ask(until("10:00"));
  expect(night.news().toSorted()).toEqual(["email post", "telegram post"]);
  await night.passes(30 * minute);
  expect(night.news()).toEqual(["telegram edit silent"]);
  await night.service.owlpost.notify("run-complete", "3 of 5 are done.");
  await night.service.owlpost.decide({ verb: "skip", question: auth.id }, "cli");
  await night.service.settle();
  expect(night.news().toSorted()).toEqual(["telegram edit silent", "telegram post silent"]);
  // Behind what waits, a consent question rings at once.
  await night.ask({
    task: "014-cache",
    title: "Where does the cache in `src/cache` live?",
    ...until("10:00"),
  });
  expect(night.news().toSorted()).toEqual(["email post", "telegram post"]);
  await night.passes(9 * hour);
  const mails = night.sent.filter(({ to }) => to === "email").map(({ text }) => text.slice(0, 400));
  expect(mails.some((text) => text.includes("3 of 5 are done"))).toBe(true);
  expect(mails.some((text) => text.includes("Skipped"))).toBe(true);
});

test("a recommendation is not taken at night unless the owner says so; by day it is", async () => {
  const taking = (at: string) => ({ auto_default: true, default: { action: "take_recommended", at } });
  const night = await aNight("22:00-08:00", { autoDefault: true });
  const inside = await night.ask(taking("06:00"));
  expect(inside.defaultChanged).toBe(true);
  expect((await night.service.owlpost.question(inside.id))?.defaultAction).toBe("skip_spec");
  const outside = await night.ask({ task: "013", ...taking("09:00") });
  expect(outside.defaultChanged).toBeUndefined();
  await night.restart({ ...someRules(), autoDefault: true });
  const wanted = await night.ask({ task: "014", ...taking("06:00") });
  expect(wanted.defaultChanged).toBeUndefined();
});

test("a window that is moved while it is night, or taken away: nothing stays held, and nothing rings twice", async () => {
  const night = await aNight("22:00-08:00");
  const asked = await night.ask({ ...unsafe, ...until("10:00") });
  await night.restart(someRules("22:00-07:00"));
  const moved = await night.service.owlpost.question(asked.id);
  expect(moved?.heldUntilAt).toBe(evening + 8 * hour);
  expect(night.news()).toEqual([]);
  await night.restart(undefined);
  expect(night.sent.filter(({ text }) => isQuestion(text, "Which cluster"))).toHaveLength(2);
  night.news();
  night.clock.advance(minute);
  await night.restart(someRules("22:00-08:00"));
  expect(night.news()).toEqual(["telegram edit silent"]);
});

test("quiet hours without an end hold as long as they last", async () => {
  const night = await aNight("00:00-24:00");
  const asked = await night.ask({ ...unsafe, ...until("10:00") });
  expect(asked).toMatchObject({ state: "pending", heldUntilAt: asked.deadlineAt });
  await night.passes(13 * hour);
  expect(night.news()).toEqual([]);
  expect(await night.service.owlpost.question(asked.id)).toMatchObject({ state: "expired" });
});

test("a question whose task is done, or that was asked anew meanwhile, is not asked again", async () => {
  const night = await aNight("22:00-08:00");
  const first = await night.ask({ ...unsafe, ...until("06:00") });
  await night.passes(7 * hour + minute);
  const anew = await night.ask({
    ...unsafe,
    title: "Once more: which cluster for `deploy/prod.yaml`?",
    ...until("10:00"),
  });
  await night.passes(2 * hour);
  expect(await night.service.owlpost.askedAgainAs(first.id)).toBeUndefined();
  expect((await night.service.owlpost.status()).open.map(({ question }) => question.id)).toEqual([anew.id]);
});

test("quiet hours that are taken away by day change nothing, and nothing of the time between is asked again", async () => {
  const night = await aNight("02:00-03:00");
  const asked = await night.ask(until("02:30"));
  night.news();
  await night.restart(undefined);
  expect(night.news()).toEqual([]);
  await night.passes(4 * hour);
  expect(await night.service.owlpost.question(asked.id)).toMatchObject({ state: "expired" });
  await night.restart(someRules("02:00-03:00"));
  await night.passes(23 * hour);
  expect(await night.service.owlpost.askedAgainAs(asked.id)).toBeUndefined();
});
