import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/app/log.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { type Service, startService } from "../../src/app/service.ts";
import { pageFolder } from "../app/inbox-peer.ts";
import { aConfig, aDocument, minute } from "../builders.ts";
import { passFor, wholeSpec } from "../contract/provider.ts";

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
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let browser: Browser;
let home: string;
let service: Service;
let context: BrowserContext;
let page: Page;
let troubles: string[];
let ahead = 0;
const now = (): number => Date.now() + ahead;
const config = aConfig({ channels: { inbox: { port: 0 } } });

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
});
afterAll(() => browser.close());

beforeEach(async () => {
  ahead = 0;
  troubles = [];
  home = await mkdtemp(join(tmpdir(), "owlpost-chromium-"));
  service = await start();
  context = await browser.newContext(phone);
  page = await open(context);
});
afterEach(async () => {
  await context.close();
  await service.close();
  await rm(home, { recursive: true, force: true });
});

async function start(port = 0): Promise<Service> {
  return startService({
    home,
    config: { ...config, channels: { inbox: { port } } },
    log: silentLog,
    assets: await pageFolder(),
    now,
  });
}

async function open(where: BrowserContext): Promise<Page> {
  const opened = await where.newPage();
  opened.on("pageerror", (error) => troubles.push(error.message));
  opened.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  await opened.goto((await service.owlpost.inboxLink()) ?? "about:blank");
  await opened.getByText("live", { exact: true }).waitFor();
  return opened;
}

async function ask(changes: Record<string, unknown> = {}): Promise<string> {
  const asked = await service.owlpost.ask({
    document: aDocument({ default: { action: "skip_spec", at: "8h" }, ...changes }),
  });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  await card(asked.id).waitFor();
  // A tap right after a card came in is taken for an accident.
  await page.waitForTimeout(450);
  return asked.id;
}

const card = (id: string) => page.locator(`#${id}`);
const option = (id: string, label: string) => card(id).getByRole("button", { name: label });
const section = (name: string) => page.getByRole("region", { name });
const answered = async () =>
  (await service.owlpost.events(0, 1_000)).filter((event) => event.kind === "question.answered");

describe("the inbox in Chromium", () => {
  it("answers by one tap, and says so where it was tapped and where it went", async () => {
    const id = await ask();
    expect(await page.title()).toBe("(1) owlpost");
    await option(id, "Refresh-token rotation").tap();
    await card(id).getByRole("status").getByText("Answered: 1 — Refresh-token rotation").waitFor();
    const stored = await service.owlpost.question(id);
    expect(stored).toMatchObject({
      state: "answered",
      outcome: "answered",
      answer: { option: "1", via: "inbox" },
    });
    await section("Answered").locator(`#${id}`).getByText("in the local inbox").waitFor();
    expect(await page.title()).toBe("owlpost");
    await section("Open questions").getByText("All quiet.").waitFor();
    expect(troubles).toEqual([]);
  });

  it("lists the tasks of the board live, and leads from a parked one to its question", async () => {
    expect(await section("Tasks").count()).toBe(0);
    const actor = { kind: "person", name: "eric" } as const;
    const board = await service.owlpost.board({ board: "default", actor, issuer: "eric" });
    const spec = { ...wholeSpec, title: "Fix the <b>refresh</b> \u202e" };
    const id = "012-fix-auth";
    await board.createTask({ ...spec, id, status: "Ready", qualityVerdict: passFor(spec) });
    const line = section("Tasks").locator(`[data-task="${id}"]`);
    await line.getByText("Ready", { exact: true }).waitFor();
    expect(await line.getByText("Fix the <b>refresh</b> ⟨U+202E⟩").count()).toBe(1);
    await board.claim({ id, by: "night-loop" });
    await line.getByText("held by night-loop").waitFor();
    const question = await ask();
    await line.getByText("Blocked", { exact: true }).waitFor();
    await line.getByRole("link", { name: question }).tap();
    await page.locator(`#${question}:focus`).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await board.updateTask(id, { status: "Cancelled" });
    await section("Tasks").waitFor({ state: "hidden" });
    expect(troubles).toEqual([]);
  });

  it("takes a double tap as one reply, and never as a tap on the card that moves up", async () => {
    const first = await ask({ default: { action: "skip_spec", at: "4h" } });
    const second = await ask({ task: "013-rate-limit" });
    const box = await option(first, "Extend the TTL").boundingBox();
    const at = { x: (box?.x ?? 0) + 40, y: (box?.y ?? 0) + 20 };
    for (let tap = 0; tap < 4; tap += 1) await page.touchscreen.tap(at.x, at.y);
    await card(first).getByRole("status").getByText("Answered: 2").waitFor();
    const below = await option(second, "Refresh-token rotation").boundingBox();
    await page.touchscreen.tap((below?.x ?? 0) + 40, (below?.y ?? 0) + 20);
    await section("Answered").locator(`#${first}`).waitFor();
    expect(await answered()).toHaveLength(1);
    expect((await service.owlpost.question(second))?.state).toBe("posted");
  });

  it("changes an answer until it is taken, then shows who took it", async () => {
    const id = await ask();
    await option(id, "Refresh-token rotation").tap();
    const moved = section("Answered").locator(`#${id}`);
    await moved.waitFor();
    await page.waitForTimeout(450);
    await moved.getByRole("button", { name: "Change" }).tap();
    await expect.poll(() => option(id, "Refresh-token rotation").count()).toBe(0);
    await page.waitForTimeout(450);
    await option(id, "Extend the TTL").tap();
    await moved.getByText("Changed to: 2 — Extend the TTL to 30 days").waitFor();
    expect(await service.owlpost.question(id)).toMatchObject({
      outcome: "overridden",
      answer: { option: "2" },
    });

    await service.owlpost.take({ run: "a3f2" });
    const closed = section("Recent").locator(`#${id}`);
    await closed.getByText(/▶ Picked up by run a3f2 at \d\d:\d\d/).waitFor();
    expect(await closed.getByRole("button", { name: "Change" }).count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it("takes an answer in other words, whole", async () => {
    const id = await ask();
    await card(id).getByRole("button", { name: "Answer in your own words" }).tap();
    await page.getByLabel("Your answer, in your own words").fill("Ask Mara first.\nThen <b>rotate</b>.");
    await card(id).getByRole("button", { name: "Send answer" }).tap();
    await section("Answered").locator(`#${id}`).getByText("Then <b>rotate</b>.").waitFor();
    expect((await service.owlpost.question(id))?.answer?.text).toBe("Ask Mara first.\nThen <b>rotate</b>.");
  });

  it("skips, runs again, and notes", async () => {
    const skipped = await ask();
    await card(skipped).getByRole("button", { name: "Skip" }).tap();
    await section("Answered").locator(`#${skipped}`).getByText("Skipped", { exact: true }).waitFor();
    const again = await ask({ task: "013-rate-limit" });
    await card(again).getByRole("button", { name: "Leave a note" }).tap();
    await page.getByLabel("A note for the next iteration").fill("Mind the cache.");
    await card(again).getByRole("button", { name: "Leave note" }).tap();
    await card(again).getByRole("status").getByText("the question stays as it is").waitFor();
    expect((await service.owlpost.question(again))?.state).toBe("posted");
    await page.waitForTimeout(450);
    await card(again).getByRole("button", { name: "Run again" }).tap();
    await section("Answered").locator(`#${again}`).getByText("Run again without an answer").waitFor();
    expect(await service.owlpost.question(again)).toMatchObject({ outcome: "retried" });
  });

  it("shows what another process decides, without a reload", async () => {
    const id = await ask();
    await page.evaluate("globalThis.same = true");
    const other = await openOwlpost({ home, config, host: "den" });
    const ack = await other.decide({ verb: "choose", question: id, key: "2" }, "cli");
    await other.close();
    expect(ack.accepted).toBe(true);
    await section("Answered").locator(`#${id}`).getByText("from the command line on den").waitFor();
    expect(await page.evaluate("globalThis.same")).toBe(true);
  });

  it("shows the refusal when somebody else was faster", async () => {
    const id = await ask();
    await page.route("**/api/decide", async (route) => {
      await service.owlpost.decide({ verb: "choose", question: id, key: "2" }, "cli");
      await route.continue();
    });
    await option(id, "Refresh-token rotation").tap();
    await card(id)
      .getByRole("status")
      .getByText(/already answered: option 2/)
      .waitFor();
    expect((await service.owlpost.question(id))?.answer?.option).toBe("2");
  });

  it("sends a press again after a lost reply, with the same key, and counts it once", async () => {
    const id = await ask();
    const keys: string[] = [];
    await page.route("**/api/decide", async (route) => {
      keys.push(route.request().postDataJSON().key);
      if (keys.length > 2) return route.continue();
      // The first is lost on the way out, the second on the way back.
      if (keys.length === 2) await route.fetch();
      return route.abort("connectionreset");
    });
    await option(id, "Refresh-token rotation").tap();
    await card(id).getByRole("status").getByText("it is not known whether this was recorded").waitFor();
    await card(id).getByRole("status").getByText("Answered: 1").waitFor();
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(await answered()).toHaveLength(1);
  });

  it("says when the service is gone and comes back by itself", async () => {
    const id = await ask();
    const { port } = service;
    await service.close();
    await page.getByText("reconnecting…").waitFor();
    await page.getByRole("alert").getByText("owlpost does not answer").waitFor();
    service = await start(port);
    await page.getByText("live", { exact: true }).waitFor({ timeout: 20_000 });
    await page.waitForTimeout(450);
    await option(id, "Extend the TTL").tap();
    await card(id).getByRole("status").getByText("Answered: 2").waitFor();
  });

  it("keeps an expired question answerable until its default is taken", async () => {
    const id = await ask({ default: { action: "skip_spec", at: "10m" } });
    ahead = 11 * minute;
    await service.settle();
    const late = section("No answer in time").locator(`#${id}`);
    await late.getByText("You can still answer until the loop takes it.").waitFor();
    await page.waitForTimeout(450);
    await option(id, "Refresh-token rotation").tap();
    await section("Answered").locator(`#${id}`).waitFor();
    expect(await service.owlpost.question(id)).toMatchObject({ state: "answered", outcome: "overridden" });
  });

  it("says why a question was cancelled, and what the deadline did", async () => {
    const one = await ask();
    await service.owlpost.cancel(one, "the task was edited");
    await section("Recent").locator(`#${one}`).getByText("Cancelled: the task was edited").waitFor();
    const two = await ask({ task: "013-rate-limit", default: { action: "skip_spec", at: "10m" } });
    ahead = 11 * minute;
    await service.owlpost.take({ task: "013-rate-limit" });
    await section("Recent").locator(`#${two}`).getByText("spec skipped").waitFor();
  });

  it("shows hostile text as text", async () => {
    const attack = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const id = await ask({
      title: `Payload \u202egpj.exe ${attack}`,
      context: `See \`src/a.ts\`. ${attack} javascript:alert(1)`,
      tried: attack,
      facts: { command: attack, output_tail: [attack], "<b>": attack },
      links: { log: "javascript:document.title='owned'", pr: "https://git.example.org/318" },
      options: [
        { key: "1", label: attack.slice(0, 60), consequence: "\u2066x\u2069", recommended: true },
        { key: "2", label: "Other", consequence: attack },
      ],
    });
    expect(await card(id).locator("img, script, b").count()).toBe(0);
    expect(
      await card(id)
        .locator("a")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    ).toEqual(["https://git.example.org/318"]);
    expect(await card(id).getByRole("heading").textContent()).toContain("⟨U+202E⟩");
    expect(await page.title()).toBe("(1) owlpost");
    expect(troubles).toEqual([]);
  });

  it("runs no script of another origin, and makes no HTML even if it tried", async () => {
    const outcome = await page.evaluate(`(async () => {
      const told = [];
      const script = document.createElement("script");
      try {
        script.textContent = "document.title = 'owned'";
        document.head.append(script);
      } catch {
        told.push("script refused");
      }
      try {
        document.body.insertAdjacentHTML("beforeend", "<b>x</b>");
      } catch {
        told.push("html refused");
      }
      await fetch("http://127.0.0.1:1/").catch(() => told.push("connection refused"));
      return told;
    })()`);
    expect(outcome).toEqual(["script refused", "html refused", "connection refused"]);
    expect(await page.title()).toBe("owlpost");
  });

  it("keeps tokens out of the address bar, the history and cookies", async () => {
    expect(page.url()).toBe(`http://127.0.0.1:${service.port}/`);
    expect(await context.cookies()).toEqual([]);
    const stored = await page.evaluate("({ ...localStorage })");
    expect(Object.keys(stored as object)).toEqual(["owlpost.session"]);
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
  });

  it("explains a link that was used before, and lets a browser that is signed in stay", async () => {
    const link = (await service.owlpost.inboxLink()) ?? "";
    const other = await browser.newContext();
    const used = await other.newPage();
    await used.goto(link);
    await used.getByText("live", { exact: true }).waitFor();
    await used.goto("about:blank");
    await used.goto(link);
    await used.getByText("live", { exact: true }).waitFor();
    await other.close();

    const stranger = await browser.newContext();
    const refused = await stranger.newPage();
    await refused.goto(link);
    await refused.getByText("This page needs a fresh link").waitFor();
    await refused.getByText("owlpost inbox", { exact: true }).waitFor();
    expect(refused.url()).not.toContain("token");
    await stranger.close();
  });

  it("keeps what is being typed when the state changes", async () => {
    const id = await ask();
    await card(id).getByRole("button", { name: "Answer in your own words" }).tap();
    const field = page.getByLabel("Your answer, in your own words");
    await field.fill("Half a sent");
    await field.press("End");
    await ask({ task: "013-rate-limit" });
    await page.keyboard.type("ence.");
    expect(await field.inputValue()).toBe("Half a sentence.");
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  });

  it("works by keyboard, and a digit alone chooses nothing", async () => {
    const id = await ask();
    await page.keyboard.press("1");
    await page.keyboard.press("2");
    expect((await service.owlpost.question(id))?.state).toBe("posted");
    await option(id, "Extend the TTL").focus();
    await page.keyboard.press("Enter");
    await section("Answered").locator(`#${id}`).waitFor();
    expect((await service.owlpost.question(id))?.answer?.option).toBe("2");
    // The focus is still in the card that was answered, not lost at the top of the page.
    expect(await card(id).evaluate((element) => element.contains(element.ownerDocument.activeElement))).toBe(
      true,
    );
  });

  it("offers nothing on a permission that reads like a yes and is none", async () => {
    const options = [
      { key: "1", label: "Allow once", consequence: "this one call runs" },
      { key: "2", label: "Do not allow", consequence: "the call does not run" },
    ];
    const id = await ask({ kind: "approval", source: "permission", options });
    expect(await card(id).getByRole("button", { name: "Run again" }).count()).toBe(0);
    await card(id).getByRole("button", { name: "Answer in your own words" }).tap();
    await card(id).getByText("The call does not run, and the agent is told these words.").waitFor();
  });

  it("says of options that owlpost made that they are its own, and of no others", async () => {
    const made = await ask({ low_fidelity: true, facts: { output_tail: "no disk" } });
    const given = await ask({ task: "013-search", low_fidelity: true, facts: {} });
    expect(await card(made).getByText("these two are owlpost's").count()).toBe(1);
    expect(await card(given).getByText("these two are owlpost's").count()).toBe(0);
  });

  it("folds a long fact, so that the options stay near, and keeps it unfolded when the card changes", async () => {
    const id = await ask({ facts: { arguments: "x ".repeat(10_000), coverage: "81 %" } });
    const fact = card(id).locator("dd details");
    expect(await fact.count()).toBe(1);
    expect((await card(id).boundingBox())?.height).toBeLessThan(900);
    await fact.getByText("20,000 characters").tap();
    expect(await fact.getByText("x x x").isVisible()).toBe(true);
    await service.owlpost.decide({ verb: "choose", question: await ask({ task: "013" }), key: "2" }, "cli");
    await section("Answered").getByText("Extend the TTL").first().waitFor();
    expect(await fact.getByText("x x x").isVisible()).toBe(true);
  });

  it("fits a phone: nothing sticks out, every button is large enough for a thumb", async () => {
    const id = await ask({
      title: "W".repeat(120),
      context: `\`${"x".repeat(500)}\``,
      facts: { command: "y".repeat(300), output_tail: "z".repeat(400), diff_stat: "q".repeat(200) },
    });
    await card(id).getByRole("button", { name: "Leave a note" }).tap();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    const small = await page
      .locator("button:visible, summary:visible")
      .evaluateAll((all) =>
        all.filter((each) => each.getBoundingClientRect().height < 44).map((each) => each.outerHTML),
      );
    expect(small).toEqual([]);
  });

  it("shows notices until they are dismissed, and the health of the service", async () => {
    await service.owlpost.notify("run-complete", "5 of 5 specs done.");
    await page.getByText("5 of 5 specs done.").waitFor();
    await page.getByRole("button", { name: "Dismiss this notice" }).tap();
    await expect.poll(() => page.getByText("5 of 5 specs done.").count()).toBe(0);
    await page.reload();
    await page.getByText("The inbox does not ring").waitFor();
    expect(await page.getByText("5 of 5 specs done.").count()).toBe(0);
  });
});
