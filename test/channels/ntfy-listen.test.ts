import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { openFeed } from "../../channels/ntfy/feed.ts";
import { placeAt } from "../../channels/ntfy/place.ts";
import type { AnswerChannel, Batch } from "../../src/domain/channel.ts";
import { minute } from "../builders.ts";
import { until } from "../homes.ts";
import { aLine, aNtfy, type Ntfy, never, reply } from "../ntfy/phone.ts";

const second = 1_000;

function says(ntfy: Ntfy, ...texts: readonly string[]): string[] {
  return texts.map((message) => ntfy.server.push({ topic: reply, message }).id);
}

async function polled(channel: AnswerChannel, cursor?: string, signal = never): Promise<Batch> {
  if (!channel.poll) throw new Error("nothing comes in");
  return channel.poll(cursor, signal);
}

const texts = ({ replies }: Batch): (string | undefined)[] => replies.map(({ text }) => text);

describe("what comes in", () => {
  test("what the server has kept comes first, to its end; then one stream stays open over many polls", async () => {
    const ntfy = await aNtfy();
    says(ntfy, "one", "two");
    const channel = await aLine(ntfy);
    const backlog = await polled(channel);
    expect([texts(backlog), backlog.more]).toEqual([["one", "two"], undefined]);
    let { cursor } = backlog;
    for (const text of ["three", "four", "five"]) {
      const next = polled(channel, cursor);
      await until(ntfy.front.isPolled, (is) => is);
      says(ntfy, text);
      const batch = await next;
      expect(texts(batch)).toEqual([text]);
      cursor = batch.cursor;
    }
    expect(ntfy.front.of("poll").map(({ path }) => path.includes("poll=1"))).toEqual([true, false]);
  });

  test("a long backlog comes in parts, and says that there is more", async () => {
    const ntfy = await aNtfy();
    says(ntfy, ...Array.from({ length: 250 }, (_, n) => `text ${n}`));
    const channel = await aLine(ntfy);
    const parts: Batch[] = [await polled(channel)];
    while (parts.at(-1)?.more) parts.push(await polled(channel, parts.at(-1)?.cursor));
    expect(parts.map(({ replies }) => replies.length)).toEqual([100, 100, 50]);
    expect(ntfy.front.of("poll")).toHaveLength(1);
  });

  test("a poll that hears nothing comes back empty, and the stream stays", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy, {}, { waitMs: 20 });
    expect(await polled(channel)).toEqual({ replies: [] });
    for (let n = 0; n < 3; n += 1) expect(await polled(channel)).toEqual({ replies: [] });
    expect(ntfy.front.of("poll")).toHaveLength(2);
  });

  test("after a cut the line is made anew from a little before, and what comes twice is handed on once", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy, {}, { shortMs: 0 });
    says(ntfy, "one");
    let { cursor } = await polled(channel);
    ntfy.clock.advance(minute);
    says(ntfy, "two");
    ({ cursor } = await polled(channel, cursor));
    ntfy.clock.advance(minute);
    says(ntfy, "three");
    ({ cursor } = await polled(channel, cursor));
    const next = polled(channel, cursor);
    await until(ntfy.front.isPolled, (is) => is);
    ntfy.front.cut();
    await until(
      () => ntfy.front.of("poll").length,
      (count) => count === 3,
    );
    says(ntfy, "four");
    expect(texts(await next)).toEqual(["four"]);
    const anchor = ntfy.front.of("poll").at(-1)?.path.split("since=")[1];
    expect(ntfy.server.kept(reply).find(({ id }) => id === anchor)?.message).toBe("two");
  });

  test("a line that is cut at once, again and again, is named and not made anew without end", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy);
    await polled(channel);
    const next = polled(channel);
    await until(ntfy.front.isPolled, (is) => is);
    ntfy.front.cut();
    await expect(next).rejects.toMatchObject({ reason: "line-cut", permanent: false });
  });

  test("a line that says nothing is made anew, although nobody closed it", async () => {
    const ntfy = await aNtfy({ keepaliveMs: 60_000 });
    const channel = await aLine(ntfy, {}, { waitMs: 2_000, silenceMs: 150 });
    await polled(channel);
    const next = polled(channel);
    await until(
      () => ntfy.front.of("poll").length,
      (count) => count >= 3,
    );
    says(ntfy, "heard");
    expect(texts(await next)).toEqual(["heard"]);
  });

  test("signs of life keep it, and none of their ids becomes the place to go on from", async () => {
    const ntfy = await aNtfy({ keepaliveMs: 40 });
    const [one] = says(ntfy, "one");
    const channel = await aLine(ntfy, {}, { waitMs: 900, silenceMs: 400 });
    const { cursor } = await polled(channel);
    expect(cursor).toContain(`:${one}:`);
    expect(await polled(channel, cursor)).toEqual({ replies: [] });
    expect(ntfy.front.of("poll")).toHaveLength(2);
  });

  test("an unknown place brings the whole cache: nothing is lost, and the store knows what came before", async () => {
    const ntfy = await aNtfy();
    const ids = says(ntfy, "one", "two");
    const channel = await aLine(ntfy);
    const batch = await polled(channel, "AAAAAAAAAAAA:BBBBBBBBBBBB:1764446060");
    expect(batch.replies.map(({ key }) => key)).toEqual(ids);
  });

  test("a server that has lost its cache is heard from then on", async () => {
    const ntfy = await aNtfy();
    says(ntfy, "one");
    const before = await aLine(ntfy);
    const { cursor } = await polled(before);
    await before.close();
    ntfy.server.forget();
    const after = await aLine(ntfy);
    expect(texts(await polled(after, cursor))).toEqual([]);
    says(ntfy, "two");
    expect(texts(await polled(after, cursor))).toEqual(["two"]);
  });

  test("a cursor that nobody could have made begins anew", async () => {
    const ntfy = await aNtfy();
    says(ntfy, "one");
    const channel = await aLine(ntfy);
    expect(texts(await polled(channel, "not a cursor"))).toEqual(["one"]);
  });

  test("what was handed on and not committed comes again, in the same life", async () => {
    const ntfy = await aNtfy();
    says(ntfy, "one");
    const channel = await aLine(ntfy);
    const { cursor } = await polled(channel);
    const next = polled(channel, cursor);
    await until(ntfy.front.isPolled, (is) => is);
    says(ntfy, "two");
    expect(texts(await next)).toEqual(["two"]);
    expect(texts(await polled(channel, cursor))).toContain("two");
  });

  test("messages of one second that come in another order lose none", async () => {
    const ntfy = await aNtfy();
    const ids = says(ntfy, "one", "two", "three");
    const channel = await aLine(ntfy);
    const { cursor } = await polled(channel);
    await channel.close();
    says(ntfy, "four");
    const other = await aLine(ntfy);
    const again = await polled(other, cursor);
    expect(again.replies.map(({ key }) => key)).toEqual([...ids, expect.any(String)]);
  });

  test("our own question and our own probe are no replies, nor is what a file holds", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy, {}, { waitMs: 20 });
    await channel.lastWord?.pace(never);
    ntfy.server.push({ topic: reply, message: "You received a file: a.txt", attachment: { name: "a.txt" } });
    ntfy.server.push({ topic: reply, message: "triggered" });
    expect(ntfy.front.of("probe")).toHaveLength(1);
    expect((await polled(channel)).replies).toEqual([]);
  });

  test("a stop ends a poll at once, and after a close nothing is held", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy, {}, { waitMs: 20_000 });
    await polled(channel);
    const stop = new AbortController();
    const held = polled(channel, undefined, stop.signal);
    await until(ntfy.front.isPolled, (is) => is);
    stop.abort();
    await expect(held).rejects.toMatchObject({ reason: "stopped" });
    await channel.close();
    await until(ntfy.server.streams, (count) => count === 0);
    await expect(polled(channel)).rejects.toMatchObject({ reason: "stopped" });
  });
});

describe("the place", () => {
  test("the anchor is the newest that is half a minute older than the latest", () => {
    const place = placeAt(undefined);
    expect([place.since(), place.cursor()]).toEqual(["all", undefined]);
    place.note({ id: "a", seconds: 100 });
    place.note({ id: "b", seconds: 120 });
    expect([place.since(), place.cursor()]).toEqual(["all", ":b:120"]);
    place.note({ id: "c", seconds: 131 });
    expect([place.since(), place.cursor()]).toEqual(["a", "a:c:131"]);
    place.note({ id: "d", seconds: 150 });
    expect(place.since()).toBe("b");
  });

  test("a server whose clock goes back moves it back never", () => {
    const place = placeAt("a:b:1000");
    place.note({ id: "c", seconds: 500 });
    expect([place.since(), place.cursor()]).toEqual(["c", "c:c:1000"]);
    place.note({ id: "d", seconds: 510 });
    expect(place.cursor()).toBe("d:d:1000");
  });

  test("it goes on where it was stored", () => {
    const place = placeAt("a:b:1000");
    expect(place.since()).toBe("a");
    place.note({ id: "c", seconds: 1_031 });
    expect(place.since()).toBe("b");
  });
});

describe("lines", () => {
  const event = { id: "m1", event: "message" };

  async function read(...chunks: readonly (string | Buffer)[]): Promise<readonly unknown[]> {
    const body = new PassThrough();
    const feed = openFeed(body);
    for (const chunk of chunks) body.write(chunk);
    body.end();
    await feed.wait(second, never);
    await new Promise((next) => setImmediate(next));
    return feed.take(1_000);
  }

  test("come whole, however they were cut on the way", async () => {
    const text = Buffer.from(`${JSON.stringify({ ...event, message: "日本 🦉" })}\n`);
    const bytes = [...text].map((byte) => Buffer.from([byte]));
    expect(await read(...bytes)).toEqual([{ ...event, message: "日本 🦉" }]);
  });

  test("what is no JSON, and what is blank, is passed over", async () => {
    const line = JSON.stringify(event);
    expect(await read(`<html>\n\n${line}\n{"half":\n${line}\n`)).toEqual([event, event]);
  });

  test("one that has no end is passed over, and the next is read", async () => {
    const long = `"${"x".repeat(400_000)}`;
    expect(await read(long, long, `"\n${JSON.stringify(event)}\n`)).toEqual([event]);
  });
});
