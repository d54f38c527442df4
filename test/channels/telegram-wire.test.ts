import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { open } from "../../channels/telegram.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import { readWire } from "../conformance/wire-telegram.ts";
import { afterwards } from "../homes.ts";
import { never, token } from "../telegram/phone.ts";

const folder = join(import.meta.dirname, "../cases/wire/telegram");
const world = readWire(folder, "world.json");
const expected = readWire(folder, "expect.json") as Record<string, Record<string, unknown>>;

/** A server that gives one answer to every poll, and writes down what it is asked. */
async function aRecording(name: string) {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    const method = request.url?.split("/").at(-1) ?? "";
    methods.push(method);
    const told =
      method === "getUpdates"
        ? readWire(folder, name)
        : { ok: true, result: method === "getMe" ? world.bot : true };
    request.resume().on("end", () => {
      response.writeHead("error_code" in told ? Number(told.error_code) : 200, {
        "content-type": "application/json",
      });
      response.end(JSON.stringify(told));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const channel = await open({ token, allow: [], api_root: `http://127.0.0.1:${port}` });
  afterwards(async () => {
    await channel.close();
    server.closeAllConnections();
    server.close();
  });
  return { methods, channel };
}

describe("the recorded answers, over the line", () => {
  const files = readdirSync(folder).filter((name) => !["world.json", "expect.json"].includes(name));

  test("every recording has its expectation", () => {
    expect(files.sort()).toEqual(Object.keys(expected).sort());
  });

  test.each(files.filter((name) => name !== "error-409.json"))("%s", async (name) => {
    const wanted = expected[name] ?? {};
    const { methods, channel } = await aRecording(name);
    const batch = await channel.poll?.(undefined, never);
    const replies = (Array.isArray(wanted.replies) ? wanted.replies : [wanted.reply]).filter(
      (each) => each !== null,
    );
    // The store knows a key that came before; the adapter gives it again.
    const again = "after" in wanted ? 1 : 0;
    expect(batch?.replies).toHaveLength(replies.length + again);
    const offset = "nextOffset" in wanted ? wanted.nextOffset : Number(wanted.dedup) + 1;
    expect(batch?.cursor).toMatch(new RegExp(`^7000000001:${offset}:`));
    for (const { key } of batch?.replies ?? []) expect(key).toMatch(/^7000000001:8100001\d\d$/);
    expect(methods).not.toContain("answerCallbackQuery");
    await batch?.settle?.([]);
    if ("ack" in wanted) expect(methods).toContain(wanted.ack);
  });

  test("field 1: error-409.json: the channel is down with its name, and nothing else is called", async () => {
    const { methods, channel } = await aRecording("error-409.json");
    const error: unknown = await channel.poll?.(undefined, never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ChannelError);
    expect(error).toMatchObject({ reason: "token-in-use", permanent: false, retryAfterMs: 5_000 });
    expect(methods).toEqual(["getMe", "getUpdates"]);
  });
});
