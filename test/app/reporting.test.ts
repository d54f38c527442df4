import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/app/config.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { lastNightAt, reportBetween } from "../../src/app/reporting.ts";
import { reportText } from "../../src/core/report-text.ts";
import type { Effect } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, evening, hour, minute } from "../builders.ts";
import { aClock, afterwards, aHome, aService, until } from "../homes.ts";
import { hoursOf } from "../nights.ts";

const night = { hours: hoursOf("22:00-08:00"), isolated: false, autoDefault: false };

async function aDesk(changes: Partial<Config> = {}) {
  const clock = aClock();
  const owlpost = await openOwlpost({ home: aHome(), config: aConfig(changes), now: clock.now, host: "owl" });
  afterwards(() => owlpost.close());
  const asks = async (document: Record<string, unknown> = {}): Promise<string> => {
    const asked = await owlpost.ask({ document: aDocument(document) });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    return asked.id;
  };
  const report = async (since?: string) => {
    const outcome = await owlpost.report(since === undefined ? {} : { since });
    if (!outcome.ok) throw new Error(outcome.error);
    return outcome.report;
  };
  return { clock, owlpost, asks, report };
}

describe("a report over the store", () => {
  test("tells a night as it went: answered, skipped, changed, defaulted, cancelled, steered", async () => {
    const { clock, owlpost, asks, report } = await aDesk();
    const [first, second, third, fourth] = [
      await asks(),
      await asks({ task: "013-rate-limit", title: "429 or 503?" }),
      await asks({ task: "014-orders", title: "Which table first?" }),
      await asks({ task: "015-docs", title: "Keep the anchors?" }),
    ];
    clock.advance(20 * minute);
    await owlpost.decide({ verb: "choose", question: first, key: "1" }, "inbox");
    await owlpost.decide({ verb: "override", question: first, key: "2" }, "cli");
    await owlpost.decide({ verb: "skip", question: second }, "cli");
    await owlpost.decide({ verb: "steer", target: "014-orders", text: "keep it small" }, "cli");
    await owlpost.cancel(fourth, "the task was removed");
    clock.advance(10 * minute);
    const { taken } = await owlpost.take({ run: "a3f2" });
    expect(taken).toHaveLength(2);
    await owlpost.resolve(first, "done");
    clock.advance(7 * hour);
    await owlpost.take({ run: "a3f2" });
    const told = reportText(await report());
    expect(told).toContain(`Token refresh strategy for the auth middleware? [${first}]`);
    expect(told).toContain(
      "Changed to option 2 — Extend the TTL to 30 days, from the command line on owl at 23:20",
    );
    expect(told).toContain("Was: option 1 — Refresh-token rotation, in the local inbox on owl");
    expect(told).toContain("Skipped from the command line on owl at 23:20; the spec stays blocked");
    expect(told).toContain("Then: picked up by run a3f2 at 23:30, closed as done");
    expect(told).toContain(`Which table first? [${third}]\n      No answer by 06:00: spec skipped`);
    expect(told).toContain("Cancelled: the task was removed");
    expect(told).toContain("> keep it small");
    expect(told).toContain("012-fix-auth: done");
  });

  test("to look at it changes nothing, even after a deadline that nobody has swept", async () => {
    const { clock, owlpost, asks, report } = await aDesk();
    const id = await asks();
    clock.advance(8 * hour);
    const before = [await owlpost.store.lastEvent(), owlpost.store.dataVersion()];
    const seen = await report();
    expect(seen.waiting.map(({ state }) => state)).toEqual(["expired"]);
    expect([await owlpost.store.lastEvent(), owlpost.store.dataVersion()]).toEqual(before);
    const [stored] = await owlpost.store.questions({ states: ["pending", "posted"], limit: 5 });
    expect(stored).toMatchObject({ question: { id }, state: "pending" });
  });

  test("begins where it is told to, at the start of the night, or 12 hours ago", async () => {
    const { report, owlpost } = await aDesk();
    // It is 23:00 in Berlin.
    expect((await report()).fromAt).toBe(evening - 12 * hour);
    expect((await report("22:00")).fromAt).toBe(evening - hour);
    expect((await report("23:30")).fromAt).toBe(evening - 23.5 * hour);
    expect((await report("90m")).fromAt).toBe(evening - 90 * minute);
    expect((await report("2026-07-06T18:00+02:00")).fromAt).toBe(evening - 5 * hour);
    for (const since of [
      "yesterday",
      "",
      "25:00",
      "0h",
      "2027-01-01T00:00Z",
      "2026-07-06T22:00",
      "0001-01-01T00:00Z",
    ]) {
      expect(await owlpost.report({ since })).toEqual({ ok: false, error: "bad-since" });
    }
    const quiet = await aDesk({ night });
    expect((await quiet.report()).fromAt).toBe(evening - hour);
    quiet.clock.advance(12 * hour);
    expect((await quiet.report()).fromAt).toBe(evening - hour);
  });

  test.each([
    ["22:00-08:00", "2026-07-07T06:00:00Z", "2026-07-06T20:00:00Z"],
    ["22:00-08:00", "2026-07-07T19:59:00Z", "2026-07-06T20:00:00Z"],
    ["22:00-08:00", "2026-07-07T20:00:00Z", "2026-07-07T20:00:00Z"],
    ["03:00-03:01", "2026-07-07T10:00:00Z", "2026-07-07T01:00:00Z"],
    ["22:00-08:00", "2026-10-25T09:00:00Z", "2026-10-24T20:00:00Z"],
    ["00:00-24:00", "2026-07-07T10:00:00Z", "2026-07-06T22:00:00Z"],
  ])("the last night of %s at %s began at %s", (window, now, start) => {
    const rules = { ...night, hours: hoursOf(window) };
    expect(new Date(lastNightAt({ night: rules }, Date.parse(now))).toISOString()).toBe(
      start.replace("Z", ".000Z"),
    );
  });

  test("finds its place in a long log without reading it all, and the state of the channels before it", async () => {
    const store = await openStore(join(aHome(), "owlpost.db"));
    afterwards(() => store.close());
    const log = (kind: "reply.refused" | "channel.down", data: Record<string, unknown>): Effect => ({
      type: "log",
      event: { kind, data },
    });
    const start = evening - 20 * 24 * hour;
    for (let day = 0; day < 21; day += 1) {
      const refused = Array.from({ length: 300 }, () =>
        log("reply.refused", { reason: "bad-option", via: "telegram" }),
      );
      await store.append(refused, start + day * 24 * hour);
    }
    await store.append([log("channel.down", { channel: "telegram" })], evening + 1);
    const report = await reportBetween(store, aConfig(), evening + minute, evening + hour);
    expect(report.refused).toEqual([]);
    expect(report.deaf).toEqual([
      {
        channel: "telegram",
        spans: [{ fromAt: evening + minute, toAt: evening + hour }],
        totalMs: 59 * minute,
      },
    ]);
    let read = 0;
    const counting = {
      ...store,
      events: (since: number, limit: number) => {
        read += limit === 1 ? 1 : 0;
        return store.events(since, limit);
      },
    };
    expect((await reportBetween(counting, aConfig(), evening - 25 * hour, evening + hour)).refused).toEqual([
      { reason: "bad-option", count: 600 },
    ]);
    expect(read).toBeLessThan(60);
  });

  test("a question of weeks ago that still stays parked is told again", async () => {
    const { clock, asks, report } = await aDesk();
    const id = await asks({ default: { action: "stay_parked", at: "12h" } });
    clock.advance(21 * 24 * hour);
    const seen = await report();
    expect(seen.parked.map(({ question }) => question.id)).toEqual([id]);
    expect(seen.timeline.rows).toEqual([]);
  });
});

test("field 77: a digest and a question go to every channel, though the inbox's page is open and being read", async () => {
  const posted: string[] = [];
  const phone = {
    id: "telegram",
    rings: true,
    destinations: ["42"],
    async post(_to: string, message: { readonly body: string }) {
      posted.push(message.body);
      return `42:${posted.length}`;
    },
    close: async () => undefined,
  };
  const service = await aService({
    config: aConfig({
      deliver: ["telegram", "inbox"],
      channels: { inbox: { port: 0 }, telegram: { token: "1:a", allow: [42] } },
    }),
    channels: new Map([["telegram", phone]]),
  });
  const link = new URL((await service.owlpost.inboxLink()) ?? "");
  const headers = { "content-type": "application/json", origin: link.origin };
  const body = JSON.stringify({ token: link.hash.slice("#token=".length) });
  const signed = await fetch(new URL("/api/session", link), { method: "POST", headers, body });
  const { session } = (await signed.json()) as { session: string };
  const gone = new AbortController();
  afterwards(() => gone.abort());
  const stream = await fetch(new URL("/api/stream", link), {
    headers: { authorization: `Bearer ${session}` },
    signal: gone.signal,
  });
  expect(stream.status).toBe(200);
  await service.owlpost.ask({ document: aDocument({ default: { action: "skip_spec", at: "8h" } }) });
  const outcome = await service.owlpost.report();
  if (!outcome.ok) throw new Error(outcome.error);
  const { channels } = await service.owlpost.notify(outcome.digest.kind, outcome.digest.text);
  expect(channels).toContain("telegram");
  await until(
    () => posted,
    (all) => all.length === 2,
  );
  expect(posted[0]).toContain("Token refresh strategy");
  expect(posted[1]).toContain("Waits for somebody");
});
