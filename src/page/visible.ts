export type Part = { readonly text: string; readonly control: boolean };

// Controls, line and paragraph separators, bidi marks and overrides, zero-width and other invisible characters.
// Line feed and tab stay as they are.
const hidden =
  /[\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]|[\ud800-\udbff](?![\udc00-\udfff])/gu;
const emojiBefore = /(?:\p{Extended_Pictographic}|[\u{1f3fb}-\u{1f3ff}]|\ufe0f)$/u;
const emojiAfter = /^\p{Extended_Pictographic}/u;
/** Scripts in which a joiner or non-joiner is part of the spelling. */
const joiningBefore =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]\p{M}*$/u;

/**
 * Splits a text so that what a reader cannot see, and what could show other words than were written, stands as
 * `⟨U+202E⟩`. Joiners inside emoji and inside words of joining scripts stay.
 */
export function visible(text: string): readonly Part[] {
  const source = text.replaceAll("\r\n", "\n");
  const parts: Part[] = [];
  let from = 0;
  for (const match of source.matchAll(hidden)) {
    const at = match.index;
    const found = match[0];
    if (found === "\n" || found === "\t" || belongs(source, at, found)) continue;
    if (at > from) parts.push({ text: source.slice(from, at), control: false });
    parts.push({ text: `⟨U+${codeOf(found)}⟩`, control: true });
    from = at + found.length;
  }
  if (from < source.length) parts.push({ text: source.slice(from), control: false });
  return parts;
}

function belongs(source: string, at: number, found: string): boolean {
  if (found !== "\u200d" && found !== "\u200c") return false;
  const before = source.slice(Math.max(0, at - 8), at);
  if (joiningBefore.test(before)) return true;
  return found === "\u200d" && emojiBefore.test(before) && emojiAfter.test(source.slice(at + 1, at + 3));
}

function codeOf(found: string): string {
  return (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
