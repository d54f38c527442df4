import { visibleForm } from "../src/domain/text.ts";

/** Nothing hidden, nothing that changes direction: by far the most usual. */
const open =
  /^[\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2100-\u27e7\u2900-\u2bff\u3001-\u3029\u3041-\u3098\u309b-\u9fff\uac00-\ud7a3\uff01-\uff9f]*$/;

/** Scripts in which a joiner or non-joiner is part of the spelling. */
const joining = [
  "Arab",
  "Syrc",
  "Mong",
  "Deva",
  "Beng",
  "Guru",
  "Gujr",
  "Orya",
  "Taml",
  "Telu",
  "Knda",
  "Mlym",
  "Sinh",
  "Khmr",
  "Mymr",
  "Tibt",
]
  .map((script) => `\\p{scx=${script}}`)
  .join("");

/** First what stays (group 1), then what is shown (group 2), then what is dropped. Each match is one character. */
const hidden = new RegExp(
  [
    "(",
    "(?<=\\p{ExtPict}[\\uFE0F\\u{1F3FB}-\\u{1F3FF}]?)\\u200D(?=\\p{ExtPict})",
    `|(?<=[${joining}])[\\u200C\\u200D]`,
    "|(?<=[\\p{ExtPict}0-9#*])[\\uFE0E\\uFE0F]",
    "|(?<=[\\p{Script=Han}\\p{Sm}])[\\uFE00-\\uFE0D\\u{E0100}-\\u{E01EF}]",
    "|(?<=\\p{Script=Mongolian})[\\u180B-\\u180D\\u180F]",
    "|(?<=\\u{1F3F4}[\\u{E0020}-\\u{E007E}]{0,8})[\\u{E0020}-\\u{E007F}]",
    ")",
    "|([\\u202A-\\u202E\\u2066-\\u2069]|(?![\\n\\t])\\p{Cc}|[\\p{Zl}\\p{Zp}\\uFFF9-\\uFFFB]|\\p{NChar})",
    "|\\p{DI}",
  ].join(""),
  "gu",
);

/**
 * The same text with nothing hidden in it: line ends are line feeds, lone surrogates U+FFFD; bidi overrides, controls
 * and line separators stand as `⟨U+202E⟩`; other invisible characters are gone. Joiners inside emoji and inside words
 * of joining scripts stay.
 */
export function reveal(text: string): string {
  if (open.test(text)) return text;
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Cs}/gu, "\uFFFD")
    .replace(hidden, (_found, kept?: string, shown?: string) =>
      kept !== undefined ? kept : shown !== undefined ? visibleForm(shown) : "",
    );
}

/** What lines of ours begin with, as characters and as the shortcodes that some platforms turn into them. */
const marks = [
  "✅",
  "▶",
  "⏰",
  "🦉",
  "🚫",
  "✂",
  ":white_check_mark:",
  ":heavy_check_mark:",
  ":arrow_forward:",
  ":alarm_clock:",
  ":owl:",
  ":no_entry_sign:",
  "##-",
].join("|");
const anyMark = new RegExp(marks);
// U+2800 and U+3164 look blank.
const lineOfOurs = new RegExp(`\\n[\\s\\u2800]*(?=${marks})`, "g");
const startOfOurs = new RegExp(`^[\\s\\u2800]*(?=${marks})`);

/**
 * No line may look like one of owlpost's own. A zero-width character would not help the reader, so such a line goes on
 * in the line before it, or after a dot where it is the first.
 */
export function disown(text: string): string {
  return anyMark.test(text) ? text.replace(lineOfOurs, " ").replace(startOfOurs, "· ") : text;
}

/** Word joiner: invisible, no space, and enough to end a mention, a reference or a markup character. */
export const joiner = "\u2060";

const shortcode = /:(?=[a-z0-9_+'-]+:)/gi;

/** `:name:` stays as it is typed where a platform would draw an emoji. */
export function calmShortcodes(text: string): string {
  return text.includes(":") ? text.replace(shortcode, `:${joiner}`) : text;
}
