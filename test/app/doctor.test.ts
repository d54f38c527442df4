import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { examine } from "../../src/app/doctor.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, evening, hour, minute } from "../builders.ts";
import { afterwards, aHome, aService } from "../homes.ts";
import { startBotApi } from "../telegram/bot-api.ts";
import { eric, group, token } from "../telegram/phone.ts";

/** What is found at a home with that configuration, by what each line is about. */
async function found(home: string, config?: object, now?: () => number) {
  if (config) writeFileSync(join(home, "config.yaml"), JSON.stringify(config));
  const findings = await examine({ home, env: { OWL_TOKEN: token }, ...(now ? { now } : {}) });
  return new Map(findings.map(({ about, level, text }) => [about, `${level}: ${text}`]));
}

async function aBot(ahead = 0) {
  const api = await startBotApi({ now: () => Date.now() + ahead });
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  api.addGroup(group, "nightjar ops");
  const settings = { token: "${OWL_TOKEN}", allow: [eric], api_root: api.url };
  const config = (changes: object = {}) => ({
    zone: "Europe/Berlin",
    channels: { inbox: { port: 0 }, telegram: { ...settings, ...changes } },
  });
  return { api, config };
}

describe("this machine", () => {
  test("a home that never was used is well, and told that nothing rings", async () => {
    const lines = await found(aHome(), { zone: "Europe/Berlin", channels: { inbox: { port: 0 } } });
    expect(lines.get("store")).toBe("ok: none yet: the first question makes it");
    expect(lines.get("service")).toContain("warn: is not running");
    expect(lines.get("inbox")).toBe("ok: takes any free port");
    expect(lines.get("reach")).toContain("warn: nothing that is configured rings");
    expect(lines.get("zone")).toMatch(/^ok: Europe\/Berlin, where it is \d\d:\d\d$/);
    expect(lines.get("clock")).toContain("ok: runs evenly");
  });

  test("a home that is no folder, or stood open, is named", async () => {
    const folder = mkdtempSync(join(tmpdir(), "owlpost-doctor-"));
    afterwards(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "file"), "");
    const lines = await found(join(folder, "file"));
    expect([...lines]).toEqual([["home", expect.stringContaining("is a file, not a folder")]]);
    const open = aHome();
    chmodSync(open, 0o755);
    expect((await found(open)).get("home")).toContain("warn:");
  });

  test("hooks that Claude Code stops before their deadline are named; where there are none, no line is spent on them", async () => {
    const home = aHome();
    const file = join(home, ".claude", "settings.json");
    const hooksOf = async (settings: object | undefined, deadline = "15m"): Promise<string | undefined> => {
      mkdirSync(join(home, ".claude"), { recursive: true });
      if (settings) writeFileSync(file, JSON.stringify(settings));
      writeFileSync(join(home, "config.yaml"), `zone: UTC\nhook: { deadline: ${deadline} }\n`);
      const findings = await examine({ home, env: { HOME: home } });
      return findings
        .filter(({ about }) => about === "hooks")
        .map(({ level, text }) => `${level}: ${text}`)[0];
    };
    const command = "owlpost hook claude-code";
    const asking = (timeout?: number) => ({
      PermissionRequest: [
        { matcher: "*", hooks: [{ type: "command", command, ...(timeout ? { timeout } : {}) }] },
      ],
      Stop: [{ hooks: [{ type: "command", command, timeout: 30 }] }],
    });
    expect(await hooksOf(undefined)).toBeUndefined();
    expect(await hooksOf({ hooks: { Stop: [{ hooks: [{ command: "./lint.sh" }] }] } })).toBeUndefined();
    expect(await hooksOf({ hooks: asking(960) })).toBe("ok: Claude Code waits 960 s for an answer");
    for (const [settings, deadline] of [
      [{ hooks: asking(960) }, "2h"],
      [{ hooks: asking() }, "15m"],
    ] as const)
      expect(await hooksOf(settings, deadline)).toMatch(
        /^warn: Claude Code waits \d+ s .+ hook\.deadline is longer: start owlpost init --claude-code again$/,
      );
    expect(await hooksOf({ hooks: asking(960), disableAllHooks: true })).toContain(
      "warn: Claude Code runs none",
    );
    writeFileSync(file, "{ // mine");
    expect(await hooksOf(undefined)).toBeUndefined();
  });

  test("every error of the configuration is a line, and the rest is looked at all the same", async () => {
    const lines = await found(aHome(), { zone: "Mars/Olympus" });
    expect(lines.get("configuration")).toMatch(/^fail: .*config\.yaml:1: zone: must be an IANA time zone/);
    expect(lines.get("store")).toContain("ok:");
    expect(lines.get("zone")).toBeUndefined();
  });

  test("a store that opens, one that is no database, and one with a damaged page", async () => {
    const home = aHome();
    const file = join(home, "owlpost.db");
    await (await openStore(file)).close();
    expect((await found(home)).get("store")).toBe("ok: opens, and SQLite finds no damage");
    const bytes = readFileSync(file);
    writeFileSync(
      file,
      Buffer.concat([bytes.subarray(0, -8192), Buffer.alloc(4096, 255), bytes.subarray(-4096)]),
    );
    expect((await found(home)).get("store")).toMatch(/^fail: .*damaged/);
    writeFileSync(file, "this is no database at all, however long it may be".repeat(100));
    expect((await found(home)).get("store")).toContain("fail: the store's file is damaged or is no database");
  });

  test("a port that another program has", async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    afterwards(() => void other.close());
    const { port } = other.address() as { port: number };
    const lines = await found(aHome(), { channels: { inbox: { port } } });
    expect(lines.get("inbox")).toContain(`fail: port ${port} is taken by another program`);
  });

  test("the running service and its page answer", async () => {
    const { home, port, store } = await aService({ config: aConfig({ channels: { inbox: { port: 0 } } }) });
    const lines = await found(home, { channels: { inbox: { port: 0 } } });
    expect(lines.get("service")).toBe(`ok: runs (process ${process.pid})`);
    expect(lines.get("inbox")).toBe(`ok: answers at http://127.0.0.1:${port}/`);
    await store.setHealth({ channel: "inbox", up: false, since: evening, detail: "it fell" });
    expect((await found(home)).get("inbox line")).toMatch(/^fail: down since [\d -]*\d\d:\d\d: it fell$/);
  });
});

describe("the clock", () => {
  test("one that was set while it was looked at", async () => {
    let jump = -10 * minute;
    const now = () => {
      jump += 10 * minute;
      return Date.now() + jump;
    };
    expect((await found(aHome(), undefined, now)).get("clock")).toContain("warn: was set by");
  });

  test("one that went back behind what is stored", async () => {
    const home = aHome();
    const store = await openStore(join(home, "owlpost.db"));
    await store.append([{ type: "log", event: { kind: "service.started", data: {} } }], Date.now() + hour);
    await store.close();
    expect((await found(home)).get("clock")).toMatch(/^warn: went back: the newest event is (59|60) min/);
  });

  test.each([
    [3 * minute, "fail: is 3 min behind a platform's: deadlines come late"],
    [-30_000, "warn: is 30 s ahead of a platform's: deadlines come early"],
    [0, "ok: is right"],
  ])("a platform that is %d ms ahead", async (ahead, words) => {
    const { config } = await aBot(ahead);
    const said = (await found(aHome(), config())).get("clock")?.replace(/\b(29|31) s/, "30 s");
    expect(said).toContain(words);
  });
});

describe("Telegram", () => {
  test("all is well: token, webhook, owners, chat", async () => {
    const { api, config } = await aBot();
    const lines = await found(aHome(), config());
    expect(lines.get("telegram token")).toBe("ok: valid: the bot is @owlpost_nightjar_bot");
    expect(lines.get("telegram webhook")).toBe("ok: none: polling works");
    expect(lines.get("telegram owners")).toBe("ok: 1 may answer");
    expect(lines.get(`telegram chat ${eric}`)).toBe("ok: can be reached (private)");
    expect(lines.get("reach")).toBe("ok: telegram may ring");
    expect(api.messages(eric)).toEqual([]);
  });

  test("a webhook, nobody allowed, a group that is read whole, a topic that cannot be", async () => {
    const { api, config } = await aBot();
    api.setWebhook(token, "https://example.org/hook");
    api.readsAll(token);
    const lines = await found(aHome(), config({ allow: [], chat: group }));
    expect(lines.get("telegram webhook")).toContain("fail: a webhook is set");
    expect(lines.get("telegram owners")).toContain("fail: nobody may answer");
    expect(lines.get(`telegram chat ${group}`)).toContain(
      "warn: can be reached (supergroup). The bot reads every",
    );
    const topic = await found(aHome(), config({ chat: `${group}/44` }));
    expect(topic.get(`telegram chat ${group}`)).toContain(
      "warn: can be reached (supergroup), but it has no topics",
    );
  });

  test("a token that is refused, and a server that is not there; neither is repeated", async () => {
    const { api, config } = await aBot();
    api.revoke(token);
    const refused = await found(aHome(), config());
    expect(refused.get("telegram token")).toContain("fail: Telegram: the bot's token is not valid");
    const gone = await found(aHome(), config({ api_root: "http://127.0.0.1:9" }));
    expect(gone.get("telegram token")).toBe("fail: Telegram cannot be reached (ECONNREFUSED)");
    expect(JSON.stringify([...refused, ...gone])).not.toContain(token.slice(11));
  });

  test("a channel that is configured and gets nothing", async () => {
    const { config } = await aBot();
    const lines = await found(aHome(), { ...config(), deliver: ["inbox"] });
    expect(lines.get("telegram")).toContain("warn: is configured, and not in deliver");
    expect(lines.get("inbox")).toContain("ok:");
  });
});
