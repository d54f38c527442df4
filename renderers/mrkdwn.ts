import { angleGrowth, escapeAngles, type Markup, type Written } from "./markup.ts";
import { calmShortcodes, joiner } from "./neutralise.ts";

/**
 * mrkdwn has no escape for its own characters: one that could open a format or a quote is set apart by word joiners.
 * Escaping alone silences `<!channel>` and `<@U…>`.
 */
function calm(text: string): string {
  if (!/[*_~`:>]/.test(text)) return text;
  const calmed = calmShortcodes(text).replace(/`|(?<![A-Za-z0-9])[*_~](?=\S)/g, `${joiner}$&${joiner}`);
  return calmed.includes(">") ? calmed.replace(/^(?=[^\S\n]*>)/gm, joiner) : calmed;
}

/** A backtick inside code would end it: such a text stands as it is. */
function inCode(text: string, fence: string): Written {
  if (!text.includes("`")) return { sent: `${fence}${escapeAngles(text)}${fence}`, shown: text };
  const shown = calm(text);
  return { sent: escapeAngles(shown), shown };
}

export const mrkdwn: Markup = {
  calm,
  escape: escapeAngles,
  growth: angleGrowth,
  // A star inside would end the bold.
  strong: (sent) => (sent.includes("*") ? sent : `*${sent}*`),
  code: (text) => inCode(text, "`"),
  block: (text) => inCode(text, "```"),
  newline: "\n",
  keycaps: true,
  isBare: false,
};
