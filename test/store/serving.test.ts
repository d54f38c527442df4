import { describe, expect, it } from "vitest";
import type { ServiceRecord } from "../../src/domain/store.ts";
import { aStore, minute, now } from "./builders.ts";

function aService(token: string, more: Partial<ServiceRecord> = {}): ServiceRecord {
  return {
    pid: 7,
    startedAt: "812",
    token,
    host: "mill",
    socket: "owlpost.sock",
    port: 7373,
    sinceAt: 5,
    ...more,
  };
}

describe("the service's place", () => {
  it("goes to the first, and to the next only when the holder is gone", async () => {
    const store = await aStore();
    expect(await store.service()).toBeUndefined();
    expect(await store.acquireService(aService("a"), () => true)).toBeUndefined();
    expect(await store.acquireService(aService("b"), () => true)).toEqual(aService("a"));
    expect(await store.acquireService(aService("a", { port: undefined }), () => true)).toBeUndefined();
    expect(await store.service()).toEqual(aService("a", { port: undefined }));
    expect(await store.acquireService(aService("b"), () => false)).toBeUndefined();
    await store.releaseService("a");
    expect(await store.service()).toEqual(aService("b"));
    await store.releaseService("b");
    expect(await store.service()).toBeUndefined();
  });
});

describe("health", () => {
  it("keeps the last word of every channel", async () => {
    const store = await aStore();
    const up = { channel: "telegram", up: true, since: now, lastReceiveAt: now };
    const down = { channel: "slack", up: false, since: now, detail: "no route" };
    await store.setHealth({ ...down, channel: "telegram" });
    await store.setHealth(up);
    await store.setHealth(down);
    expect(await store.health()).toEqual([down, up]);
  });
});

describe("tokens", () => {
  it("a link is used once, by the first of many, and not after its time", async () => {
    const store = await aStore();
    await store.addToken("h1", "link", now + minute);
    await store.addToken("h2", "link", now);
    await store.addToken("h3", "session", now + minute);
    const uses = await Promise.all(Array.from({ length: 9 }, () => store.useLink("h1", now)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(uses[0]).toBe(true);
    expect(await store.useLink("h2", now)).toBe(false);
    expect(await store.useLink("h3", now)).toBe(false);
    expect(await store.useLink("nobody", now)).toBe(false);
  });

  it("a session lasts until its time; a link is no session", async () => {
    const store = await aStore();
    await store.addToken("h1", "session", now + 1);
    await store.addToken("h2", "link", now + 1);
    expect(await store.hasSession("h1", now)).toBe(true);
    expect(await store.hasSession("h1", now + 1)).toBe(false);
    expect(await store.hasSession("h2", now)).toBe(false);
  });
});
