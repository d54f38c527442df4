import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { takeIn } from "../../src/app/inbox-turn.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { type AnswerChannel, ChannelError } from "../../src/domain/channel.ts";
import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, aQuestionId, evening } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";
import { appToken, eric, inTeam, mara, ops } from "../slack/phone.ts";
import { aMessage, aStage, never, receipts, received } from "./slack-line.ts";

const faults: unknown[] = [];
const note = (fault: unknown): number => faults.push(fault);
beforeEach(() => {
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
});
afterEach(() => {
  process.off("unhandledRejection", note);
  process.off("uncaughtException", note);
  expect(faults.splice(0)).toEqual([]);
});

const failureOf = (work: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );
const polled = (channel: AnswerChannel) => channel.poll?.(undefined, never);

/** Polls until it works again; every failure on the way has a name. */
async function untilUp(channel: AnswerChannel): Promise<ChannelError[]> {
  const failures: ChannelError[] = [];
  for (;;) {
    const error = await failureOf(polled(channel));
    if (error === undefined) return failures;
    if (!(error instanceof ChannelError) || failures.length > 20) throw error;
    failures.push(error);
  }
}

async function aStore(): Promise<Store> {
  const home = aHome();
  const store = await openStore(join(home, "owlpost.db"));
  afterwards(() => store.close());
  const owlpost = await openOwlpost({ home, config: aConfig(), store, now: () => evening });
  await owlpost.ask({ document: aDocument() });
  return store;
}
const taking = async (store: Store, batch: Awaited<ReturnType<typeof received>>) => {
  const { acks } = await takeIn("slack", batch, {
    store,
    now: () => evening + 60_000,
    project: "default",
    places: [
      { channel: "slack", chats: "person", chat: ops, allow: [inTeam(eric)], mark: "!", isPublic: false },
    ],
  });
  return acks;
};
const answers = async (store: Store): Promise<number> =>
  (await store.events(0, 1_000)).filter(({ kind }) => kind === "question.answered").length;

describe("envelopes", () => {
  test("field 24, field 25: what comes again after a broken line is heard, and has no second effect", async () => {
    const { slack, channel, clock } = await aStage();
    const store = await aStore();
    await polled(channel);
    slack.people.says(eric, `@owlpost ${aQuestionId} 2`, { in: ops });
    const first = await received(channel);
    // It is committed, and dies before it is acked.
    expect(await taking(store, first)).toMatchObject([
      { accepted: true },
      { accepted: true, replayed: true },
    ]);
    slack.sockets.cut();
    clock.advance(61_000);
    await first.settle?.(receipts(first));
    const again = await received(channel);
    expect(slack.sockets.envelopes[0]?.attempt).toBeGreaterThan(0);
    expect(again.replies.map(({ text }) => text)).toContain(`<@U0FAKEBOT1> ${aQuestionId} 2`);
    for (const ack of await taking(store, again))
      expect(ack).toMatchObject({ accepted: true, replayed: true });
    await again.settle?.(receipts(again));
    await until(slack.unacked, (count) => count === 0);
    expect(await answers(store)).toBe(1);
    expect(slack.misuses()).toEqual([]);
  });

  test("field 25: a mention and its twin message are one, whichever comes first, and after a restart", async () => {
    const { slack, channel, again, clock } = await aStage();
    const store = await aStore();
    await polled(channel);
    slack.people.says(eric, `@owlpost steer ${aQuestionId} look twice`, { in: ops });
    const both = await received(channel);
    const [, mention] = both.replies;
    if (!mention) throw new Error("no twin");
    await taking(store, { ...both, replies: [mention] });
    await channel.close();
    await until(slack.sockets.live, (count) => count === 0);
    clock.advance(61_000);
    const later = await received(await again());
    expect(await taking(store, later)).toMatchObject([{ replayed: true }, { replayed: true }]);
    expect(await store.notes(0, 10)).toHaveLength(1);
    expect(await store.queue("slack", ops, 10)).toHaveLength(1);
  });

  test("field 28: an ack waits for the commit and for nothing behind it", async () => {
    const { slack, channel } = await aStage({}, { toastMs: 5_000 });
    await channel.post(ops, aMessage({ buttons: [aButton] }), "k1", never);
    await polled(channel);
    const [question] = slack.workspace.room(ops).messages;
    if (!question) throw new Error("no question");
    slack.people.taps(eric, question, () => true);
    slack.fail({ method: "response_url", how: "hang", times: 1 });
    const batch = await received(channel);
    expect(slack.unacked()).toBe(1);
    const settled = batch.settle?.(receipts(batch));
    await until(slack.unacked, (count) => count === 0);
    await channel.close();
    // Nobody saw the toast.
    expect(await settled).toEqual([]);
    expect(slack.people.signs).toEqual([]);
  });

  test("what says nothing to us is acked at once, committed or not", async () => {
    const { slack, channel } = await aStage();
    await polled(channel);
    slack.people.says(eric, "lunch?", { in: ops });
    await until(slack.pending, (count) => count === 0);
    expect((await polled(channel))?.replies).toEqual([]);
  });

  test("display names are shown where Slack gives them, and nobody waits for them", async () => {
    const { slack, channel } = await aStage({}, { nameMs: 60 });
    slack.fail({ method: "users.info", how: "hang", times: 1 });
    slack.people.says(eric, "!status");
    const unnamed = await received(channel);
    expect(unnamed.replies[0]?.name).toBeUndefined();
    await unnamed.settle?.([]);
    slack.people.says(mara, "!status");
    expect((await received(channel)).replies[0]?.name).toBe("Mara");
  });
});

const aButton = { label: "1 · Go", question: aQuestionId, action: { key: "1" }, primary: false } as const;

describe("lines", () => {
  test("a poll that has nothing to tell comes back by itself", async () => {
    const { channel } = await aStage({}, { waitMs: 60 });
    expect((await polled(channel))?.replies).toEqual([]);
    const next = await polled(channel);
    expect(next?.replies).toEqual([]);
    expect(next?.more).toBeUndefined();
  });

  test.each(["warning", "refresh_requested"] as const)(
    "a routine end (%s) leaves no moment without a line, and what the old one brought is acked there",
    async (reason) => {
      const { slack, channel } = await aStage({}, { farewellMs: 400 });
      await polled(channel);
      slack.people.says(eric, "!status");
      const before = await received(channel);
      let lowest = 9;
      const watch = setInterval(() => {
        lowest = Math.min(lowest, slack.sockets.live());
      }, 1);
      afterwards(() => clearInterval(watch));
      slack.sockets.disconnect(reason);
      await until(slack.sockets.opened, (count) => count === 2);
      await before.settle?.([]);
      await until(slack.unacked, (count) => count === 0);
      await until(slack.sockets.live, (count) => count === 1);
      expect(lowest).toBe(1);
      slack.people.says(eric, "!pending");
      expect((await received(channel)).replies.map(({ text }) => text)).toEqual(["!pending"]);
      expect(slack.sockets.envelopes.every(({ attempt }) => attempt === 0)).toBe(true);
      expect(slack.misuses()).toEqual([]);
    },
  );

  test("where the next line cannot be opened yet, the old one is kept while it lives", async () => {
    const { slack, channel } = await aStage();
    await polled(channel);
    slack.fail({ method: "apps.connections.open", how: { page: 503 }, times: 1 });
    slack.sockets.disconnect("warning");
    await until(slack.faults, (left) => left.length === 0);
    slack.people.says(eric, "!status");
    expect((await received(channel)).replies).toHaveLength(1);
    await until(slack.sockets.opened, (count) => count === 2);
  });

  test("field 26: a line that says nothing any more is noticed, and its acks are not missed", async () => {
    const { slack, channel, clock } = await aStage(
      {},
      { pingMs: 40, deafMs: 150 },
      // Slack has not noticed yet that the first line is gone, and sends over the other.
      { random: () => 0.9 },
    );
    const store = await aStore();
    await polled(channel);
    slack.people.says(eric, `${aQuestionId} 1`);
    const before = await received(channel);
    slack.sockets.freeze();
    await taking(store, before);
    await before.settle?.(receipts(before));
    for (let polls = 0; slack.unacked() > 0 && polls < 20; polls += 1) {
      const again = await polled(channel);
      if (!again) throw new Error("nothing can be received");
      for (const ack of await taking(store, again)) expect(ack).toMatchObject({ replayed: true });
      await again.settle?.(receipts(again));
      clock.advance(10_000);
    }
    expect(slack.sockets.opened()).toBe(2);
    expect(slack.unacked()).toBe(0);
    expect(await answers(store)).toBe(1);
  });

  test("field 26: a line over which nothing comes is replaced by a fresh one, with no moment between", async () => {
    const { slack, channel } = await aStage({}, { freshMs: 150, farewellMs: 20 });
    await polled(channel);
    await until(slack.sockets.opened, (count) => count >= 2);
    await until(slack.sockets.live, (count) => count === 1);
    slack.people.says(eric, "!status");
    expect((await received(channel)).replies).toHaveLength(1);
  });

  test("field 26: what we post comes back as an event; where it does not, the line is replaced", async () => {
    const { slack, channel } = await aStage({}, { echoMs: 80, farewellMs: 20 });
    slack.subscribe([]);
    await polled(channel);
    await channel.post(ops, aMessage(), "k1", never);
    await until(slack.sockets.opened, (count) => count === 2);
    // An app that is told of nothing is not connected anew for every message.
    await channel.post(ops, aMessage(), "k2", never);
    await new Promise((done) => setTimeout(done, 200));
    expect(slack.sockets.opened()).toBe(2);
  });

  test.each([
    [{ disconnect: "warning" }, "line-lost"],
    [{ disconnect: "refresh_requested" }, "line-lost"],
    [{ disconnect: "link_disabled" }, "socket-mode-off"],
    [{ disconnect: "too_many_websockets" }, "too-many-lines"],
    ["nothing", "line-lost"],
    ["reset", "line-lost"],
    ["binary", undefined],
  ] as const)(
    "field 27: greeted with %o, it says what is wrong and comes up with the next try",
    async (how, reason) => {
      const { slack, channel } = await aStage({}, { helloMs: 200 });
      slack.sockets.greetings.push(how);
      const failures = await untilUp(channel);
      expect(failures[0]?.reason).toBe(reason);
      slack.people.says(eric, "!status");
      expect((await received(channel)).replies).toHaveLength(1);
    },
  );

  test.each(["warning", "refresh_requested", "link_disabled", "too_many_websockets"] as const)(
    "field 27: told to go (%s) while it is greeted, twice, and while it closes, it lives on",
    async (reason) => {
      const { slack, channel } = await aStage({}, { farewellMs: 30 });
      await polled(channel);
      slack.sockets.greetings.push({ disconnect: reason }, { disconnect: reason });
      slack.sockets.disconnect(reason);
      slack.sockets.disconnect(reason);
      slack.sockets.cut();
      slack.sockets.enable();
      await untilUp(channel);
      slack.people.says(eric, "!status");
      expect((await received(channel)).replies).toHaveLength(1);
    },
  );

  test.each([403, 500, 503])("an upgrade that is refused (%i) is a lost line", async (status) => {
    const { slack, channel } = await aStage();
    slack.refuseUpgrades(status);
    expect(await failureOf(polled(channel))).toMatchObject({ reason: "line-lost", permanent: false });
    await untilUp(channel);
  });

  test("a line that breaks is made anew at once, and no poll fails for it", async () => {
    const { slack, channel } = await aStage({}, { waitMs: 3_000 });
    await polled(channel);
    const held = received(channel);
    slack.sockets.cut();
    await until(slack.sockets.opened, (count) => count === 2);
    slack.people.says(eric, "!status");
    expect((await held).replies).toHaveLength(1);
  });

  test("Socket Mode that was switched off takes the channel down with words, until it is on again", async () => {
    const { slack, channel } = await aStage();
    await polled(channel);
    slack.sockets.disconnect("link_disabled");
    await until(slack.sockets.live, (count) => count === 0);
    for (let times = 0; times < 3; times += 1) {
      expect(await failureOf(polled(channel))).toMatchObject({
        reason: "socket-mode-off",
        message: expect.stringContaining("switch it on"),
      });
    }
    slack.sockets.enable();
    await untilUp(channel);
  });

  test("too many lines: it waits before it asks again", async () => {
    const { slack, channel } = await aStage();
    await polled(channel);
    slack.sockets.disconnect("too_many_websockets");
    expect(await failureOf(polled(channel))).toMatchObject({
      reason: "too-many-lines",
      retryAfterMs: 60_000,
    });
    await untilUp(channel);
  });

  test("a token that is revoked while it runs is named by a poll, and kills nothing", async () => {
    const { slack, channel } = await aStage();
    await polled(channel);
    slack.revoke(appToken);
    await until(slack.sockets.live, (count) => count === 0);
    let failed: unknown;
    for (
      let left = 3;
      left > 0 && !(failed instanceof ChannelError && failed.reason === "token-refused");
      left -= 1
    ) {
      failed = await failureOf(polled(channel));
    }
    expect(failed).toMatchObject({ reason: "token-refused", permanent: false });
    expect(String(failed)).not.toContain(appToken);
  });

  test("closed while it is greeted, it ends", async () => {
    const { slack, channel } = await aStage();
    slack.sockets.greetings.push("nothing");
    const held = failureOf(polled(channel));
    await until(slack.sockets.opened, (count) => count === 1);
    await channel.close();
    expect(await held).toMatchObject({ reason: "stopped" });
    await until(
      () => slack.sockets.sockets().length,
      (count) => count === 0,
    );
    expect(await failureOf(polled(channel))).toMatchObject({ reason: "stopped" });
  });
});
