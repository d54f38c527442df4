import { mkdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { HomeTakenError } from "../../src/app/service.ts";
import { isServiceAlive, processStart } from "../../src/app/service-lock.ts";
import { listenPath } from "../../src/app/service-socket.ts";
import type { ServiceRecord } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, hour } from "../builders.ts";
import { aClock, afterwards, aHome, aService, until } from "../homes.ts";

function aRecord(changes: Partial<ServiceRecord> = {}): ServiceRecord {
  const startedAt = processStart(process.pid) ?? "";
  return {
    pid: process.pid,
    startedAt,
    token: "t",
    host: hostname(),
    socket: "s",
    sinceAt: 0,
    port: undefined,
    ...changes,
  };
}

/** Sends lines over the home's socket and returns what comes back, one value a line. */
async function say(home: string, lines: readonly string[]): Promise<unknown[]> {
  const socket = connect(listenPath(home));
  const replies: unknown[] = [];
  let text = "";
  socket.setEncoding("utf8");
  await new Promise<void>((done, failed) => {
    socket.on("error", failed);
    socket.on("close", () => done());
    socket.on("data", (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        replies.push(JSON.parse(text.slice(0, end)));
        text = text.slice(end + 1);
      }
      if (replies.length === lines.length) socket.end();
    });
    socket.write(lines.map((line) => `${line}\n`).join(""));
  });
  return replies;
}

describe("one service for one home", () => {
  test("a second one is told who runs", async () => {
    const { home } = await aService();
    const second = aService({ home });
    await expect(second).rejects.toThrow(HomeTakenError);
    await expect(second).rejects.toThrow(`process ${process.pid}`);
  });

  test("after a clean stop the place is free", async () => {
    const first = await aService();
    await first.close();
    const second = await aService({ home: first.home });
    const kinds = (await second.owlpost.events(0, 100)).map((event) => event.kind);
    expect(kinds.filter((kind) => kind.startsWith("service"))).toEqual([
      "service.started",
      "service.stopped",
      "service.started",
    ]);
  });

  test("a pid that now belongs to another process is not a lock", async () => {
    const home = aHome();
    const store = await openStore(join(home, "owlpost.db"));
    const dead = aRecord({ startedAt: "1", token: "dead" });
    expect(await store.acquireService(dead, () => true)).toBeUndefined();
    await store.close();
    const service = await aService({ home });
    expect((await service.store.service())?.startedAt).toBe(processStart(process.pid));
  });

  test("a record is alive only with the same pid and start time; another host's cannot be judged", () => {
    expect(isServiceAlive(aRecord())).toBe(true);
    expect(isServiceAlive(aRecord({ startedAt: "1" }))).toBe(false);
    expect(isServiceAlive(aRecord({ pid: 4_194_305 }))).toBe(false);
    expect(isServiceAlive(aRecord({ host: "another", startedAt: "other-boot/pid:[1]/7" }))).toBe(true);
    // Renamed since: under the same kernel the pid still means the same process.
    expect(isServiceAlive(aRecord({ host: "before" }))).toBe(true);
    expect(isServiceAlive(aRecord({ host: "before", pid: 4_194_305 }))).toBe(false);
  });
});

describe("the home's socket", () => {
  test("is open to its owner alone, and gone after a stop", async () => {
    const service = await aService();
    expect(statSync(listenPath(service.home)).mode & 0o777).toBe(0o600);
    await service.close();
    expect(() => statSync(listenPath(service.home))).toThrow("ENOENT");
  });

  test("takes an ask, a nudge and a request for a link, and survives nonsense", async () => {
    const service = await aService();
    const replies = await say(service.home, [
      JSON.stringify({ op: "nudge" }),
      "no json",
      JSON.stringify({ op: "fly" }),
      JSON.stringify({ op: "ask", request: { document: aDocument() } }),
      JSON.stringify({ op: "ask", request: { document: [] } }),
      JSON.stringify({ op: "inbox" }),
      JSON.stringify({ op: "ask", request: { document: aDocument(), project: ["x"] } }),
      JSON.stringify({ op: "ask", request: { text: 5 } }),
      JSON.stringify({ op: "ask", request: { document: aDocument(), key: { a: 1 } } }),
    ]);
    expect(replies).toHaveLength(9);
    expect(replies.filter((reply) => (reply as { ok: boolean }).ok)).toHaveLength(4);
    expect(JSON.stringify(replies)).toContain("q-a3f2-012-fix-auth-1");
    expect(JSON.stringify(replies)).toContain(`http://127.0.0.1:${service.port}/#`);
    expect(JSON.stringify(replies)).toContain('"code":"bad-request"');
  });

  test("lies elsewhere when the home's path is too long for a socket", async () => {
    const home = join(aHome(), "a".repeat(120));
    mkdirSync(home, { mode: 0o700 });
    const service = await aService({ home });
    expect(Buffer.byteLength(listenPath(service.home))).toBeLessThan(104);
    expect(await say(home, [JSON.stringify({ op: "nudge" })])).toEqual([{ ok: true }]);
    await service.close();
    expect(() => statSync(join(home, "socket-path"))).toThrow("ENOENT");
  });
});

test("a fresh service says at once that its inbox is up", async () => {
  const service = await aService();
  const { channels, service: place } = await service.owlpost.status();
  expect(channels).toMatchObject([{ channel: "inbox", up: true, rings: false, detail: "" }]);
  expect(place).toMatchObject({ running: true, pid: process.pid });
});

test("the place of a service on another host is taken only when that is said", async () => {
  const home = aHome();
  const store = await openStore(join(home, "owlpost.db"));
  await store.acquireService(
    aRecord({ host: "gone", token: "old", startedAt: "other-boot/pid:[1]/7" }),
    () => true,
  );
  await store.close();
  await expect(aService({ home })).rejects.toThrow("--take-over");
  const service = await aService({ home, takeOver: true });
  expect((await service.store.service())?.host).toBe(hostname());
});

test("an ask of another process is noticed and sent, without a nudge too", async () => {
  const service = await aService();
  const other = await openOwlpost({ home: service.home, config: aConfig() });
  afterwards(() => other.close());
  const changed = service.owlpost.changed(60_000);
  const asked = await other.ask({ document: aDocument() });
  await changed;
  const posted = await until(
    () => service.owlpost.question(asked.ok ? asked.id : ""),
    (stored) => stored?.state === "posted",
  );
  expect(posted?.revision).toBe(2);
});

test("deadlines run out while the service runs, whatever the clock does", async () => {
  const clock = aClock();
  const service = await aService({ now: clock.now });
  const asked = await service.owlpost.ask({ document: aDocument() });
  const id = asked.ok ? asked.id : "";
  clock.advance(30 * 24 * hour);
  await service.settle();
  const expired = await until(
    () => service.owlpost.question(id),
    (stored) => stored?.state === "expired",
  );
  expect(expired?.outcome).toBe("expired");
  clock.advance(-60 * 24 * hour);
  await service.settle();
  expect((await service.owlpost.question(id))?.state).toBe("expired");
});
