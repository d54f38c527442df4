import { join } from "node:path";
import { chromium } from "playwright-core";
import { reportHtml } from "../renderers/report-html.ts";
import { reportView } from "../src/core/report-view.ts";
import { aRealisticNight, reportOfNight } from "../test/nights.ts";

/** Draws docs/report-desktop.png and docs/report-phone.png: the report of the night that the golden files tell of, in Chromium. */
const docs = join(import.meta.dirname, "..", "docs");
const html = reportHtml(reportView(reportOfNight(aRealisticNight())));

const pictures = [
  { name: "report-desktop", viewport: { width: 960, height: 1170 }, colorScheme: "light", from: 0 },
  { name: "report-phone", viewport: { width: 390, height: 1000 }, colorScheme: "dark", from: 1010 },
] as const;

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  for (const { name, viewport, colorScheme, from } of pictures) {
    const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: 1.5 });
    await page.setContent(html);
    await page.evaluate(`scrollTo(0, ${from})`);
    await page.screenshot({ path: join(docs, `${name}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
}
