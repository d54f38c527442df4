import type { Markup, Written } from "./markup.ts";
import { mrkdwn } from "./mrkdwn.ts";
import { joiner } from "./neutralise.ts";

/**
 * Receivers that take Slack's messages read more into them than Slack does: Mattermost and Rocket.Chat ping a bare `@name`,
 * and make headings, links and pictures of Markdown.
 */
function calm(text: string): string {
  const calmed = mrkdwn.calm(text);
  if (!/[@#\]]/.test(calmed)) return calmed;
  return calmed
    .replace(/(?<![A-Za-z0-9_])@(?=[A-Za-z0-9])/g, `@${joiner}`)
    .replaceAll("](", `]${joiner}(`)
    .replace(/^(?=[^\S\n]*#)/gm, joiner);
}

/** Code mentions nobody on Slack, and elsewhere perhaps. */
function inCode(written: Written): Written {
  const quiet = (text: string): string => text.replace(/(?<![A-Za-z0-9_])@(?=[A-Za-z0-9])/g, `@${joiner}`);
  return { sent: quiet(written.sent), shown: quiet(written.shown) };
}

/** The text of an incoming webhook, for Slack and for what takes the same messages. */
export const slackCompatible: Markup = {
  ...mrkdwn,
  calm,
  code: (text) => inCode(mrkdwn.code(text)),
  block: (text) => inCode(mrkdwn.block(text)),
};
