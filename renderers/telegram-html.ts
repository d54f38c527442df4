import { angleGrowth, escapeAngles, type Markup, type Written } from "./markup.ts";
import { joiner } from "./neutralise.ts";

const mention = /@(?<![A-Za-z0-9_]@)(?=[A-Za-z])/g;
/** What Telegram takes for a command; a word or a path around it makes it none. */
const command = /\/(?<![\p{L}\p{N}_/<>]\/)(?=[A-Za-z0-9_]{1,64}(?![\p{L}\p{N}_/<>]))/gu;
const userLink = /tg:(?=\/\/)/gi;

/** A bare `@name` pings, `/word` becomes a command that a tap sends, `tg://user` mentions by number. */
function calm(text: string): string {
  const quiet = text.includes("@") ? text.replace(mention, `@${joiner}`) : text;
  return quiet.includes("/") ? calmLinks(quiet.replace(command, `/${joiner}`)) : quiet;
}

function calmLinks(text: string): string {
  return text.includes("//") ? text.replace(userLink, (found) => `${found}${joiner}`) : text;
}

/** Code mentions nobody and makes no commands; a link that mentions by number is broken all the same. */
function inTag(tag: "code" | "pre", text: string): Written {
  const shown = calmLinks(text);
  return { sent: `<${tag}>${escapeAngles(shown)}</${tag}>`, shown };
}

/** HTML as the Bot API knows it: three characters to escape, named entities only. */
export const telegramHtml: Markup = {
  calm,
  escape: escapeAngles,
  growth: angleGrowth,
  signs: "&<>@/",
  strong: (sent) => `<b>${sent}</b>`,
  code: (text) => inTag("code", text),
  block: (text) => inTag("pre", text),
  newline: "\n",
  keycaps: true,
  isBare: false,
};
