import { visibleForm } from "../src/domain/text.ts";
import { codeBefore, properties, unitsOf } from "./code-points.ts";
import { openText } from "./open-text.ts";

/** Every character that may be hidden or obeyed; which of them go is decided one by one. */
const suspect = /[\p{Cc}\p{DI}\p{Zl}\p{Zp}\p{NChar}\p{Cs}\uFFF9-\uFFFB]/u;
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
    .join("")}]`,
  "u",
);
const shown = /[\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB\p{Cc}\p{Zl}\p{Zp}\p{NChar}]/u;

/** What a character is, and what may stand behind it. */
const kinds = [
  suspect,
  shown,
  joining,
  /\p{ExtPict}/u,
  // What follows these may choose how they look.
  /[\p{ExtPict}0-9#*]/u,
  /[\p{Script=Han}\p{Sm}]/u,
  /\p{Script=Mongolian}/u,
] as const;
const [isSuspect, isShown, joins, isPictograph, takesVariation, takesForm, isMongolian] = [
  1, 2, 4, 8, 16, 32, 64,
] as const;
const { of: kindsOf, byUnit } = properties((character) =>
  kinds.reduce((bits, kind, at) => (kind.test(character) ? bits | (1 << at) : bits), 0),
);

/** The tags of a flag that are looked through. */
const mostTags = 8;

/** Most emoji lie there. */
const isEmojiHalf = (unit: number): boolean => unit >= 0xd83c && unit <= 0xd83e;

/** The joiner inside of a family: of all that may be hidden, it is by far the most frequent. */
function joinsEmoji(unit: number, at: number, text: string): boolean {
  return unit === 0x200d && isEmojiHalf(text.charCodeAt(at - 2)) && isEmojiHalf(text.charCodeAt(at + 1));
}

/** Joiners, tags, and what chooses a form: all that may be hidden and yet be part of what stands before it. */
function mayBelong(code: number): boolean {
  return (
    code === 0x200c ||
    code === 0x200d ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    code > 0xffff ||
    (code >= 0x180b && code <= 0x180f && code !== 0x180e)
  );
}

/** Is it part of an emoji or of a word? */
function belongs(code: number, at: number, text: string): boolean {
  if (!mayBelong(code)) return false;
  const last = at > 0 ? codeBefore(text, at) : 0;
  const before = at > 0 ? kindsOf(last) : 0;
  if (code === 0x200c || code === 0x200d) {
    if (before & joins) return true;
    return code === 0x200d && isPictographAt(text, at + 1) && isPictographBefore(last, at, text);
  }
  if (code === 0xfe0e || code === 0xfe0f) return (before & takesVariation) !== 0;
  if ((code >= 0xfe00 && code <= 0xfe0d) || code > 0xffff)
    return (code < 0xe0080 && isFlagBefore(text, at)) || (before & takesForm) !== 0;
  return (before & isMongolian) !== 0;
}

function isPictographAt(text: string, at: number): boolean {
  return at < text.length && (kindsOf(text.codePointAt(at) ?? 0) & isPictograph) !== 0;
}

/** A pictograph, perhaps with its form or its skin tone. */
function isPictographBefore(last: number, at: number, text: string): boolean {
  if (kindsOf(last) & isPictograph) return true;
  if (last !== 0xfe0f && (last < 0x1f3fb || last > 0x1f3ff)) return false;
  const place = at - unitsOf(last);
  return place > 0 && (kindsOf(codeBefore(text, place)) & isPictograph) !== 0;
}

/** The black flag, with at most so many tags behind it. */
function isFlagBefore(text: string, at: number): boolean {
  let place = at;
  // U+E0020 to U+E007E.
  for (let tags = 0; tags < mostTags && text.charCodeAt(place - 2) === 0xdb40; tags += 1) {
    const low = text.charCodeAt(place - 1);
    if (low < 0xdc20 || low > 0xdc7e) return false;
    place -= 2;
  }
  return text.charCodeAt(place - 1) === 0xdff4 && text.charCodeAt(place - 2) === 0xd83c;
}

/** By first half of a pair: may one of its 1,024 characters be hidden? 0: not known yet. */
const hiding = new Uint8Array(0x400);
const [hidesNone, hidesSome] = [1, 2] as const;

function findHiding(high: number): number {
  let all = "";
  for (let low = 0xdc00; low <= 0xdfff; low += 1) all += String.fromCharCode(high, low);
  const found = suspect.test(all) ? hidesSome : hidesNone;
  hiding[high - 0xd800] = found;
  return found;
}

/** The place of the first character at or after `from` that may be hidden or obeyed; -1 where there is none. */
function nextSuspect(text: string, from: number): number {
  const { length } = text;
  for (let at = from; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdfff) {
      if ((byUnit[unit] || kindsOf(unit)) & isSuspect && !joinsEmoji(unit, at, text)) return at;
      continue;
    }
    const next = unit < 0xdc00 ? text.charCodeAt(at + 1) : 0;
    // A half without the other.
    if (!(next >= 0xdc00 && next <= 0xdfff)) return at;
    if ((hiding[unit - 0xd800] || findHiding(unit)) === hidesSome) {
      if (kindsOf((unit - 0xd800) * 0x400 + next - 0xdc00 + 0x10000) & isSuspect) return at;
    }
    at += 1;
  }
  return -1;
}

/** What stands in the place of a suspect character; undefined: it stays. */
function instead(code: number, at: number, text: string): string | undefined {
  if (code === 10 || code === 9) return undefined;
  if (belongs(code, at, text)) return undefined;
  if (code >= 0xd800 && code <= 0xdfff) return "\uFFFD";
  return kindsOf(code) & isShown ? shownForm(code) : "";
}

const shownForms = new Map<number, string>();

function shownForm(code: number): string {
  const known = shownForms.get(code);
  if (known !== undefined) return known;
  const form = visibleForm(String.fromCodePoint(code));
  shownForms.set(code, form);
  return form;
}

/**
 * The same text with nothing hidden in it: line ends are line feeds, lone surrogates U+FFFD; bidi overrides, controls
 * and line separators stand as `⟨U+202E⟩`; other invisible characters are gone. Joiners inside emoji and inside words
 * of joining scripts stay.
 */
export function reveal(raw: string): string {
  if (openText.test(raw)) return raw;
  const text = raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
  let kept = "";
  let from = 0;
  for (let at = nextSuspect(text, 0); at >= 0; ) {
    const code = text.codePointAt(at) ?? 0;
    const end = at + unitsOf(code);
    const other = instead(code, at, text);
    if (other !== undefined) {
      kept += text.slice(from, at) + other;
      from = end;
    }
    at = nextSuspect(text, end);
  }
  return from === 0 ? text : kept + text.slice(from);
}

/** What lines of ours begin with, as characters and as the shortcodes that some platforms turn into them. */
export const marks = [
  "✅",
  "▶",
  "⏰",
  "🦉",
  "🚫",
  "✂",
  "🌙",
  ":white_check_mark:",
  ":heavy_check_mark:",
  ":arrow_forward:",
  ":alarm_clock:",
  ":owl:",
  ":no_entry_sign:",
  ":crescent_moon:",
  "##-",
] as const;
const anyMark = new RegExp(marks.join("|"));
const everyMark = new RegExp(marks.join("|"), "g");
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
