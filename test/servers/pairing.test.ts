import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/app/log.ts";
import { type Service, startService } from "../../src/app/service.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { pageFolder } from "../app/inbox-peer.ts";
import { aConfig } from "../builders.ts";
import { furnish, someSettings } from "../github/desk.ts";
import { type GitHub, startGitHub } from "../github/server.ts";
import { type BotApi, startBotApi } from "../telegram/bot-api.ts";
import { token } from "../telegram/phone.ts";

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"];

let browser: Browser;
let api: BotApi;
let github: GitHub;
let home: string;
let service: Service;
let context: BrowserContext;
let page: Page;
let troubles: string[];

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
});
afterAll(() => browser.close());

beforeEach(async () => {
  troubles = [];
  api = await startBotApi({ now: Date.now });
  api.addBot(token, "owlpost_nightjar_bot");
  home = await mkdtemp(join(tmpdir(), "owlpost-chromium-"));
  const telegram = { token, allow: [], api_root: api.url };
  github = await startGitHub();
  furnish(github);
  const config = aConfig({
    deliver: ["telegram", "github", "inbox"],
    channels: { inbox: { port: 0 }, telegram, github: someSettings(github, { allow: [] }) },
  });
  service = await startService({ home, config, log: silentLog, assets: await pageFolder() });
  context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  page = await context.newPage();
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  await page.goto((await service.owlpost.inboxLink()) ?? "about:blank");
  await page.getByText("live", { exact: true }).waitFor();
});
afterEach(async () => {
  await context.close();
  await service.close();
  await api.close();
  await github.close();
  await rm(home, { recursive: true, force: true });
});

const people = () => page.getByRole("region", { name: "People" });
const press = (name: string) => people().getByRole("button", { name, exact: true });

async function makeCode(name: string): Promise<void> {
  await press("Pair somebody").tap();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Role").selectOption("owner");
  await press("Make a code").tap();
  await people()
    .getByRole("img", { name: `QR code of the link that pairs ${name} on telegram` })
    .waitFor();
}

/** As when the code is said to the bot, by a process of its own. */
async function useCode(): Promise<void> {
  const store = await openStore(join(home, "owlpost.db"));
  const [code] = await store.codes(Date.now());
  if (!code) throw new Error("no code is live");
  const { id, person, channel } = code;
  await store.append([{ type: "bind", person, channel, address: "42", code: id }], Date.now());
  await store.close();
}

describe("people in Chromium", () => {
  it("shows a code with its picture until it is used, and then who was paired", async () => {
    await people().getByText("Nobody is paired").waitFor();
    await makeCode("eric");
    const said = await people().locator(".say").textContent();
    expect(said).toMatch(/^\/start [A-HJ-NP-Z2-9]{8}$/);
    expect(await people().getByRole("link", { name: "the link" }).getAttribute("href")).toMatch(
      /^https:\/\/t\.me\/owlpost_nightjar_bot\?start=/,
    );
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    const small = await page
      .locator("button:visible, input:visible, select:visible")
      .evaluateAll((all) =>
        all.filter((each) => each.getBoundingClientRect().height < 44).map((each) => each.outerHTML),
      );
    expect(small).toEqual([]);
    await useCode();
    await people().getByText("eric is paired on telegram.").waitFor({ timeout: 10_000 });
    expect(await people().locator(".say, .qr").count()).toBe(0);
    expect(await people().getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/^eric, ownertelegram 42 · since .*Revoke$/),
    ]);
    expect(troubles).toEqual([]);
  });

  it("asks for the login where that pairs, and says at once who is paired", async () => {
    await press("Pair somebody").tap();
    expect(await page.getByLabel("Login there").isVisible()).toBe(false);
    await page.getByLabel("Name").fill("eric");
    await page.getByLabel("Role").selectOption("owner");
    await page.getByLabel("Channel").selectOption("github");
    await press("Pair").tap();
    expect(await page.evaluate("document.activeElement.id")).toBe("pair-address");
    await page.getByLabel("Login there").fill("nightjar-labs");
    await press("Pair").tap();
    await people().getByText("only a person can be paired").waitFor();
    await page.getByLabel("Login there").fill("eric-gh");
    await press("Pair").tap();
    await people().getByText("eric is paired on github as owner: eric-gh, id 583231.").waitFor();
    await people().getByText("github 583231 · since").waitFor();
    // A refused request is one line of the browser's own.
    expect(troubles.filter((line) => !line.includes("400"))).toEqual([]);
  });

  it("revokes at the second press, and never by a double tap", async () => {
    await makeCode("eric");
    await useCode();
    const revoke = press("Revoke eric on telegram");
    await revoke.waitFor({ timeout: 10_000 });
    const box = await revoke.boundingBox();
    const at = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 };
    for (let tap = 0; tap < 3; tap += 1) await page.touchscreen.tap(at.x, at.y);
    const again = press("Press again to revoke eric on telegram");
    await again.waitFor();
    expect(await service.store.bindings()).toHaveLength(1);
    await page.waitForTimeout(600);
    await again.press("Enter");
    await people().getByText("eric is not known on telegram any more.").waitFor();
    expect(await service.store.bindings()).toEqual([]);
    expect(await people().evaluate((all) => all.contains(all.ownerDocument.activeElement))).toBe(true);
  });

  it("says what is wrong with a name, keeps what was typed, and takes a code away that is put away", async () => {
    await press("Pair somebody").tap();
    await page.getByLabel("Name").fill("owner");
    await press("Make a code").tap();
    await people().getByRole("status").getByText("that is a role").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("owner");
    await page.getByLabel("Name").fill("eric");
    await press("Make a code").tap();
    await press("Done").tap();
    expect(await people().locator(".say").count()).toBe(0);
    await people().getByText("A code waits for eric").waitFor();
  });
});
