import { angleGrowth, escapeAngles, type Markup, type Written } from "./markup.ts";
import { joiner } from "./neutralise.ts";

/** What Telegram takes for a command; a word or a path around it makes it none. */
const command = /(?<![\p{L}\p{N}_/<>])\/(?=[A-Za-z0-9_]{1,64}(?![\p{L}\p{N}_/<>]))/gu;

/** A bare `@name` pings, `/word` becomes a command that a tap sends, `tg://user` mentions by number. */
function calm(text: string): string {
  if (!/[@/]/.test(text)) return text;
  return text
    .replace(/(?<![A-Za-z0-9_])@(?=[A-Za-z])/g, `@${joiner}`)
    .replace(command, `/${joiner}`)
    .replace(userLink, (found) => `${found}${joiner}`);
}

const userLink = /tg:(?=\/\/)/gi;

/** Code mentions nobody and makes no commands; a link that mentions by number is broken all the same. */
function inTag(tag: "code" | "pre", text: string): Written {
  const shown = text.replace(userLink, (found) => `${found}${joiner}`);
  return { sent: `<${tag}>${escapeAngles(shown)}</${tag}>`, shown };
}

/** HTML as the Bot API knows it: three characters to escape, named entities only. */
export const telegramHtml: Markup = {
  calm,
  escape: escapeAngles,
  growth: angleGrowth,
  strong: (sent) => `<b>${sent}</b>`,
  code: (text) => inTag("code", text),
  block: (text) => inTag("pre", text),
  part: (sent) => sent,
  newline: "\n",
  keycaps: true,
  isBare: false,
};
