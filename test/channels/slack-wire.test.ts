import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { open } from "../../channels/slack.ts";
import type { Batch } from "../../src/domain/channel.ts";
import { aTools } from "../builders.ts";
import { asSlackCase, narrowed, readSlackWire } from "../conformance/wire-slack.ts";
import { afterwards, until } from "../homes.ts";
import { appToken, aSlack, botToken, eric, inTeam, ops } from "../slack/phone.ts";
import { never } from "../telegram/phone.ts";

const folder = join(import.meta.dirname, "../cases/wire/slack");
const expected = readSlackWire(folder, "expect.json") as Record<string, Record<string, unknown>>;
const files = readdirSync(folder).filter((name) => !["world.json", "expect.json"].includes(name));

/** The adapter on a line of its own, greeted. */
async function aLine() {
  const { slack, clock } = await aSlack();
  const settings = {
    bot_token: botToken,
    app_token: appToken,
    channel: ops,
    allow: [inTeam(eric)],
    api_url: slack.url,
  };
  const channel = await open(settings, aTools({ now: clock.now }), { waitMs: 100, graceMs: 0 });
  afterwards(() => channel.close());
  const poll = async (): Promise<Batch> => (await channel.poll?.(undefined, never)) ?? { replies: [] };
  await poll();
  return { slack, poll };
}

describe("the recorded frames, over the line", () => {
  test("every recording has its expectation", () => {
    expect(files.sort()).toEqual(Object.keys(expected).sort());
  });

  const envelopes = files.filter((name) => String(expected[name]?.ack).startsWith("envelope"));
  test.each(envelopes)("%s", async (name) => {
    const wanted = expected[name] ?? {};
    const { slack, poll } = await aLine();
    const { type, payload } = readSlackWire(folder, name) as {
      type: "events_api";
      payload: Record<string, unknown>;
    };
    const envelope = slack.sockets.deliver(type, payload);
    const batch = await poll();
    // The store knows a key that came before; the adapter gives it again.
    const replies = wanted.reply === null && !("after" in wanted) ? 0 : 1;
    expect(batch.replies).toHaveLength(replies);
    expect(envelope.state).toBe(replies === 0 ? "acked" : "sent");
    const [reply] = batch.replies;
    if (reply && wanted.reply !== null) {
      const got = asSlackCase(reply);
      const choices = [wanted.reply, ...((wanted.alsoOk as unknown[] | undefined) ?? [])];
      const same = choices.find((each) => JSON.stringify(narrowed(got, each)) === JSON.stringify(each));
      expect(narrowed(got, same ?? wanted.reply)).toEqual(same ?? wanted.reply);
    }
    if (reply && "dedup" in wanted) expect(reply.key).toBe(wanted.dedup);
    await batch.settle?.([]);
    await until(
      () => envelope.state,
      (state) => state === "acked",
    );
    const errors = wanted.ack !== "envelope";
    expect(envelope.response?.response_action).toBe(errors ? "errors" : undefined);
    expect(slack.misuses()).toEqual([]);
  });

  test("hello.json: nothing comes of a greeting but a line", async () => {
    const { slack, poll } = await aLine();
    expect((await poll()).replies).toEqual([]);
    expect([slack.sockets.live(), slack.misuses()]).toEqual([1, []]);
  });

  test("disconnect-warning.json: the next line is open before this one ends", async () => {
    const { slack } = await aLine();
    slack.sockets.disconnect("warning");
    await until(
      () => slack.sockets.live(),
      (count) => count === 2,
    );
    expect(slack.sockets.opened()).toBe(2);
  });

  test("disconnect-link-disabled.json: the channel is down with its name, and nobody knocks again by itself", async () => {
    const { slack, poll } = await aLine();
    const held = poll();
    slack.sockets.disconnect("link_disabled");
    const error: unknown = await held
      .then(poll, (reason: unknown) => reason)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "ChannelError", reason: "socket-mode-off", permanent: false });
    expect(slack.sockets.opened()).toBe(1);
  });
});
