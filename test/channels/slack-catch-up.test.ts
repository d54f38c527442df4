import { describe, expect, test } from "vitest";
import { openPlaces } from "../../channels/slack/places.ts";
import type { Batch } from "../../src/domain/channel.ts";
import { until } from "../homes.ts";
import { botToken, eric, inTeam, mara, ops } from "../slack/phone.ts";
import { aMessage, aStage, never, received } from "./slack-line.ts";

const hour = 3_600_000;

/** As the store keeps it: the cursor of the last batch that had one. */
async function heardUntil(
  channel: Awaited<ReturnType<typeof aStage>>["channel"],
  clock: { advance(ms: number): void },
) {
  let cursor: string | undefined;
  const poll = async (): Promise<Batch> => {
    const batch = await channel.poll?.(cursor, never);
    if (!batch) throw new Error("nothing can be received");
    cursor = batch.cursor ?? cursor;
    await batch.settle?.([]);
    return batch;
  };
  await poll();
  clock.advance(61_000);
  await poll();
  return cursor;
}

/** Everything that comes until nothing more is announced. */
async function backlog(channel: Awaited<ReturnType<typeof aStage>>["channel"], cursor: string | undefined) {
  const batches: Batch[] = [];
  for (;;) {
    const batch = await channel.poll?.(cursor, never);
    if (!batch) throw new Error("nothing can be received");
    await batch.settle?.([]);
    batches.push(batch);
    if (!batch.more) return batches;
  }
}
const textsOf = (batches: readonly Batch[]) =>
  batches.flatMap(({ replies }) => replies.map(({ text }) => text));

/** All of Slack's own tries to hand over an event fail. */
function giveUp({ slack, clock }: Pick<Awaited<ReturnType<typeof aStage>>, "slack" | "clock">): void {
  for (const ms of [0, 61_000, 301_000]) {
    clock.advance(ms);
    slack.sockets.tick();
  }
}

/** A question in a channel, one in a private chat, and then a long silence of ours. */
async function anOutage(options: Parameters<typeof aStage>[2] = { patient: false }) {
  const stage = await aStage({}, {}, options);
  const { slack, clock, channel } = stage;
  // Long before: only its thread is new.
  const ref = await channel.post(ops, aMessage({ body: "question" }), "k1", never);
  await channel.post(inTeam(eric), aMessage({ body: "question" }), "k2", never);
  const [, thread = ""] = ref.split(":");
  clock.advance(30 * hour);
  const cursor = await heardUntil(channel, clock);
  await channel.close();
  await until(slack.sockets.live, (count) => count === 0);
  clock.advance(8 * hour);
  return { ...stage, thread, cursor };
}

describe("after an outage", () => {
  test("what was said in threads, in private chats and to the bot is read again, in its order, before the backlog ends", async () => {
    const { slack, clock, thread, cursor, again } = await anOutage();
    slack.people.says(eric, "2", { in: ops, thread });
    clock.advance(1_000);
    slack.people.says(eric, "!status");
    clock.advance(1_000);
    slack.people.says(mara, "lunch?", { in: ops });
    slack.people.says(mara, "@owlpost pending", { in: ops });
    // What Slack itself would still hand over comes a second time, under keys that the store knows.
    giveUp({ slack, clock });
    clock.advance(2 * hour);
    const batches = await backlog(await again(), cursor);
    expect(textsOf(batches)).toEqual(["2", "!status", "<@U0FAKEBOT1> pending"]);
    const [first] = batches.flatMap(({ replies }) => replies);
    expect(first).toMatchObject({
      to: `${ops}:${thread}`,
      thread,
      sender: inTeam(eric),
      addressed: false,
      key: expect.stringMatching(/^C0FAKEOPS1:/),
    });
    // The place is moved with the batch that has them, and not before.
    expect(batches.at(-1)?.cursor).toBeDefined();
    expect(slack.misuses()).toEqual([]);
  });

  test("what was heard before the outage is told under a key that the store knows", async () => {
    const { slack, clock, channel, again } = await aStage();
    await channel.poll?.(undefined, never);
    slack.people.says(eric, "!status");
    const heard = await received(channel);
    await heard.settle?.([]);
    clock.advance(61_000);
    const cursor = (await channel.poll?.(heard.cursor, never))?.cursor;
    await channel.close();
    clock.advance(2 * hour);
    const [reply] = (await backlog(await again(), cursor)).flatMap(({ replies }) => replies);
    expect(reply?.key).toBe(heard.replies[0]?.twin);
  });

  test("an edit that nobody heard stands for what was edited", async () => {
    const { slack, clock, cursor, again } = await anOutage();
    const typo = slack.people.says(eric, "!stauts");
    clock.advance(1_000);
    slack.people.edits(eric, slack.workspace.direct(eric).id, typo.ts, "!status");
    giveUp({ slack, clock });
    const replies = (await backlog(await again(), cursor)).flatMap((batch) => batch.replies);
    expect(replies).toMatchObject([{ text: "!status", edited: true, message: `D0FAKEERIC:${typo.ts}` }]);
  });

  test("where reading again is held up, taps are heard meanwhile, and the backlog waits", async () => {
    const { slack, clock, thread, cursor, again } = await anOutage();
    slack.people.says(eric, "2", { in: ops, thread });
    giveUp({ slack, clock });
    slack.fail({ method: "conversations.history", how: { busy: 1 }, times: 1 });
    slack.fail({ method: "conversations.replies", how: "reset", times: 1 });
    const later = await again();
    const batches = await backlog(later, cursor);
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.slice(0, -1).every(({ more }) => more)).toBe(true);
    expect(textsOf(batches)).toEqual(["2"]);
    expect(batches[0]?.cursor).toBeUndefined();
  });

  test("a line that broke while it ran is an outage, too, however short", async () => {
    const { slack, channel, clock } = await aStage({}, {}, { patient: false });
    const ref = await channel.post(ops, aMessage(), "k1", never);
    await channel.poll?.(undefined, never);
    slack.sockets.cut();
    await until(slack.sockets.live, (count) => count === 0);
    slack.people.says(eric, "1", { in: ops, thread: ref.split(":")[1] ?? "" });
    giveUp({ slack, clock });
    expect(textsOf([await received(channel)])).toEqual(["1"]);
  });

  test("a room that may not be read (any more) holds up no other", async () => {
    const { slack, clock, thread, cursor, again } = await anOutage();
    slack.people.says(eric, "2", { in: ops, thread });
    slack.people.says(eric, "!status");
    giveUp({ slack, clock });
    slack.setScopes(botToken, ["chat:write", "im:history", "im:write", "users:read"]);
    expect(textsOf(await backlog(await again(), cursor))).toEqual(["!status"]);
  });

  test.each([
    ["conversations.history", { error: "internal_error" }],
    ["conversations.history", { error: "account_inactive" }],
    ["conversations.open", { busy: 1 }],
  ] as const)("%s that is refused for a while (%o) loses nothing", async (method, how) => {
    const { slack, clock, cursor, again } = await anOutage();
    slack.people.says(eric, "!status");
    giveUp({ slack, clock });
    slack.fail({ method, how, times: 1 });
    const rooms = JSON.parse(cursor ?? "{}");
    // As a home has it that never wrote to him: only the configuration names him.
    const place = JSON.stringify({ ...rooms, rooms: [] });
    expect(textsOf(await backlog(await again(), place))).toEqual(["!status"]);
  });

  test("a clock that was far ahead when we heard last hides nothing", async () => {
    const { slack, clock, cursor, again } = await anOutage({ patient: false });
    slack.people.says(eric, "!status");
    giveUp({ slack, clock });
    const ahead = JSON.stringify({ ...JSON.parse(cursor ?? "{}"), at: clock.now() + 24 * hour });
    expect(textsOf(await backlog(await again(), ahead))).toEqual(["!status"]);
  });

  test("another team's place, or one that makes no sense, is no place", async () => {
    const { slack, again, channel } = await aStage();
    await channel.close();
    slack.people.says(eric, "!status");
    for (const cursor of ['{"team":"T09","at":1,"rooms":["C01"]}', "nonsense", '{"at":"x"}']) {
      const later = await again();
      expect((await later.poll?.(cursor, never))?.more).toBeUndefined();
      await later.close();
    }
    expect(slack.calls.filter(({ method }) => method === "conversations.history")).toEqual([]);
  });

  test("a thread that was configured is read again although somebody else began it", async () => {
    const stage = await aStage({}, {}, { patient: false });
    const parent = stage.slack.people.says(mara, "the night run", { in: ops });
    await stage.channel.close();
    const { slack, clock, again } = stage;
    stage.given.channel = `${ops}/${parent.ts}`;
    const channel = await again();
    await channel.post(`${ops}/${parent.ts}`, aMessage(), "k1", never);
    const cursor = await heardUntil(channel, clock);
    await channel.close();
    clock.advance(100 * hour);
    slack.people.says(eric, "q-a3f2-012-fix-auth-1 2", { in: ops, thread: parent.ts });
    giveUp({ slack, clock });
    expect(textsOf(await backlog(await again(), cursor))).toEqual(["q-a3f2-012-fix-auth-1 2"]);
  });

  test("the place names the rooms where something of ours stands, as soon as there is a new one", async () => {
    const { channel } = await aStage({}, { waitMs: 5_000 });
    await channel.poll?.(undefined, never);
    const held = channel.poll?.(undefined, never);
    await channel.post(inTeam(mara), aMessage(), "k1", never);
    expect((await held)?.cursor).toContain("D0FAKEMARA");
  });
});

test("strangers who call the bot in many rooms drive none out where something of ours stands", () => {
  const places = openPlaces({ call: () => Promise.reject(new Error("nobody is asked")) }, () => undefined);
  places.stands(ops);
  places.spoken("D0FAKEERIC", eric);
  places.stands("D0FAKEERIC", eric);
  for (let n = 0; n < 200; n += 1) places.spoken(`C0SPAM${n}`, mara);
  expect(places.rooms().slice(-2)).toEqual([ops, "D0FAKEERIC"]);
  expect(places.rooms()).toHaveLength(52);
});

test("whoever was told that there is more waits for it, and not for a whole poll after it has come", async () => {
  const { slack, clock, channel, again } = await aStage({ allow: [] }, {}, { patient: false });
  const cursor = await heardUntil(channel, clock);
  await channel.close();
  slack.fail({ method: "conversations.history", how: { page: 503 }, times: 1 });
  const next = await again({ waitMs: 15_000, graceMs: 0 });
  expect((await next.poll?.(cursor, never))?.more).toBe(true);
  // It ends while the batch is being stored.
  const read = () => slack.calls.filter(({ method, ok }) => method === "conversations.history" && ok).length;
  await until(read, (count) => count > 0);
  await new Promise((stored) => setTimeout(stored, 200));
  const began = performance.now();
  expect((await next.poll?.(cursor, never))?.more).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(10_000);
});
