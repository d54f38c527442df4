import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { buildPage } from "../../scripts/build-page.mjs";
import type { LocalCommand, Owlpost, ReportOutcome, StatusReport } from "../../src/app/api.ts";
import { type Inbox, newLink, startInbox } from "../../src/app/inbox-server.ts";
import { morningDigest } from "../../src/core/report-text.ts";
import type { Ack } from "../../src/domain/command.ts";
import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aStored } from "../builders.ts";
import { aRealisticNight, reportOfNight } from "../nights.ts";

export type Seen = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

export type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** An inbox over a real store of tokens and an `Owlpost` of plain data: what arrives is written down. */
export type Bench = {
  readonly inbox: Inbox;
  readonly store: Store;
  readonly decided: { command: LocalCommand; key: string | undefined }[];
  readonly logged: unknown[];
  status: () => Promise<StatusReport>;
  decide: (command: LocalCommand) => Promise<Ack>;
  report: (since: string | number | undefined) => Promise<ReportOutcome>;
  advance(ms: number): void;
  now(): number;
  /** The token of a fresh link. */
  linkToken(): Promise<string>;
  signIn(): Promise<string>;
  /** A request as a client of our own page would send it, changed by `sent`. */
  send(sent?: Sent): Promise<Seen>;
  close(): Promise<void>;
};

let built: Promise<string> | undefined;
afterAll(async () => {
  if (built) await rm(await built, { recursive: true, force: true });
});

export function pageFolder(): Promise<string> {
  built ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), "owlpost-page-"));
    await buildPage(folder);
    return folder;
  })();
  return built;
}

export async function openBench(): Promise<Bench> {
  const home = await mkdtemp(join(tmpdir(), "owlpost-inbox-"));
  const store = await openStore(join(home, "owlpost.db"));
  let now = Date.now();
  const logged: unknown[] = [];
  const log = (fields: object, text: string): void => void logged.push({ ...fields, text });
  const acks = new Map<string, Ack>();
  const refuse = (): never => {
    throw new Error("the inbox has no business here");
  };
  const bench = {} as { -readonly [Key in keyof Bench]: Bench[Key] };
  bench.decided = [];
  bench.status = async () => aStatus();
  bench.report = async () => {
    const report = reportOfNight(aRealisticNight());
    return { ok: true, report, digest: morningDigest(report) };
  };
  bench.decide = async () => ({ accepted: true, state: "answered", text: "Answered." });
  const owlpost: Owlpost = {
    home,
    async decide(command, _surface, key) {
      const known = acks.get(key ?? "");
      if (known) return known;
      bench.decided.push({ command, key });
      const ack = await bench.decide(command);
      acks.set(key ?? "", ack);
      return ack;
    },
    status: () => bench.status(),
    events: async () => [],
    ask: refuse,
    sweep: refuse,
    cancel: refuse,
    abort: refuse,
    copies: refuse,
    askedAgainAs: refuse,
    take: refuse,
    confirm: refuse,
    resolve: refuse,
    notify: refuse,
    question: refuse,
    board: refuse,
    pair: refuse,
    people: async () => ({ bindings: [], codes: [], allowed: [], pairable: [] }),
    revoke: refuse,
    report: async ({ since } = {}) => bench.report(since),
    inboxLink: refuse,
    changed: refuse,
    close: refuse,
  };
  const inbox = await startInbox({
    owlpost,
    store,
    port: 0,
    zone: "Europe/Berlin",
    host: "owl",
    log: { info: log, warn: log, error: log },
    assets: await pageFolder(),
    now: () => now,
  });
  return Object.assign(bench, {
    inbox,
    store,
    logged,
    advance(ms: number) {
      now += ms;
    },
    now: () => now,
    async linkToken() {
      return new URL(await newLink(store, inbox.port, now)).hash.slice("#token=".length);
    },
    async signIn() {
      const token = await bench.linkToken();
      const seen = await bench.send({
        method: "POST",
        path: "/api/session",
        body: JSON.stringify({ token }),
      });
      return JSON.parse(seen.body).session as string;
    },
    send: (sent: Sent = {}) => send(inbox.port, sent),
    async close() {
      await inbox.close();
      await store.close();
      await rm(home, { recursive: true, force: true });
    },
  });
}

export function aStatus(changes: Partial<StatusReport> = {}): StatusReport {
  return {
    service: { running: true },
    zone: "Europe/Berlin",
    open: [aStored()],
    decided: [],
    aborts: [],
    copies: new Map(),
    counts: {
      pending: 0,
      posted: 1,
      answered: 0,
      applied: 0,
      expired: 0,
      default_applied: 0,
      resolved: 0,
      cancelled: 0,
    },
    channels: [],
    wake: { channels: [], questions: [] },
    forms: new Map(),
    wakeLines: [],
    ...changes,
  };
}

/** Headers that are the empty string are left out. */
export function send(port: number, sent: Sent): Promise<Seen> {
  const method = sent.method ?? "GET";
  const own: Record<string, string> =
    method === "POST"
      ? {
          origin: `http://127.0.0.1:${port}`,
          "content-type": "application/json",
          "sec-fetch-site": "same-origin",
        }
      : {};
  // Node frames the body of an unusual method only when it is told how long it is.
  const length =
    sent.body === undefined || sent.headers?.["transfer-encoding"]
      ? {}
      : { "content-length": String(Buffer.byteLength(sent.body)) };
  const headers = Object.fromEntries(
    Object.entries({ ...own, ...length, ...sent.headers }).filter(([, value]) => value !== ""),
  );
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: "127.0.0.1", port, method, path: sent.path ?? "/", headers, agent: false },
      (incoming) => {
        let body = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk: string) => {
          body += chunk;
        });
        incoming.on("error", reject);
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(sent.body);
  });
}
