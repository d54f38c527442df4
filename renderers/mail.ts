import type { Markup, Written } from "./markup.ts";
import { joiner } from "./neutralise.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "<br>\n",
};

function escaped(text: string): string {
  return /[&<>"\n]/.test(text) ? text.replace(/[&<>"\n]/g, (found) => entities[found] ?? found) : text;
}

/** The line above which an answer is read. */
export const delimiter = "##- Reply above this line -##";

/** `-- ` alone on a line is where a signature begins. */
function calm(text: string): string {
  return text.includes("--") ? text.replace(/^(?=--[^\S\n]*$)/gm, joiner) : text;
}

function inTag(tag: "code" | "pre", text: string): Written {
  const shown = calm(text);
  return { sent: `<${tag}>${escaped(shown).replaceAll("<br>\n", "\n")}</${tag}>`, shown };
}

/** HTML for the body and text beside it; both are parts of one mail. */
export const mail: Markup = {
  calm,
  escape: escaped,
  growth: (code) => (code === 38 || code === 10 ? 4 : code === 34 ? 5 : code === 60 || code === 62 ? 3 : 0),
  strong: (sent) => `<b>${sent}</b>`,
  code: (text) => inTag("code", text),
  block: (text) => inTag("pre", text),
  part: (sent) => `<div style="margin:0 0 1em">${sent}</div>`,
  newline: "<br>\n",
  keycaps: true,
  isBare: false,
  opening: () => ({ sent: `<p style="color:#777">${delimiter}</p>\n`, shown: `${delimiter}\n\n` }),
};
