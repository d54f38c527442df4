import { compile, type SelectorDefinition } from "html-to-text";

/** Deeper than any mail program nests; the tree is walked by recursion. */
const mostDepth = 100;
const mostUnits = 256 * 1024;

/** Where mail programs put what they quote. */
const quotes = [
  "blockquote",
  "div.gmail_quote",
  "div.gmail_quote_container",
  "div.yahoo_quoted",
  "div.ymail_android_signature_quote",
  "div.protonmail_quote",
  "blockquote.protonmail_quote",
  "div.tutanota_quote",
  "div.zmail_extra",
  "div.moz-cite-prefix",
  "div.moz-forward-container",
  "div#isReplyContent",
  "includetail",
  "div#mail-editor-reference-message-container",
  "div.ms-outlook-mobile-reference-message",
  "div.quote",
  "div.OutlookMessageHeader",
];

const hidden = ['[style*="display:none"i]', '[style*="display: none"i]'];
const noText = ["style", "script", "head", "title", "img", "object", "svg", "template", "noscript"];

const plainly = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

const toText = compile({
  wordwrap: false,
  limits: { maxDepth: mostDepth, ellipsis: "" },
  selectors: [
    { selector: "a", options: { ignoreHref: true } },
    { selector: "p", options: plainly },
    { selector: "table", format: "block" },
    ...["tr", "td", "center", "section", "address"].map(
      (selector): SelectorDefinition => ({ selector, format: "block", options: plainly }),
    ),
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map(
      (selector): SelectorDefinition => ({ selector, options: { uppercase: false, ...plainly } }),
    ),
    ...quotes.map((selector): SelectorDefinition => ({ selector, format: "blockquote" })),
    ...[...noText, ...hidden].map((selector): SelectorDefinition => ({ selector, format: "skip" })),
  ],
});

/** HTML as lines of text; what it quotes, by its structure, begins with `>`. Never throws. */
export function htmlToLines(html: string): string {
  if (html.trim() === "") return "";
  try {
    return toText(html.slice(0, mostUnits));
  } catch {
    return "";
  }
}
