import { describe, expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { until } from "../homes.ts";
import { appToken, botToken, eric, inTeam, mara, ops } from "../slack/phone.ts";
import type { Greeting } from "../slack/socket-mode.ts";
import { aSlackConversation, type SlackConversation } from "./slack-conversation.ts";

const later = { default: { action: "skip_spec", at: "20h" } };
/** Nothing here is so short that a machine under load would take it for an outage. */
const quick = { callMs: 3_000, graceMs: 20, shortMs: 0 };

/** The channel as two owners share it, with short waits. */
function aTeam(more: Parameters<typeof aSlackConversation>[1] = {}): Promise<SlackConversation> {
  return aSlackConversation(
    { channel: ops, allow: [inTeam(eric), inTeam(mara)] },
    { ...more, timing: { ...quick, ...more.timing } },
  );
}

/** How often a question stands there. */
const standing = (talk: SlackConversation, id: string): number =>
  talk.texts(ops).filter((text) => text.includes(`[${id}]`)).length;

const health = async (talk: SlackConversation) =>
  (await talk.service.store.health()).find(({ channel }) => channel === "slack");

async function isDown(talk: SlackConversation, words: string): Promise<void> {
  await until(
    async () => await health(talk),
    (now) => now?.up === false && now.detail?.includes(words) === true,
  );
}

async function isUp(talk: SlackConversation): Promise<void> {
  await until(
    async () => await health(talk),
    (now) => now?.up === true,
  );
  await talk.connected();
}

describe("what goes out", () => {
  test.each<[string, "swallow" | "reset" | "hang" | { page: number } | { busy: number } | { error: string }]>(
    [
      ["done, and its reply is lost", "swallow"],
      ["cut before it is read", "reset"],
      ["never answered", "hang"],
      ["answered by something in between", { page: 502 }],
      ["told to wait", { busy: 20 }],
      ["told that Slack is out of order", { error: "internal_error" }],
    ],
  )("a post that is %s stands there once", async (_what, how) => {
    const talk = await aTeam(how === "hang" ? { timing: { callMs: 300 } } : {});
    talk.slack.fail({ method: "chat.postMessage", how, times: 2 });
    const id = await talk.asks(later);
    await talk.passes(8, 30_000);
    expect(standing(talk, id)).toBe(1);
    expect(await talk.state(id)).toBe("posted");
    talk.taps(eric, "1", id, ops);
    await talk.becomes(id, "answered");
    await talk.sees(ops, id, "✅ Answered: 1");
    expect(standing(talk, id)).toBe(1);
  });

  test("a storm of pauses delays everything, loses nothing, keeps the order, and nobody knocks before it is over", async () => {
    const talk = await aTeam();
    talk.slack.fail({ method: "chat.postMessage", how: { busy: 60 }, times: 4 });
    const ids: string[] = [];
    for (let n = 1; n <= 5; n += 1) {
      ids.push(await talk.asks({ ...later, task: `0${n}-storm`, title: `What about \`storm ${n}\`?` }));
    }
    const tries = () => talk.slack.calls.filter(({ method }) => method === "chat.postMessage").length;
    await talk.passes(1, 59_000);
    expect(tries()).toBe(1);
    await talk.passes(10, 61_000);
    expect(talk.texts(ops).map((text) => ids.findIndex((id) => text.includes(`[${id}]`)))).toEqual([
      0, 1, 2, 3, 4,
    ]);
    expect(tries()).toBe(4 + 5);
  });

  test.each(["swallow", "reset", "hang"] as const)(
    "an edit that fails (%s) is made again, and shows once",
    async (how) => {
      const talk = await aTeam(how === "hang" ? { timing: { callMs: 300 } } : {});
      const id = await talk.asks(later);
      await talk.sees(ops, id);
      talk.slack.fail({ method: "chat.update", how, times: 2 });
      talk.taps(eric, "2", id, ops);
      await talk.becomes(id, "answered");
      await talk.passes(6, 30_000);
      await talk.sees(ops, id, "✅ Answered: 2");
      expect(talk.buttons(ops, id)).toEqual([]);
      expect(talk.texts(ops)).toHaveLength(1);
    },
  );

  test("field 23: blocks that are refused leave the receipt, in a plainer form", async () => {
    const talk = await aTeam();
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.slack.fail({ method: "chat.update", how: { error: "invalid_blocks" }, times: 2 });
    talk.taps(eric, "2", id, ops);
    await talk.sees(ops, "✅ Answered: 2");
    expect(talk.texts(ops)).toHaveLength(1);
  });

  test("where the message is gone, what became of it is told below nothing, once", async () => {
    const talk = await aTeam();
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.slack.workspace.remove(talk.message(ops, id));
    await talk.service.owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    await talk.sees(ops, "✅ Answered: 1", id);
    await talk.passes(3, minute);
    expect(talk.texts(ops)).toHaveLength(1);
  });

  test("a receipt that cannot be shown to one person alone is sent to that person; an answer shows all the same", async () => {
    const talk = await aTeam({ timing: { toastMs: 2_000 } });
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.slack.fail({ method: "response_url", how: "reset", times: 1 });
    talk.taps(eric, "1", id, ops);
    await talk.sees(ops, id, "✅ Answered: 1");
    talk.slack.fail({ method: "response_url", how: "hang", times: 1 });
    talk.taps(mara, "2", id, ops);
    await talk.sees(ops, "already answered");
    expect(talk.slack.people.signs).toEqual([]);
  });

  test("an archived channel is told as what it is, and the question waits elsewhere", async () => {
    const talk = await aTeam();
    talk.slack.workspace.room(ops).archived = true;
    const id = await talk.asks(later);
    await until(
      async () => (await health(talk))?.refused?.[0]?.detail,
      (detail) => detail?.includes("archived") === true,
    );
    expect(await talk.state(id)).toBe("pending");
  });
});

describe("what comes in", () => {
  test("field 24: what is handed over again counts once, whatever its retry says", async () => {
    const talk = await aTeam();
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    const typed = talk.types(eric, "2", { in: ops, thread: id });
    await talk.becomes(id, "answered");
    const [first] = talk.slack.sockets.envelopes.filter(
      ({ payload }) => (payload.event as { ts?: string } | undefined)?.ts === typed.ts,
    );
    for (let n = 0; n < 3; n += 1) talk.slack.sockets.deliver("events_api", first?.payload ?? {});
    await talk.settles();
    expect(talk.thread(ops, id).filter((text) => text.startsWith("Answered: 2"))).toHaveLength(1);
    expect(await talk.count("question.answered")).toBe(1);
  });

  test("field 25: a mention that is told twice is heard once", async () => {
    const talk = await aTeam();
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.types(eric, `@owlpost steer ${id} mind the gap`, { in: ops });
    talk.types(eric, `@owlpost skip`, { in: ops, thread: id });
    await talk.becomes(id, "answered");
    await talk.settles();
    expect(await talk.service.store.notes(0, 10)).toHaveLength(1);
    const said = talk.texts(ops).filter((text) => /^(?:Noted|Skipped)/.test(text));
    expect(said).toHaveLength(2);
  });

  test("field 33: of two taps within a moment the second is told what stands, and nothing is red", async () => {
    const talk = await aTeam();
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.taps(eric, "1", id, ops);
    talk.taps(eric, "1", id, ops);
    talk.taps(mara, "2", id, ops);
    await talk.isTold(mara, /already answered/, "1");
    await talk.settles();
    expect(talk.slack.people.signs).toEqual([]);
    expect(await talk.count("question.answered")).toBe(1);
  });

  test("lines are recycled while people tap: every tap is taken, nobody sees a sign, and one line is left", async () => {
    const talk = await aTeam({
      slack: { drainMs: 50, random: Math.random },
    });
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    const { sockets, people } = talk.slack;
    const first = sockets.opened();
    let taps = 0;
    const tapsUntil = (holds: () => boolean) =>
      until(() => {
        taps += 1;
        talk.taps(taps % 2 ? eric : mara, "1", id, ops);
        return holds();
      }, Boolean);
    for (let round = 1; round <= 4; round += 1) {
      const old = sockets.sockets().find(({ isOpen }) => isOpen)?.number ?? 0;
      // Slack warns of the end of a line, and then ends it: the same one.
      sockets.disconnect("warning", old);
      await tapsUntil(() => sockets.live() === 2);
      sockets.disconnect("refresh_requested", old);
      await tapsUntil(() => sockets.live() === 1);
    }
    await talk.settles();
    expect(people.signs).toEqual([]);
    expect(people.interactions.filter(({ envelope }) => envelope.state !== "acked")).toEqual([]);
    expect([sockets.live(), sockets.opened() - first]).toEqual([1, 4]);
  });

  test("field 26: a line that is half open is noticed, and what was typed into it is heard", async () => {
    const talk = await aTeam({ timing: { pingMs: 50, deafMs: 1_000 }, slack: { pingMs: 200 } });
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    const before = talk.slack.sockets.opened();
    talk.slack.sockets.freeze();
    talk.types(eric, "2", { in: ops, thread: id });
    await talk.becomes(id, "answered");
    expect(talk.slack.sockets.opened()).toBeGreaterThan(before);
    // Slack gives it up, too, and hands over by the next line what nobody has acked.
    await until(
      () => talk.slack.sockets.sockets(),
      (lines) => lines.every(({ isFrozen }) => !isFrozen),
    );
    talk.clock.advance(3_000);
    await talk.settles();
    expect(await talk.count("question.answered")).toBe(1);
    expect(talk.thread(ops, id).filter((text) => text.startsWith("Answered: 2"))).toHaveLength(1);
  });

  test("a line that breaks is made anew, and what was typed meanwhile is read again", async () => {
    const talk = await aTeam();
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.slack.fail({ method: "apps.connections.open", how: { page: 503 }, times: 1 });
    talk.slack.sockets.cut();
    await until(
      () => talk.slack.sockets.live(),
      (count) => count === 0,
    );
    talk.types(mara, "1", { in: ops, thread: id });
    await talk.becomes(id, "answered");
    expect((await talk.service.owlpost.question(id))?.answer).toMatchObject({
      option: "1",
      outcome: "answered",
    });
  });

  const greetings: [string, Greeting][] = [
    ["a warning", { disconnect: "warning" }],
    ["a refresh", { disconnect: "refresh_requested" }],
    ["too many", { disconnect: "too_many_websockets" }],
    ["silence", "nothing"],
    ["a reset", "reset"],
    ["bytes", "binary"],
  ];
  test.each(greetings)("field 27: %s instead of a greeting ends nothing", async (_what, greeting) => {
    const talk = await aTeam(greeting === "nothing" ? { timing: { helloMs: 500 } } : {});
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    const isLong = typeof greeting === "object" && greeting.disconnect === "too_many_websockets";
    talk.slack.sockets.greetings.push(greeting);
    talk.slack.sockets.cut();
    if (isLong) return isDown(talk, "too many programs");
    await until(
      () => talk.slack.sockets.opened(),
      (count) => count >= 2,
    );
    await isUp(talk);
    talk.taps(eric, "1", id, ops);
    await talk.becomes(id, "answered");
  });

  test("field 27: nor does a goodbye in any later state, or a door that stays shut", async () => {
    const talk = await aTeam({ slack: { drainMs: 50 } });
    const { sockets } = talk.slack;
    talk.slack.refuseUpgrades(408, 503);
    sockets.disconnect("refresh_requested");
    sockets.disconnect("refresh_requested");
    sockets.disconnect("warning");
    await until(
      () => sockets.live(),
      (count) => count === 0,
    );
    await isUp(talk);
    const before = sockets.opened();
    sockets.disconnect("warning");
    sockets.cut();
    await until(() => sockets.opened() > before && sockets.live() === 1, Boolean);
    await isUp(talk);
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.taps(eric, "1", id, ops);
    await talk.becomes(id, "answered");
  });

  test("where Socket Mode is switched off the channel says so, sends on, and comes back when it is on", async () => {
    const talk = await aTeam();
    talk.slack.sockets.disconnect("link_disabled");
    await isDown(talk, "Socket Mode");
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.slack.sockets.enable();
    await isUp(talk);
    talk.taps(eric, "1", id, ops);
    await talk.becomes(id, "answered");
  });

  test.each([
    ["the app's", appToken],
    ["the bot's", botToken],
  ])(
    "%s token is revoked while it runs: the process lives, says so, and goes on with the next one",
    async (_whose, token) => {
      const talk = await aTeam();
      const first = await talk.asks(later);
      await talk.sees(ops, first);
      talk.slack.revoke(token);
      const id = await talk.asks({ ...later, task: "013-search", title: "Which index for `src/search`?" });
      await isDown(talk, "token");
      talk.slack.restore(token);
      await talk.passes(4, minute);
      await isUp(talk);
      await talk.sees(ops, id);
      expect(standing(talk, id)).toBe(1);
      talk.taps(eric, "1", id, ops);
      await talk.becomes(id, "answered");
      expect(await talk.state(first)).toBe("posted");
    },
  );
});

describe("an outage of eight hours", () => {
  /** What the team does while nobody hears it. */
  async function anOutage(talk: SlackConversation, away: (night: () => Promise<void>) => Promise<void>) {
    const auth = await talk.asks();
    const search = await talk.asks({ task: "013-search", title: "Which index for `src/search`?", ...later });
    const cache = await talk.asks({ task: "014-cache", title: "Where does `src/cache` live?", ...later });
    for (const id of [auth, search, cache]) await talk.sees(ops, id);
    await talk.service.settle();
    talk.clock.advance(2 * minute);
    await away(async () => {
      talk.clock.advance(hour);
      talk.types(mara, "2", { in: ops, thread: "Token refresh" });
      talk.taps(eric, "1", "Which index", ops);
      const slip = talk.types(eric, "9", { in: ops, thread: "Where does" });
      talk.clock.advance(hour);
      talk.edits(slip, "1");
      talk.types(eric, `!steer ${search} mind the order`, {});
      for (let n = 0; n < 6; n += 1) {
        talk.clock.advance(hour);
        talk.slack.sockets.tick();
      }
    });
    await isUp(talk);
    await talk.becomes(auth, "answered");
    await talk.becomes(cache, "answered");
    // A tap is lost, and Slack has shown that; the question asks for it once more, once.
    expect(talk.slack.people.signs).toMatchObject([{ user: eric, what: expect.stringContaining("1 · ") }]);
    await talk.sees(ops, search, "I was away from", "tap again");
    talk.taps(eric, "1", "Which index", ops);
    await talk.becomes(search, "answered");
    await talk.settles();
    const versions = talk.message(ops, search).versions.filter((text) => text.includes("I was away"));
    expect(versions).toHaveLength(1);
    // Judged by Slack's own time: it was in time, although the deadline was over when it came in.
    expect((await talk.service.owlpost.question(auth))?.answer).toMatchObject({
      option: "2",
      outcome: "answered",
    });
    expect((await talk.service.owlpost.question(cache))?.answer).toMatchObject({ option: "1" });
    expect(await talk.service.store.notes(0, 10)).toHaveLength(1);
    for (const id of [auth, search, cache]) expect(standing(talk, id)).toBe(1);
  }

  test("of the service", async () => {
    const talk = await aTeam();
    await anOutage(talk, (night) => talk.sleeps(night));
  });

  test("of the line, while the service runs, and asks", async () => {
    const talk = await aTeam();
    let asked = "";
    await anOutage(talk, async (night) => {
      await talk.slack.down();
      await until(
        async () => (await health(talk))?.up,
        (up) => up === false,
      );
      await night();
      asked = await talk.asks({ ...later, task: "015-copy", title: "Which words in `src/page`?" });
      await talk.slack.up();
    });
    await talk.passes(6, 2 * minute);
    expect(standing(talk, asked)).toBe(1);
  });
});
