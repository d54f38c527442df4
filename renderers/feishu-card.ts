import { type Markup, same } from "./markup.ts";
import { joiner } from "./neutralise.ts";
import { plain } from "./plain.ts";

/** Card Markdown has no escape, so nothing that could open a tag or a link is left whole. */
function calm(text: string): string {
  return /[<\]]/.test(text)
    ? text.replace(/<(?=[a-z/!])/gi, `<${joiner}`).replaceAll("](", `]${joiner}(`)
    : text;
}

export const feishuCard: Markup = {
  ...plain,
  calm,
  signs: "<]",
  code: (text) => same(calm(text)),
  block: (text) => same(calm(text)),
};
