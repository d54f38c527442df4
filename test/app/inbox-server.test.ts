import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startInbox } from "../../src/app/inbox-server.ts";
import { silentLog } from "../../src/app/log.ts";
import { StoreError } from "../../src/domain/store.ts";
import { aQuestionId } from "../builders.ts";
import { type Bench, openBench, pageFolder } from "./inbox-peer.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const key = "k".repeat(24);
const choose = { command: { verb: "choose", question: aQuestionId, key: "1" }, key };
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

async function decide(body: unknown, headers: Record<string, string> = {}) {
  const session = await bench.signIn();
  return bench.send({
    method: "POST",
    path: "/api/decide",
    headers: { ...bearer(session), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

describe("who may speak to the inbox", () => {
  it.each([
    "evil.example",
    "evil.example:PORT",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost.evil.example:PORT",
    "127.0.0.1.nip.io:PORT",
    "0.0.0.0:PORT",
    "127.1:PORT",
    "127.0.0.1:PORT, evil.example",
    "evil.example@127.0.0.1:PORT",
  ])("refuses Host %s on every route: a name that was rebound to the loopback", async (name) => {
    const host = name.replace("PORT", String(bench.inbox.port));
    const session = await bench.signIn();
    for (const path of ["/", "/inbox.js", "/api/state", "/api/stream", "/api/report", "/api/report.html"]) {
      const seen = await bench.send({ path, headers: { host, ...bearer(session) } });
      expect([400, 403]).toContain(seen.status);
      expect(seen.body).not.toContain("cards");
    }
    const seen = await decide(choose, { host, origin: `http://${host}` });
    expect([400, 403]).toContain(seen.status);
    expect(bench.decided).toEqual([]);
  });

  it.each(["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])("answers to Host %s", async (name) => {
    const seen = await bench.send({ headers: { host: `${name}:${bench.inbox.port}` } });
    expect(seen.status).toBe(200);
  });

  it("refuses a request line that names another server", async () => {
    const seen = await bench.send({ path: "http://evil.example/api/state" });
    expect(seen.status).toBeGreaterThanOrEqual(400);
  });

  it("refuses a request without Host", async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(bench.inbox.port, "127.0.0.1", () => socket.end("GET / HTTP/1.0\r\n\r\n"));
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
      });
      socket.on("end", () => resolve(text));
      socket.on("error", reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
  });

  it.each([
    "http://evil.example",
    "http://localhost:PORT",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1:1",
    "http://127.0.0.1:PORT.evil.example",
    "null",
    "file://",
  ])("refuses Origin %s although the session is right", async (name) => {
    const origin = name.replace("PORT", String(bench.inbox.port));
    expect((await decide(choose, { origin })).status).toBe(403);
    const session = await bench.signIn();
    for (const path of ["/api/state", "/api/stream"]) {
      expect((await bench.send({ path, headers: { origin, ...bearer(session) } })).status).toBe(403);
    }
    expect(bench.decided).toEqual([]);
  });

  it.each(["cross-site", "same-site", "", "nonsense"])(
    "refuses a change without Origin from a place called “%s”",
    async (site) => {
      expect((await decide(choose, { origin: "", "sec-fetch-site": site })).status).toBe(403);
      expect(bench.decided).toEqual([]);
    },
  );

  it("refuses a look from another page of the same machine, whatever port it has", async () => {
    const session = await bench.signIn();
    for (const site of ["same-site", "cross-site"]) {
      const headers = { ...bearer(session), "sec-fetch-site": site };
      expect((await bench.send({ path: "/api/state", headers })).status).toBe(403);
    }
  });

  it("takes a change from its own page", async () => {
    const seen = await decide(choose);
    expect(seen.status).toBe(200);
    expect(JSON.parse(seen.body)).toEqual({ accepted: true, state: "answered", text: "Answered." });
    expect(bench.decided).toEqual([{ command: choose.command, key }]);
  });

  it("listens on the loopback alone", async () => {
    const outside = await bench.send({ path: "/" });
    expect(outside.status).toBe(200);
    const refused = await new Promise<string>((resolve) => {
      const socket = connect(bench.inbox.port, "127.0.0.2", () => resolve("open"));
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
    });
    expect(refused).toBe("ECONNREFUSED");
  });
});

describe("what the inbox takes", () => {
  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    "application/jsonp",
    "",
  ])("refuses a change sent as “%s”: a form of another page could send it", async (type) => {
    expect((await decide(choose, { "content-type": type })).status).toBe(415);
    expect(bench.decided).toEqual([]);
  });

  it("refuses a body over 128 KiB, announced or not", async () => {
    const text = "x".repeat(128 * 1024);
    const body = JSON.stringify({ command: { verb: "answer", question: aQuestionId, text }, key });
    expect((await decide(body)).status).toBe(413);
    expect((await decide(body, { "transfer-encoding": "chunked" })).status).toBe(413);
    expect(bench.decided).toEqual([]);
  });

  it.each([
    ["no JSON", "{"],
    ["null", "null"],
    ["a list", "[]"],
    ["no key", JSON.stringify({ command: choose.command })],
    ["a short key", JSON.stringify({ ...choose, key: "short" })],
    ["an unknown verb", JSON.stringify({ command: { verb: "abort", run: "a3f2" }, key })],
    ["more than a decision", JSON.stringify({ command: { ...choose.command, by: "eric" }, key })],
    ["a blank answer", JSON.stringify({ command: { verb: "answer", question: "q", text: " \n" }, key })],
    ["a key that is no text", JSON.stringify({ command: { verb: "choose", question: "q", key: 1 }, key })],
    ["a prototype", '{"__proto__":{"command":{}},"key":"kkkkkkkkkkkkkkkkkkkkkkkk"}'],
  ])("refuses %s", async (_name, body) => {
    const seen = await decide(body);
    expect(seen.status).toBe(400);
    expect(JSON.parse(seen.body).error).toBe("bad-decision");
    expect(bench.decided).toEqual([]);
  });

  it("changes nothing by GET, HEAD or any other method", async () => {
    const session = await bench.signIn();
    const link = await bench.linkToken();
    const before = bench.store.dataVersion();
    const paths = [
      "/",
      "/inbox.js",
      "/inbox.css",
      "/api/session",
      "/api/state",
      "/api/decide",
      "/report.css",
      "/api/report",
      "/api/report.html",
      `/?token=${link}`,
    ];
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"]) {
      for (const path of paths) {
        const seen = await bench.send({
          method,
          path,
          headers: { ...bearer(session), "content-type": "application/json" },
          ...(method === "GET" || method === "HEAD"
            ? {}
            : { body: JSON.stringify({ ...choose, token: link }) }),
        });
        expect(seen.headers["access-control-allow-origin"]).toBeUndefined();
        const isRead = method === "GET" && /^\/api\/(state|report)/.test(path);
        if (path.startsWith("/api/")) expect(seen.status).toBe(isRead ? 200 : 405);
      }
    }
    expect(bench.decided).toEqual([]);
    expect(bench.store.dataVersion()).toBe(before);
    // The link still works: nobody's preview of it has used it up.
    const used = await bench.send({
      method: "POST",
      path: "/api/session",
      body: JSON.stringify({ token: link }),
    });
    expect(used.status).toBe(200);
  });

  it("has nothing at other addresses", async () => {
    for (const path of [
      "/index.html",
      "/api",
      "/api/ask",
      "/../package.json",
      "/%2e%2e/owlpost.db",
      "/api/decide/x",
    ]) {
      expect((await bench.send({ path })).status).toBe(404);
    }
  });
});

describe("tokens", () => {
  const exchange = (token: unknown) =>
    bench.send({ method: "POST", path: "/api/session", body: JSON.stringify({ token }) });

  it("opens one session for one link", async () => {
    const token = await bench.linkToken();
    const [first, second] = await Promise.all([exchange(token), exchange(token)]);
    expect([first.status, second.status].sort()).toEqual([200, 401]);
    const refused = first.status === 401 ? first : second;
    expect(JSON.parse(refused.body).message).toContain("owlpost inbox");
  });

  it("refuses a link after 10 minutes", async () => {
    const token = await bench.linkToken();
    bench.advance(10 * 60_000 + 1);
    expect((await exchange(token)).status).toBe(401);
  });

  it("refuses a session after 30 days", async () => {
    const session = await bench.signIn();
    bench.advance(30 * 24 * 3_600_000 - 1_000);
    expect((await bench.send({ path: "/api/state", headers: bearer(session) })).status).toBe(200);
    bench.advance(2_000);
    const seen = await bench.send({ path: "/api/state", headers: bearer(session) });
    expect(seen.status).toBe(401);
    expect(JSON.parse(seen.body).message).toContain("owlpost inbox");
  });

  it("takes neither for the other", async () => {
    const link = await bench.linkToken();
    const session = await bench.signIn();
    expect((await bench.send({ path: "/api/state", headers: bearer(link) })).status).toBe(401);
    expect((await exchange(session)).status).toBe(401);
  });

  it("takes a session in the Authorization header only", async () => {
    const session = await bench.signIn();
    for (const sent of [
      { path: `/api/state?session=${session}` },
      { path: "/api/state", headers: { cookie: `session=${session}` } },
      { path: "/api/state", headers: { authorization: `Basic ${session}` } },
      { path: "/api/state", headers: { authorization: session } },
      { path: "/api/stream" },
    ]) {
      expect((await bench.send(sent)).status).toBe(401);
    }
  });

  it("has 256 bits and is stored as a hash only", async () => {
    const hashes: string[] = [];
    const store = {
      addToken: async (hash: string) => void hashes.push(hash),
      useLink: async () => false,
      hasSession: async () => false,
    };
    const { newLink } = await import("../../src/app/inbox-session.ts");
    const links = await Promise.all(Array.from({ length: 20 }, () => newLink(store, 7373, 0)));
    expect(new Set(links).size).toBe(20);
    const token = new URL(links[0] ?? "").hash.slice("#token=".length);
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(hashes.join()).not.toContain(token);
    expect(Buffer.from(hashes[0] ?? "", "base64url")).toHaveLength(32);
  });

  it("turns wrong tokens away unread after 20 a minute, but never a living session", async () => {
    const session = await bench.signIn();
    const wrong = "A".repeat(43);
    const seen: number[] = [];
    for (let index = 0; index < 22; index += 1) {
      seen.push(
        index % 2 === 0
          ? (await exchange(wrong)).status
          : (await bench.send({ path: "/api/state", headers: bearer(wrong) })).status,
      );
    }
    expect(seen).toEqual([...Array(20).fill(401), 429, 429]);
    // Nobody's guesses lock out a good link, nor a living session.
    const token = await bench.linkToken();
    expect((await exchange(token)).status).toBe(200);
    expect((await bench.send({ path: "/api/state", headers: bearer(session) })).status).toBe(200);
    expect((await exchange(token)).status).toBe(429);
    bench.advance(60_001);
    expect((await exchange(token)).status).toBe(401);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["an empty text", ""],
    ["a short text", "x"],
    ["an object", { toString: "x" }],
    ["a very long text", "A".repeat(100_000)],
  ])("refuses %s as a link's token", async (_name, token) => {
    expect((await exchange(token)).status).toBe(401);
  });
});

describe("every answer", () => {
  it("carries the headers that keep the page to itself", async () => {
    const session = await bench.signIn();
    for (const sent of [
      { path: "/" },
      { path: "/inbox.js" },
      { path: "/inbox.css" },
      { path: "/nothing" },
      { path: "/api/state", headers: bearer(session) },
      { path: "/api/state" },
      { path: "/report.css" },
      { path: "/api/report", headers: bearer(session) },
      { path: "/api/report.html", headers: bearer(session) },
      { path: "/", headers: { host: "evil.example" } },
    ]) {
      const { headers } = await bench.send(sent);
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
          "trusted-types 'none'",
      );
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  it("names nothing of a third party and nothing inline", async () => {
    const page = (await bench.send()).body;
    const script = (await bench.send({ path: "/inbox.js" })).body;
    const style = (await bench.send({ path: "/inbox.css" })).body;
    expect(page).not.toMatch(/<script(?![^>]*\ssrc="\/inbox\.js")|<style|\sstyle=|\son[a-z]+=/i);
    expect(`${page}${script}${style}`.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(
      /https?:\/\/[a-z]/i,
    );
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|DOMParser/);
    expect(style).not.toMatch(/@import|url\(/);
  });

  it("says what failed when the store fails, and nothing more of other faults", async () => {
    bench.decide = async () => {
      throw new StoreError("disk-full", "the disk is full: free some space, then answer again");
    };
    const full = await decide(choose);
    expect(full.status).toBe(500);
    expect(JSON.parse(full.body).message).toContain("the disk is full");
    bench.decide = async () => {
      throw new Error("password=hunter2");
    };
    const other = await decide({ ...choose, key: "z".repeat(24) });
    expect(other.status).toBe(500);
    expect(other.body).not.toContain("hunter2");
    expect(bench.logged).toHaveLength(3);
  });

  it("gives a refusal as an ack", async () => {
    bench.decide = async () => ({ accepted: false, reason: "not-open", text: "Already answered at 02:14." });
    const seen = await decide(choose);
    expect(seen.status).toBe(200);
    expect(JSON.parse(seen.body)).toMatchObject({ accepted: false, text: "Already answered at 02:14." });
  });
});

describe("the morning report", () => {
  it.each(["/api/report", "/api/report.html"])("%s is for who is signed in alone", async (path) => {
    const seen = await bench.send({ path });
    expect(seen.status).toBe(401);
    expect(seen.body).not.toContain("q-a3f2");
    const other = await bench.send({
      path,
      headers: { ...bearer(await bench.signIn()), "sec-fetch-site": "cross-site" },
    });
    expect(other.status).toBe(403);
  });

  it("comes as data for the page and whole as a file to keep", async () => {
    const headers = bearer(await bench.signIn());
    const page = await bench.send({ path: "/api/report", headers });
    expect(page.headers["content-type"]).toContain("application/json");
    expect(JSON.parse(page.body).tree).toMatchObject({ tag: "article", attributes: { class: "report" } });
    const file = await bench.send({ path: "/api/report.html", headers });
    expect(file.headers["content-disposition"]).toBe('attachment; filename="owlpost-report.html"');
    expect(file.body).toMatch(/^<!doctype html>/);
    const style = await bench.send({ path: "/report.css" });
    expect(style.headers["content-type"]).toContain("text/css");
    expect(style.body).not.toMatch(/@import|url\(|https?:/);
  });

  it("begins where it is told to, and refuses what is no time", async () => {
    const seen: unknown[] = [];
    bench.report = async (since) => {
      seen.push(since);
      return { ok: false, error: "bad-since" };
    };
    const headers = bearer(await bench.signIn());
    const refused = await bench.send({ path: "/api/report?since=22%3A00", headers });
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([400, "bad-since"]);
    await bench.send({ path: "/api/report.html", headers });
    expect(seen).toEqual(["22:00", undefined]);
  });
});

describe("starting", () => {
  const options = {
    store: undefined,
    owlpost: undefined,
    zone: "UTC",
    host: "owl",
    log: silentLog,
  } as never as Omit<Parameters<typeof startInbox>[0], "port" | "assets">;

  it("says which setting to change when the port is taken", async () => {
    const start = startInbox({ ...options, port: bench.inbox.port, assets: await pageFolder() });
    await expect(start).rejects.toThrow(/port \d+ is in use.*channels\.inbox\.port/);
  });

  it("shows its own page, also where another one was put in its place before anybody looked", async () => {
    const folder = await mkdtemp(join(tmpdir(), "owlpost-page-"));
    for (const name of ["index.html", "inbox.js", "inbox.css"])
      await writeFile(join(folder, name), `old ${name}`);
    const inbox = await startInbox({ ...options, store: bench.store, port: 0, assets: folder });
    try {
      await rm(folder, { recursive: true });
      await mkdir(folder);
      await writeFile(join(folder, "index.html"), "new");
      for (const [path, text] of [
        ["/", "old index.html"],
        ["/inbox.js", "old inbox.js"],
        ["/inbox.css", "old inbox.css"],
      ]) {
        const answer = await fetch(`http://127.0.0.1:${inbox.port}${path}`);
        expect(await answer.text()).toBe(text);
      }
    } finally {
      await inbox.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("says how to build the page when it is not there", async () => {
    await expect(startInbox({ ...options, port: 0, assets: "nowhere" })).rejects.toThrow("npm run build");
  });
});
