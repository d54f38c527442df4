import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/app/log.ts";
import { type Service, startService } from "../../src/app/service.ts";
import { pageFolder } from "../app/inbox-peer.ts";
import { aConfig, aDocument, evening } from "../builders.ts";
import { seedQuestion } from "../renderers/cases.ts";
import { nightRules } from "../renderers/night-cases.ts";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const sizes = [
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  { viewport: { width: 1280, height: 900 } },
] as const;
/** Where pictures of the page are put, for whoever wants to look at them. */
const album = process.env.OWLPOST_PICTURES;

let browser: Browser;
let home: string;
let service: Service;
let context: BrowserContext;
let page: Page;
let troubles: string[];

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
});
afterAll(() => browser.close());

async function start(window: string): Promise<void> {
  const config = aConfig({ channels: { inbox: { port: 0 } }, night: nightRules({ window }) });
  service = await startService({
    home,
    config,
    log: silentLog,
    assets: await pageFolder(),
    now: () => evening,
  });
}

async function open(size: (typeof sizes)[number], colorScheme: "light" | "dark" = "light"): Promise<void> {
  context = await browser.newContext({ ...size, colorScheme });
  page = await context.newPage();
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  await page.goto((await service.owlpost.inboxLink()) ?? "about:blank");
  await page.getByText("live", { exact: true }).waitFor();
}

async function ask(changes: Record<string, unknown> = {}): Promise<string> {
  const { title, context: about, tried, options, facts } = seedQuestion;
  const asked = await service.owlpost.ask({
    document: aDocument({
      title,
      context: about,
      tried,
      options,
      facts,
      default: { action: "skip_spec", at: "12h" },
      ...changes,
    }),
  });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  return asked.id;
}

const askHeld = (): Promise<string> =>
  ask({
    kind: "blocked",
    task: "014-orders",
    title: "The staging database refuses my migrations: whose is the lock?",
    context: "`make migrate` waits for a lock of session 4711 since 22:10.",
  });

beforeEach(async () => {
  troubles = [];
  home = await mkdtemp(join(tmpdir(), "owlpost-night-"));
  await start("22:00-08:00");
});
afterEach(async () => {
  await context.close();
  await service.close();
  await rm(home, { recursive: true, force: true });
});

const card = (id: string) => page.locator(`#${id}`);
const button = (id: string, name: string) => card(id).getByRole("button", { name });
/** A tap right after a card came in or changed is taken for an accident. */
const calm = () => page.waitForTimeout(450);
const answered = () => page.getByRole("region", { name: "Answered" });

async function picture(name: string): Promise<void> {
  if (album) await page.screenshot({ path: join(album, `${name}.png`), fullPage: true });
}

describe.each(sizes)("the night in Chromium at $viewport.width", (size) => {
  const { width } = size.viewport;

  it("shows a consent question with two actions, and goes ahead by one press", async () => {
    const id = await ask();
    await open(size);
    await calm();
    const names = await card(id).getByRole("button").allTextContents();
    expect(names).toEqual(["👍 Go ahead", "⏭️ Skip it, ask me tomorrow", "Show in full", "Leave a note"]);
    await card(id)
      .getByText("Either answer is safe: everything stays on the branch, and nothing merges tonight.")
      .waitFor();
    expect(await card(id).getByText("Extend access-token TTL").count()).toBe(0);
    await button(id, "Go ahead").click();
    await answered().locator(`#${id}`).getByText("Answered: 1 — Refresh-token rotation").first().waitFor();
    expect(await service.owlpost.question(id)).toMatchObject({
      outcome: "answered",
      answer: { option: "1", via: "inbox" },
    });
    expect(troubles).toEqual([]);
  });

  it("lets a consent question be looked at, and says when its options count", async () => {
    const id = await ask();
    await open(size);
    await calm();
    await button(id, "Show in full").click();
    await card(id)
      .getByText("The options can be chosen from 08:00 on; until then it is Go ahead or Skip.")
      .waitFor();
    await card(id).getByText("Extend access-token TTL to 30 days").waitFor();
    expect(await button(id, "Extend access-token TTL").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await calm();
    await button(id, "Skip it, ask me tomorrow").click();
    await card(id).getByRole("status").getByText("It is asked again at 08:00.").waitFor();
    expect(await service.owlpost.question(id)).toMatchObject({ outcome: "skipped" });
    expect(troubles).toEqual([]);
  });

  it("lists a held question as held, shows it in full only when asked, and takes a choice then", async () => {
    const id = await askHeld();
    const first = await ask();
    await open(size);
    await calm();
    const ids = await page.locator("article").evaluateAll((all) => all.map((each) => each.id));
    expect(ids).toEqual([first, id]);
    await card(id).getByText("held until 08:00").waitFor();
    expect(await card(id).getByRole("button").allTextContents()).toEqual([
      "Show in full and answer now",
      "Skip",
      "Run again",
      "Leave a note",
    ]);
    expect(await card(id).getByText("session 4711").count()).toBe(0);
    await button(id, "Show in full and answer now").click();
    await card(id).getByText("session 4711").waitFor();
    await card(id).getByText("It is night; it can also wait until 08:00.").waitFor();
    expect((await service.owlpost.question(id))?.state).not.toBe("answered");
    await calm();
    await button(id, "Extend access-token TTL").click();
    await answered().locator(`#${id}`).waitFor();
    expect(await service.owlpost.question(id)).toMatchObject({ answer: { option: "2", via: "inbox" } });
    expect(troubles).toEqual([]);
  });

  it("skips a held question, and runs another again", async () => {
    const [skipped, again] = [await askHeld(), await askHeld()];
    await open(size);
    await calm();
    await button(skipped, "Skip").click();
    await answered().locator(`#${skipped}`).waitFor();
    await calm();
    await button(again, "Run again").click();
    await answered().locator(`#${again}`).waitFor();
    expect(await service.owlpost.question(skipped)).toMatchObject({ outcome: "skipped" });
    expect(await service.owlpost.question(again)).toMatchObject({ outcome: "retried" });
  });

  it("promises no morning where quiet hours have no end", async () => {
    await service.close();
    await start("00:00-24:00");
    const [id, held] = [await ask(), await askHeld()];
    await open(size);
    await button(id, "Go ahead").waitFor();
    expect(await card(id).getByRole("button").allTextContents()).toContain("⏭️ Skip it");
    await card(held).getByText("quiet hours are set without an end").waitFor();
    expect(await page.getByText("tomorrow").count()).toBe(0);
  });

  it.each(["light", "dark"] as const)(
    "fits, and every button is large enough for a thumb: %s",
    async (scheme) => {
      const [id, held] = [await ask(), await askHeld()];
      const wide = await ask({ task: "015-wide", title: "W".repeat(120) });
      await open(size, scheme);
      await card(wide).waitFor();
      await picture(`night-${width}-${scheme}`);
      await calm();
      await button(id, "Show in full").click();
      await calm();
      await button(held, "Show in full and answer now").click();
      await picture(`night-full-${width}-${scheme}`);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      const small = await page
        .locator("button:visible, summary:visible")
        .evaluateAll((all) =>
          all.filter((each) => each.getBoundingClientRect().height < 44).map((each) => each.outerHTML),
        );
      expect(small).toEqual([]);
      expect(troubles).toEqual([]);
    },
  );
});
