import { visibleForm } from "../src/domain/text.ts";

/** Nothing hidden and nothing that changes direction: a quick look that is enough for most texts. */
const open =
  /^[\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2100-\u2bff\u3001-\u3029\u3041-\u3098\u309b-\u9fff\uac00-\ud7a3\uff01-\uff9f]*$/;

/** Every character that may be hidden or obeyed; which of them go is decided one by one. */
const suspect = /[\p{Cc}\p{DI}\p{Zl}\p{Zp}\p{NChar}\p{Cs}\uFFF9-\uFFFB]/u;
const suspects = new RegExp(suspect.source, "gu");

/** Scripts in which a joiner or non-joiner is part of the spelling. */
const joining = new RegExp(
  `[${[
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
    .join("")}]$`,
  "u",
);
const pictographEnd = /\p{ExtPict}[\uFE0F\u{1F3FB}-\u{1F3FF}]?$/u;
const pictographStart = /^\p{ExtPict}/u;
const takesVariation = /[\p{ExtPict}0-9#*]$/u;
const takesForm = /[\p{Script=Han}\p{Sm}]$/u;
const mongolian = /\p{Script=Mongolian}$/u;
const flagTag = /\u{1F3F4}[\u{E0020}-\u{E007E}]{0,8}$/u;
const shown = /[\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB\p{Cc}\p{Zl}\p{Zp}\p{NChar}]/u;

/** What stands in the place of a suspect character. */
function instead(found: string, at: number, text: string): string {
  if (found === "\n" || found === "\t") return found;
  if (found === "\r") return text[at + 1] === "\n" ? "" : "\n";
  if (belongs(found.codePointAt(0) ?? 0, at, found.length, text)) return found;
  if (/\p{Cs}/u.test(found)) return "\uFFFD";
  return shown.test(found) ? visibleForm(found) : "";
}

/** Most emoji lie there. */
const isPictographHalf = (code: number): boolean => code >= 0xd83c && code <= 0xd83e;

/** Is it part of an emoji or of a word? */
function belongs(code: number, at: number, length: number, text: string): boolean {
  if (
    code === 0x200d &&
    isPictographHalf(text.charCodeAt(at - 2)) &&
    isPictographHalf(text.charCodeAt(at + 1))
  )
    return true;
  const before = text.slice(Math.max(0, at - 20), at);
  if (code === 0x200d && pictographStart.test(text.slice(at + 1, at + 3)) && pictographEnd.test(before))
    return true;
  if (code === 0x200c || code === 0x200d) return joining.test(before);
  if (code === 0xfe0e || code === 0xfe0f) return takesVariation.test(before);
  if ((code >= 0xfe00 && code <= 0xfe0d) || length === 2)
    return takesForm.test(before) || (code < 0xe0080 && flagTag.test(before));
  return code >= 0x180b && code <= 0x180f && code !== 0x180e && mongolian.test(before);
}

/**
 * The same text with nothing hidden in it: line ends are line feeds, lone surrogates U+FFFD; bidi overrides, controls
 * and line separators stand as `⟨U+202E⟩`; other invisible characters are gone. Joiners inside emoji and inside words
 * of joining scripts stay.
 */
export function reveal(text: string): string {
  return !open.test(text) && suspect.test(text) ? text.replace(suspects, instead) : text;
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
const everyMark = new RegExp(marks, "g");
// U+2800 looks blank.
const blank = /[\s\u2800]/;

/**
 * No line may look like one of owlpost's own. A zero-width character would not help the reader, so such a line goes on
 * in the line before it, or after a dot where it is the first.
 */
export function disown(text: string): string {
  if (!anyMark.test(text)) return text;
  let disowned = "";
  let from = 0;
  // From each mark back over the blanks before it: from each line end forward, a flood of line ends would take minutes.
  for (const { index } of text.matchAll(everyMark)) {
    let start = index;
    while (start > from && blank.test(text[start - 1] ?? "")) start -= 1;
    const lineEnd = text.slice(start, index).indexOf("\n");
    if (start > 0 && lineEnd < 0) continue;
    disowned += start === 0 ? "· " : `${text.slice(from, start + lineEnd)} `;
    from = index;
  }
  return disowned + text.slice(from);
}

/** Word joiner: invisible, no space, and enough to end a mention, a reference or a markup character. */
export const joiner = "\u2060";

const shortcode = /:(?=[a-z0-9_+'-]+:)/gi;

/** `:name:` stays as it is typed where a platform would draw an emoji. */
export function calmShortcodes(text: string): string {
  return text.includes(":") ? text.replace(shortcode, `:${joiner}`) : text;
}
