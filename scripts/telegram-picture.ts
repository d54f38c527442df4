import { join } from "node:path";
import { chromium } from "playwright-core";
import { encode } from "../channels/telegram.ts";
import { matrix } from "../renderers/matrix.ts";
import { render } from "../renderers/render.ts";
import { questionView } from "../src/core/view.ts";
import { cases } from "../test/renderers/cases.ts";

/**
 * Draws docs/telegram-phone.png: the seed's question as Telegram gets it, open and answered. It is a rendering of the HTML
 * that is sent, in Chromium; it imitates a phone and is no screenshot of one, and says so.
 */
const style = `
* { box-sizing: border-box; margin: 0; }
body { display: flex; gap: 28px; padding: 24px; width: max-content; background: #d5dde3; align-items: flex-start;
  font: 15px/1.32 "Noto Sans", "Roboto", "DejaVu Sans", system-ui, "Noto Color Emoji", sans-serif; color: #111; }
figure { width: 392px; }
.phone { border-radius: 26px; overflow: hidden; background: #c6d8c2; box-shadow: 0 6px 24px #0003; }
header { background: #fff; padding: 14px 18px; font-weight: 600; }
header small { display: block; font-weight: 400; color: #6b7780; }
main { padding: 12px 10px 18px; }
.text { background: #fff; border-radius: 14px 14px 14px 4px; padding: 9px 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
.text code, .text pre { font: 12.5px/1.35 "Noto Sans Mono", "DejaVu Sans Mono", monospace; }
.text pre { background: #eef2f5; border-left: 3px solid #4a90c2; padding: 6px 8px; white-space: pre-wrap; border-radius: 4px; }
.row { display: flex; gap: 4px; margin-top: 4px; }
.row span { flex: 1; text-align: center; background: #7f9a7bcc; color: #fff; border-radius: 8px; padding: 9px 6px; font-weight: 600; font-size: 14px; }
.row .primary { background: #2f7fbf; }
figcaption { margin-top: 8px; color: #44515a; font-size: 12.5px; text-align: center; }
`;

const chat = "42";

function phone(name: string, caption: string): string {
  const [stored, now] = cases[name] ?? [];
  if (!stored || now === undefined) throw new Error(`no case ${name}`);
  const view = questionView(stored, now);
  const { text, reply_markup: markup } = encode(chat, render(view, matrix.telegram));
  const rows = (markup?.inline_keyboard ?? []).map((row) => {
    const buttons = row.map((button) => {
      const look = "style" in button ? ` class="${button.style}"` : "";
      return `<span${look}>${button.text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</span>`;
    });
    return `<div class="row">${buttons.join("")}</div>`;
  });
  // As on a phone, a block of code brings its own line break.
  const shown = text.replaceAll("</pre>\n", "</pre>");
  return `<figure><div class="phone"><header>owlpost<small>bot</small></header><main>
<div class="text">${shown}</div>${rows.join("")}</main></div><figcaption>${caption}</figcaption></figure>`;
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 880, height: 900 }, deviceScaleFactor: 1.5 });
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${style}</style>
${phone("seed-example", "The question. A rendering of what is sent, not a screenshot.")}
${phone("answered", "The same message after a tap on the first button.")}`);
  await page
    .locator("body")
    .screenshot({ path: join(import.meta.dirname, "..", "docs", "telegram-phone.png") });
} finally {
  await browser.close();
}
