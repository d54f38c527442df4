import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { reportHtml } from "../../renderers/report-html.ts";
import { silentLog } from "../../src/app/log.ts";
import { type Service, startService } from "../../src/app/service.ts";
import { reportView } from "../../src/core/report-view.ts";
import { pageFolder } from "../app/inbox-peer.ts";
import { aConfig, aDocument } from "../builders.ts";
import { aDesk } from "../commands/desk.ts";
import { anEmptyNight, aRealisticNight, aTerribleNight, reportOfNight } from "../nights.ts";

const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 900 };
const hostile = '</title></svg><script>document.title="taken"</script><img src=x onerror="document.title=1">';

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
});
afterAll(() => browser.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "owlpost-report-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What went wrong on a page, and what it asked for beyond itself. */
function watch(page: Page): readonly string[] {
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("dialog", (dialog) => troubles.push(dialog.message()));
  return troubles;
}

type Box = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly text: string;
};
type Seen = { readonly frame: Box; readonly boxes: readonly Box[] };

/** No text of the picture is cut off at its edge or drawn over another; nothing makes the page wider than the screen. */
async function expectFits(page: Page): Promise<void> {
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  const seen = await page.evaluate<Seen>(`(() => {
    const svg = [...document.querySelectorAll("svg.timeline")].find((each) => each.clientWidth > 0);
    const boxOf = (element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return { left, right, top, bottom, text: element.textContent };
    };
    const texts = svg.querySelectorAll("text.t-hour, text.t-outcome, text.t-sign-name");
    return { frame: boxOf(svg), boxes: [...texts].map(boxOf) };
  })()`);
  expect(seen.boxes.length).toBeGreaterThan(5);
  for (const [index, box] of seen.boxes.entries()) {
    expect(box.left, box.text).toBeGreaterThanOrEqual(seen.frame.left);
    expect(box.right, box.text).toBeLessThanOrEqual(seen.frame.right);
    for (const other of seen.boxes.slice(index + 1)) {
      const apart =
        box.right <= other.left ||
        other.right <= box.left ||
        box.bottom <= other.top + 3 ||
        other.bottom <= box.top + 3;
      expect(apart, `${box.text} over ${other.text}`).toBe(true);
    }
  }
}

describe("the file in Chromium", () => {
  it.each([
    ["empty", anEmptyNight()],
    ["realistic", aRealisticNight()],
    ["terrible", aTerribleNight()],
  ] as const)("an %s night: on a phone, at a desk, in the dark and on paper", async (name, night) => {
    const path = join(folder, `${name}.html`);
    await writeFile(path, reportHtml(reportView(reportOfNight(night))));
    for (const viewport of [phone, desktop]) {
      for (const colorScheme of ["light", "dark"] as const) {
        const context = await browser.newContext({ viewport, colorScheme });
        const page = await context.newPage();
        const troubles = watch(page);
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        await page.goto(pathToFileURL(path).href);
        expect(await page.title()).toMatch(/^Morning report, Mon 2026-07-06 22:00/);
        await expectFits(page);
        const form = viewport === phone ? "narrow" : "wide";
        expect(await page.locator(`svg.timeline-${form}`).isVisible()).toBe(true);
        expect(await page.locator("svg.timeline:visible").count()).toBe(1);
        expect(await page.getByRole("img", { name: /^Timeline, Mon 2026-07-06/ }).count()).toBe(1);
        expect(await page.locator("script, iframe, img, object, embed, form, link").count()).toBe(0);
        expect(asked).toEqual([pathToFileURL(path).href]);
        expect(troubles).toEqual([]);
        await context.close();
      }
    }
    const page = await browser.newPage({ viewport: phone });
    await page.goto(pathToFileURL(path).href);
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("svg.timeline-wide").isVisible()).toBe(true);
    await page.close();
  });

  it("a link to the question of the night leads to it", async () => {
    const path = join(folder, "night.html");
    await writeFile(path, reportHtml(reportView(reportOfNight(aRealisticNight()))));
    const page = await browser.newPage({ viewport: desktop });
    await page.goto(pathToFileURL(path).href);
    await page.getByRole("link", { name: "q-a3f2-017-invoice-pdf-1" }).first().click();
    expect(await page.evaluate('document.querySelector(":target h3")?.textContent')).toContain(
      "Invoice totals differ",
    );
    await page.close();
  });

  it("owlpost report --html, with hostile markup in the title", async () => {
    const desk = aDesk();
    try {
      await desk.ask({ title: hostile });
      await desk.run(["report", "--html", "night.html"]);
      const page = await browser.newPage({ viewport: phone });
      const troubles = watch(page);
      await page.goto(pathToFileURL(join(desk.folder, "night.html")).href);
      expect(await page.title()).toMatch(/^Morning report/);
      expect(await page.getByRole("heading", { name: hostile }).count()).toBe(1);
      expect(await page.locator("script, img").count()).toBe(0);
      expect(troubles).toEqual([]);
      await page.close();
    } finally {
      desk.remove();
    }
  });
});

describe("the report in the inbox", () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({
      home: folder,
      config: aConfig({ channels: { inbox: { port: 0 } } }),
      log: silentLog,
      assets: await pageFolder(),
    });
  });
  afterEach(() => service.close());

  it.each([
    ["phone", phone],
    ["desktop", desktop],
  ] as const)("is read, saved and left again, on a %s", async (_name, viewport) => {
    const asked = await service.owlpost.ask({
      document: aDocument({ title: hostile, default: { action: "skip_spec", at: "8h" } }),
    });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    await service.owlpost.decide({ verb: "choose", question: asked.id, key: "1" }, "cli");
    const context = await browser.newContext({ viewport, acceptDownloads: true });
    const page = await context.newPage();
    const troubles = watch(page);
    await page.goto((await service.owlpost.inboxLink()) ?? "about:blank");
    await page.getByText("live", { exact: true }).waitFor();
    const before = (await service.owlpost.events(0, 1_000)).length;

    await page.getByRole("button", { name: "Read the report" }).click();
    await page.getByRole("heading", { name: "Morning report", level: 2 }).first().waitFor();
    const report = page.locator("article.report");
    expect(await report.getByRole("heading", { name: hostile }).count()).toBe(1);
    expect(
      await report.getByText("Answered: option 1 — Refresh-token rotation, from the command line").count(),
    ).toBe(1);
    expect(await page.getByRole("region", { name: "Open questions" }).count()).toBe(0);
    expect(await report.locator("svg.timeline:visible").count()).toBe(1);
    await expectFits(page);
    await report.getByText("The timeline as a table").click();
    expect(await report.getByRole("table").isVisible()).toBe(true);

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as a file" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("owlpost-report.html");
    expect(await readFile(await download.path(), "utf8")).toContain("Answered: option 1");

    await page.getByRole("button", { name: "Back to the questions" }).click();
    await page.getByRole("region", { name: "Open questions" }).waitFor();
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Read the report");
    expect((await service.owlpost.events(0, 1_000)).length).toBe(before);
    expect(await page.title()).toBe("owlpost");
    expect(troubles).toEqual([]);
    await context.close();
  });

  it("leads from what waits to the card with its buttons", async () => {
    const asked = await service.owlpost.ask({
      document: aDocument({ default: { action: "skip_spec", at: "8h" } }),
    });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    const page = await browser.newPage({ viewport: phone });
    const troubles = watch(page);
    await page.goto((await service.owlpost.inboxLink()) ?? "about:blank");
    await page.locator(`#${asked.id}`).waitFor();
    await page.getByRole("button", { name: "Read the report" }).click();
    await page.getByRole("button", { name: "Answer it" }).click();
    expect(await page.evaluate("document.activeElement?.id")).toBe(asked.id);
    await page.waitForTimeout(450);
    await page.locator(`#${asked.id}`).getByRole("button", { name: "Refresh-token rotation" }).click();
    await page.locator(`#${asked.id}`).getByRole("status").getByText("Answered: 1").waitFor();
    expect(troubles).toEqual([]);
    await page.close();
  });

  it("says so when the session is over", async () => {
    const page = await browser.newPage({ viewport: desktop });
    await page.goto((await service.owlpost.inboxLink()) ?? "about:blank");
    await page.getByText("live", { exact: true }).waitFor();
    await page.evaluate('localStorage.setItem("owlpost.session", "gone")');
    await page.getByRole("button", { name: "Read the report" }).click();
    await page.getByText("This page needs a fresh link").waitFor();
    expect(await page.locator("article.report").count()).toBe(0);
    await page.close();
  });
});
