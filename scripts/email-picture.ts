import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { encode } from "../channels/email.ts";
import { matrix } from "../renderers/matrix.ts";
import { render } from "../renderers/render.ts";
import { followUpView, questionView } from "../src/core/view.ts";
import type { ChannelMessage } from "../src/domain/channel.ts";
import type { View } from "../src/domain/view.ts";
import { aTools } from "../test/builders.ts";
import { cases, caseView } from "../test/renderers/cases.ts";
import { nightViews } from "../test/renderers/night-cases.ts";

/**
 * Draws docs/email-phone.png: the seed's question as a mail program shows it, in the light and in the dark, and what follows
 * in its thread. It is the HTML that is sent, in Chromium, within the frame of a phone that nobody makes; it is no screenshot of one,
 * and says so. With a folder behind it, it draws every kind of mail there instead, one by one, in both widths and both lights.
 */
const frame = { from: "owl@example.org", name: "owlpost", key: "q-a3f2-012-1/post/1" };

function letter(view: View, more: Partial<ChannelMessage> = {}) {
  const about = "id" in view ? { question: view.id } : {};
  return encode("eric@example.org", { ...render(view, matrix.email), ...about, ...more }, aTools(), frame);
}

const [stored, now] = cases.answered ?? [];
if (!stored || now === undefined) throw new Error("no case answered");
const question = letter(caseView("seed-example"));
const { standing: _now, ...asked } = questionView(stored, now);
const followUp = letter(followUpView(stored, now), {
  follows: question.messageId.slice(1, -1),
  thread: render(asked, matrix.email).headline,
  question: stored.question.id,
});

const pairing = letter({
  type: "receipt",
  text: "Somebody at the machine that owlpost runs on wants to pair this address as mara (member).\nReply to this mail with the code that stands on their screen, alone on the first line. It works once, within ten minutes.\nNot expected? Then do nothing: without the code nothing happens.",
});

const all = {
  decide: question,
  "follow-up": followUp,
  consent: letter(nightViews.consent as View),
  "consent-hostile": letter(nightViews["consent-hostile"] as View),
  long: letter(caseView("long")),
  hostile: letter(caseView("hostile")),
  cjk: letter(caseView("cjk")),
  "right-to-left": letter(caseView("right-to-left")),
  "nine-options": letter(caseView("nine-options")),
  "low-fidelity": letter(caseView("low-fidelity")),
  receipt: letter({
    type: "receipt",
    text: "Two questions are open. Send one of these:\nq-a3f2-012-1 1 — Token refresh strategy?\nq-a3f2-014-1 yes — Is the CSV export used?",
  }),
  pairing,
};

async function shot(page: Page, html: string, path: string): Promise<void> {
  await page.setContent(html);
  const over = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  if (Number(over) > 0) console.log(`${path}: ${over} px stick out`);
  await page.screenshot({ path, fullPage: true });
}

const style = `
* { box-sizing: border-box; margin: 0; }
body { display: flex; gap: 28px; padding: 24px; width: max-content; background: #d5dde3; align-items: flex-start;
  font: 14px/1.35 "Noto Sans", "DejaVu Sans", system-ui, sans-serif; color: #111; }
figure { width: 392px; }
.phone { border-radius: 26px; overflow: hidden; background: #fff; box-shadow: 0 6px 24px #0003; }
header { padding: 16px 18px 10px; border-bottom: 1px solid #8884; }
header b { display: block; font-size: 17px; line-height: 1.3; } header small { opacity: .7; }
.dark .phone { background: #1c1f22; color: #e8eaed; }
iframe { display: block; width: 392px; border: 0; }
figcaption { margin-top: 8px; color: #44515a; font-size: 12.5px; text-align: center; }
`;

async function phone(page: Page, mail: typeof question, dark: boolean, caption: string): Promise<string> {
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  await page.setViewportSize({ width: 392, height: 100 });
  await page.setContent(mail.html);
  const height = await page.evaluate("document.documentElement.scrollHeight");
  const picture = (await page.screenshot({ fullPage: true })).toString("base64");
  const escaped = mail.subject.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<figure class="${dark ? "dark" : "light"}"><div class="phone"><header><b>${escaped}</b><small>owlpost &lt;owl@example.org&gt;</small></header>
<img alt="" width="392" height="${height}" src="data:image/png;base64,${picture}"></div><figcaption>${caption}</figcaption></figure>`;
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const [folder] = process.argv.slice(2);
  const context = await browser.newContext({ deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    for (const [name, { html }] of Object.entries(all)) {
      for (const width of [390, 800]) {
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize({ width, height: 600 });
          await page.emulateMedia({ colorScheme });
          await shot(page, html, join(folder, `${name}-${width}-${colorScheme}.png`));
        }
      }
    }
  } else {
    const figures = [
      await phone(page, question, false, "The question. A rendering of what is sent, not a screenshot."),
      await phone(page, question, true, "The same mail in the dark."),
      await phone(page, followUp, false, "What follows in the same thread."),
    ];
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1300, height: 900 });
    await page.setContent(
      `<!doctype html><meta charset="utf-8"><style>${style}</style>${figures.join("\n")}`,
    );
    await page
      .locator("body")
      .screenshot({ path: join(import.meta.dirname, "..", "docs", "email-phone.png") });
  }
} finally {
  await browser.close();
}
