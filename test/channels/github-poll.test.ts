import { describe, expect, test } from "vitest";
import { readingFrom } from "../../channels/github/reading.ts";
import { type AnswerChannel, type Batch, ChannelError } from "../../src/domain/channel.ts";
import { aQuestionId } from "../builders.ts";
import {
  aGitHub,
  aLine,
  aMessage,
  bot,
  eric,
  issue,
  mara,
  never,
  repository,
  stranger,
} from "../github/desk.ts";
import type { GitHub } from "../github/server.ts";
import { until } from "../homes.ts";

const q = aQuestionId;
const say = (api: GitHub, text: string, who: string = eric.login) => api.say(repository, issue, who, text);
const lists = (api: GitHub) => api.calls.filter(({ kind }) => kind === "list");
const paths = (api: GitHub) => lists(api).map(({ path }) => path.replace(/^.*\?/, ""));

/** Polls until nothing more comes at once, and gives all replies with the last cursor. */
async function polled(
  line: AnswerChannel,
  cursor?: string,
): Promise<{ texts: (string | undefined)[]; batch: Batch }> {
  const texts: (string | undefined)[] = [];
  let at = cursor;
  for (;;) {
    const batch = (await line.poll?.(at, never)) ?? { replies: [] };
    texts.push(...batch.replies.map(({ text }) => text));
    at = batch.cursor ?? at;
    if (!batch.more) return { texts, batch: { ...batch, ...(at === undefined ? {} : { cursor: at }) } };
  }
}

describe("reading the comments", () => {
  test("an address stays while nothing changes, and then costs nothing; a change is read once", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock, {}, { holdMs: 60 });
    const first = await polled(line);
    expect(first.texts).toEqual([]);
    expect(await line.poll?.(first.batch.cursor, never)).toEqual({ replies: [] });
    expect(
      lists(api)
        .slice(1)
        .map(({ status }) => status),
    ).toEqual(
      lists(api)
        .slice(1)
        .map(() => 304),
    );
    clock.advance(5_000);
    say(api, `${q} 2`);
    say(api, "people talking");
    const second = await polled(line, first.batch.cursor);
    expect(second.texts).toEqual([`${q} 2`]);
    expect(await line.poll?.(second.batch.cursor, never)).toEqual({ replies: [] });
    expect(new Set(paths(api)).size).toBe(1);
    expect(paths(api)[0]).toMatch(/^since=2026-11-29T19%3A35%3A08Z&per_page=100/);
  });

  test("a restart goes on where it was, without reading anything again", async () => {
    const { api, clock } = await aGitHub();
    const early = await aLine(api, clock);
    say(api, `${q} 1`);
    const { batch } = await polled(early);
    await early.close();
    clock.advance(8 * 3_600_000);
    say(api, `${q} 2`, mara.login);
    const late = await aLine(api, clock);
    expect((await polled(late, batch.cursor)).texts).toEqual([`${q} 2`]);
    expect(lists(api).at(-1)?.path).toContain("since=2026-11-29T19%3A35%3A08Z");
  });

  test("an outage of eight hours: pages upon pages, nothing lost and nothing twice", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const { batch } = await polled(line);
    for (let n = 0; n < 460; n += 1) {
      clock.advance(60_000);
      say(api, n % 2 === 0 ? `${q} ${n}` : "people talking");
    }
    const all = await polled(line, batch.cursor);
    expect(all.texts).toEqual(Array.from({ length: 230 }, (_, n) => `${q} ${2 * n}`));
    // From then on only the last minute is read again.
    say(api, `${q} last`);
    expect((await polled(line, all.batch.cursor)).texts).toEqual([`${q} last`]);
    expect(paths(api).at(-1)).not.toContain("19%3A35%3A08Z");
    expect(JSON.parse(all.batch.cursor ?? "").seen).not.toHaveProperty("2000000001");
  });

  test("a comment that moves to an earlier page while they are turned is read all the same", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const ids = Array.from({ length: 201 }, (_, n) => say(api, `${q} ${n}`));
    const first = await line.poll?.(undefined, never);
    expect(first).toMatchObject({ more: true });
    api.forget(ids[0] ?? 0);
    api.forget(ids[1] ?? 0);
    const { texts } = await polled(line, first?.cursor);
    const all = [...(first?.replies ?? []).map(({ text }) => text), ...texts];
    expect(new Set(all).size).toBe(201);
    expect(all).toHaveLength(201);
  });

  test("the start moves on only behind what was read, and the last minute stays in sight", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    for (let n = 0; n < 60; n += 1) {
      clock.advance(10_000);
      say(api, `chatter ${n}`);
    }
    const { batch } = await polled(line);
    const { since, seen } = JSON.parse(batch.cursor ?? "");
    expect(since).toBe(clock.now() - 60_000);
    expect(Object.keys(seen)).toHaveLength(7);
  });

  test("two changes within one second are two versions", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const id = say(api, `${q} 9`);
    const first = await polled(line);
    clock.advance(2_000);
    api.edit(id, `${q} 1`);
    const second = await polled(line, first.batch.cursor);
    api.edit(id, `${q} 2`);
    const third = await polled(line, second.batch.cursor);
    expect([first.texts, second.texts, third.texts]).toEqual([[`${q} 9`], [`${q} 1`], [`${q} 2`]]);
    const keys = [first, second, third].flatMap(({ batch }) => batch.replies.map(({ key }) => key));
    expect(new Set(keys).size).toBe(3);
  });

  test("another repository or issue is read from its own start, and a cursor that is none too", () => {
    const kept = JSON.stringify({ of: "a#1", since: 5, seen: {}, etag: "x" });
    expect(readingFrom(kept, "a#1", 9_000_000)).toMatchObject({ since: 5, etag: "x" });
    for (const cursor of [kept.replace("a#1", "a#2"), "5", "{", "null", '{"of":"a#1"}', undefined]) {
      expect(readingFrom(cursor, "a#1", 9_000_000)).toEqual({ of: "a#1", since: 8_400_000, seen: {} });
    }
  });

  test("a server that knows no ETag is read again, and says nothing new", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock, {}, { holdMs: 100 });
    say(api, `${q} 1`);
    const { batch } = await polled(line);
    const { etag: _etag, ...rest } = JSON.parse(batch.cursor ?? "");
    const { replies } = (await line.poll?.(JSON.stringify(rest), never)) ?? { replies: [{}] };
    expect(replies).toEqual([]);
  });

  test("how often it looks: more seldom when nothing has happened for long, and never more often than GitHub asks", async () => {
    const { api, clock } = await aGitHub();
    const timing = { quickMs: 10, idleMs: 120, activeMs: 100, holdMs: 500 };
    const line = await aLine(api, clock, {}, timing);
    const { batch } = await polled(line);
    await line.poll?.(batch.cursor, never);
    const idle = lists(api).length;
    expect(idle).toBeLessThan(18);
    await line.post("default", aMessage(), "k1", never);
    const next = await polled(line, batch.cursor);
    api.pollEvery(1);
    say(api, "people talking");
    const last = await polled(line, next.batch.cursor);
    const began = performance.now();
    await line.poll?.(last.batch.cursor, never);
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  test("a pause of months is one of an hour, and never none at all", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    api.pollEvery(3_000_000);
    const { batch } = await polled(line);
    const held = line.poll?.(batch.cursor, never).catch((error: unknown) => error);
    await new Promise((later) => setTimeout(later, 150));
    expect(lists(api)).toHaveLength(1);
    await line.close();
    expect(await held).toBeInstanceOf(ChannelError);
    expect(new ChannelError("rate-limited", "later", { retryAfterMs: 3e9 }).retryAfterMs).toBe(3_600_000);
  });

  test("a poll ends when it is stopped and when the channel is closed", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock, {}, { quickMs: 30_000 });
    const { batch } = await polled(line);
    const held = line.poll?.(batch.cursor, never).catch((error: unknown) => error);
    await line.close();
    expect(await held).toBeInstanceOf(ChannelError);
  });
});

describe("who is heard", () => {
  test("field 72: our own comments come back and are nobody's answer", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const ref = await line.post("default", aMessage({ question: q, body: `${q} 2` }), "k1", never);
    await line.edit?.("default", ref, aMessage({ question: q, body: `${q} 1` }), never);
    await line.post("default", aMessage({ body: `${q} 2`, replyTo: ref }), "k2", never);
    expect((await polled(line)).texts).toEqual([]);
    api.say(repository, issue, eric.login, `${q} 1`, { app: "some-app" });
    expect((await polled(line)).texts).toEqual([]);
  });

  test("field 73: a stranger is handed on with their number, and never with a better one", async () => {
    const { api, clock } = await aGitHub();
    api.repository(repository).private = false;
    api.addAccount("eric-gh2", 1);
    const line = await aLine(api, clock, { public: true });
    say(api, `${q} 2`, stranger.login);
    say(api, `${q} 2`, "eric-gh2");
    const { batch } = await polled(line);
    expect(batch.replies.map(({ sender, name }) => [sender, name])).toEqual([
      ["666001", "passer-by"],
      ["1", "eric-gh2"],
    ]);
  });

  test("a login that somebody else has taken is somebody else", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    api.rename(eric.login, "eric-at-work");
    api.addAccount(eric.login, 42);
    api.repository(repository).rights.set(eric.login, "write");
    say(api, `${q} 2`);
    say(api, `${q} 1`, "eric-at-work");
    expect((await polled(line)).batch.replies.map(({ sender }) => sender)).toEqual(["42", String(eric.id)]);
  });

  test("words that somebody else wrote into a comment are not its author's", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const id = say(api, "let me think");
    const first = await polled(line);
    clock.advance(2_000);
    api.edit(id, `${q} 2`, mara.login);
    const second = await polled(line, first.batch.cursor);
    expect(second.texts).toEqual([]);
    clock.advance(2_000);
    api.edit(id, `${q} 1`);
    expect((await polled(line, second.batch.cursor)).batch.replies).toMatchObject([
      { text: `${q} 1`, edited: true, sender: String(eric.id), at: clock.now() },
    ]);
  });

  test("… nor are they within the second in which it was written, when it shows no change", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const first = await polled(line);
    const stolen = say(api, `${q} 1`);
    api.edit(stolen, `${q} 2`, mara.login);
    const own = say(api, `${q} 8`);
    api.edit(own, `${q} 3`);
    say(api, `${q} 4`);
    const second = await polled(line, first.batch.cursor);
    expect(second.texts).toEqual([`${q} 3`, `${q} 4`]);
    // Where GraphQL has no word for us, what shows no change counts, and nobody waits for the next no.
    api.hideEditors();
    say(api, `${q} 5`);
    say(api, `${q} 6`);
    const asked = () => api.calls.filter(({ kind }) => kind === "graphql").length;
    const before = asked();
    expect((await polled(line, second.batch.cursor)).texts).toEqual([`${q} 5`, `${q} 6`]);
    expect(asked() - before).toBe(1);
  });

  test("where nobody tells who changed a comment, it counts for nothing; where that may pass, it is asked again", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const id = say(api, "let me think");
    const { batch } = await polled(line);
    clock.advance(2_000);
    api.edit(id, `${q} 2`);
    api.fail({ on: "graphql", how: { page: 502 }, times: 1 });
    await expect(polled(line, batch.cursor)).rejects.toMatchObject({ reason: "unavailable" });
    expect((await polled(line, batch.cursor)).texts).toEqual([`${q} 2`]);
    api.hideEditors();
    expect((await polled(line, batch.cursor)).texts).toEqual([]);
  });

  test("least_permission asks for more than the list, for each sender, and only where it is set", async () => {
    const { api, clock } = await aGitHub();
    api.repository(repository).rights.set(mara.login, "triage");
    say(api, `${q} 1`);
    say(api, `${q} 2`, mara.login);
    const line = await aLine(api, clock);
    expect((await polled(line)).texts).toEqual([`${q} 1`, `${q} 2`]);
    expect(api.calls.some(({ kind }) => kind === "permission")).toBe(false);
    const strict = await aLine(api, clock, { least_permission: "write" });
    api.fail({ on: "permission", how: { page: 502 }, times: 1 });
    await expect(polled(strict)).rejects.toMatchObject({ reason: "unavailable" });
    expect((await polled(strict)).texts).toEqual([`${q} 1`]);
  });

  test("a comment about a question names the comment of ours that shows it", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const body = `<!-- owlpost:question:${q} -->\n**Which way?**`;
    api.fail({ on: "post", how: "swallow", times: 1 });
    await expect(line.post("default", aMessage({ question: q, body }), "k1", never)).rejects.toThrow();
    const ours = api.comments(repository, issue).find(({ login }) => login === bot.login);
    say(api, `> Which way? [${q}]\n\n2`);
    say(api, `${q} 2`);
    expect((await polled(line)).batch.replies).toMatchObject([
      { text: "2", about: q, to: String(ours?.id) },
      { text: `${q} 2`, about: q, to: String(ours?.id) },
    ]);
  });

  test.each([
    ["the token was revoked", "revoke", "token-refused"],
    ["the issue is gone", "issue", "not-found"],
    ["the limit is used up", "limit", "rate-limited"],
  ])("%s: named, and not for good", async (_name, what, reason) => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const { batch } = await polled(line);
    if (what === "revoke") api.revoke("github_pat_TESTonly0not1a2token");
    if (what === "issue") api.repository(repository).issues.clear();
    if (what === "limit") {
      const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(clock.now() / 1_000 + 60) };
      api.fail({ on: "list", how: { status: 403, message: "API rate limit exceeded", headers }, times: 1 });
    }
    await until(
      () => polled(line, batch.cursor).catch((error: unknown) => error as ChannelError),
      (error) => error instanceof ChannelError && error.reason === reason && !error.permanent,
    );
  });
});
