import { angleGrowth, escapeAngles, type Markup } from "./markup.ts";
import { joiner } from "./neutralise.ts";

/** A bare `@name` pings, `/word` becomes a command that a tap sends, `tg://user` mentions by number. */
function calm(text: string): string {
  if (!/[@/]/.test(text)) return text;
  return text
    .replace(/(?<![A-Za-z0-9_])@(?=[A-Za-z])/g, `@${joiner}`)
    .replace(/(?<![^\s([{"'`“‘,;|=])\/(?=[A-Za-z])/g, `/${joiner}`)
    .replace(/tg:(?=\/\/)/gi, (found) => `${found}${joiner}`);
}

/** HTML as the Bot API knows it: three characters to escape, named entities only. */
export const telegramHtml: Markup = {
  calm,
  escape: escapeAngles,
  growth: angleGrowth,
  strong: (sent) => `<b>${sent}</b>`,
  code: (text) => ({ sent: `<code>${escapeAngles(text)}</code>`, shown: text }),
  block: (text) => ({ sent: `<pre>${escapeAngles(text)}</pre>`, shown: text }),
  part: (sent) => sent,
  newline: "\n",
  keycaps: true,
  isBare: false,
};
