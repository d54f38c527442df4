import type { Button, ChannelMessage, Part } from "../../src/domain/channel.ts";
import { delimiter } from "./delimiter.ts";

/**
 * The mail as a page: no table, no picture, nothing from elsewhere, and no address that a look at it could call. Colours that
 * a mail program may turn over in the dark are left to it; ours are set for both.
 */
export function pageOf(message: ChannelMessage, linkOf: (button: Button) => string): string {
  const { parts, buttons, body } = message;
  const shown = parts.length > 0 ? parts : [{ name: "text", text: body } as const];
  const opening = shown[0]?.text.includes(delimiter) ? "" : `<p style="${small}">${delimiter}</p>\n`;
  // What is longer than some screens stands behind the buttons: nobody scrolls past it to decide.
  const near = shown.filter((part) => !isLong(part));
  // The buttons stand before the line that tells how to answer without them.
  const reply = near.findIndex(({ name }) => name === "reply");
  const before = reply < 0 ? near : near.slice(0, reply);
  const after = [...(reply < 0 ? [] : near.slice(reply)), ...shown.filter(isLong)];
  return [
    head,
    opening,
    ...before.map(partHtml),
    ...buttons.map((button) => buttonHtml(button, linkOf(button))),
    ...after.map(partHtml),
    "</div></body></html>\n",
  ].join("");
}

const mostNear = 1_500;

function isLong({ name, text }: Part): boolean {
  return (name === "tried" || name === "facts") && text.length > mostNear;
}

const small = "color:#777;font-size:13px";

const head = `<!doctype html>
<html dir="auto"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<style>:root{color-scheme:light dark;supported-color-schemes:light dark}
div,pre{unicode-bidi:plaintext}
code,pre{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px}
@media(prefers-color-scheme:dark){p,.s{color:#9aa0a6!important}.o{border-color:#6b7280!important}.b{color:#8ab4f8!important;border-color:#8ab4f8!important}.p{background:#8ab4f8!important;color:#10151c!important}}</style></head>
<body style="margin:0;padding:16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<div style="max-width:640px;margin:0 auto;overflow-wrap:break-word;word-wrap:break-word">
`;

const looks: Partial<Readonly<Record<Part["name"], string>>> = {
  title: "font-size:20px;line-height:1.3",
  option: "border-left:3px solid #9aa0a6;padding-left:12px",
  deadline: "background:rgba(127,127,127,.14);border-radius:8px;padding:12px 14px 1px;margin:0 0 16px",
  standing: "background:rgba(127,127,127,.14);border-radius:8px;padding:12px 14px 1px;margin:0 0 16px",
  reply: small,
  cut: small,
};

/** Each part says for itself which way its words run. */
function partHtml({ name, text }: Part): string {
  const look = looks[name];
  const kind = look === small ? ' class="s"' : name === "option" ? ' class="o"' : "";
  const style = look === undefined ? "" : ` style="${look}"`;
  return `<div dir="auto"${kind}${style}>${withBlocks(text)}</div>\n`;
}

const block =
  "background:rgba(127,127,127,.14);border-radius:6px;padding:10px 12px;margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere";

/**
 * A line of output that is longer than the screen turns, so that nothing has to be pushed aside on a phone; and a block
 * brings its own line break.
 */
function withBlocks(text: string): string {
  return text
    .replaceAll("<br>\n<pre>", "<pre>")
    .replaceAll("</pre><br>\n", "</pre>")
    .replaceAll("<pre>", `<pre style="${block}">`);
}

const shape = "display:block;border:1px solid;border-radius:8px;padding:12px 16px;margin:0 0 10px";
const filled = "background:#1a56b0;color:#fff;border-color:#1a56b0";
const outlined = "color:#1a56b0;border-color:#1a56b0";

function buttonHtml({ label, primary }: Button, link: string): string {
  const [kind, look] = primary ? ["p", filled] : ["b", outlined];
  const style = `${shape};${look};text-decoration:none;font-weight:600`;
  return `<a class="${kind}" dir="auto" href="${escaped(link)}" style="${style}">${escaped(label)}</a>\n`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
