/** Sizes and visible forms of one text. Total functions. */

/** Length in Unicode code points. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0xd800 || code > 0xdbff) continue;
    const next = text.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

export function isLongerThan(text: string, limit: number): boolean {
  // A code point is at most two units, so only texts in between need counting.
  return text.length > limit && (text.length > limit * 2 || countCharacters(text) > limit);
}

/** At most the first `limit` code points, with an ellipsis as the last where something was cut; no grapheme is split. */
export function shorten(text: string, limit: number): string {
  if (!isLongerThan(text, limit)) return text;
  const { length } = [...text.slice(0, limit * 2)].slice(0, limit - 1).join("");
  segmenter ??= new Intl.Segmenter("en");
  const cut = segmenter.segment(text.slice(0, length + 2)).containing(length);
  // One grapheme may be longer than all that is kept.
  return `${text.slice(0, cut?.index || length)}…`;
}

let segmenter: Intl.Segmenter | undefined;

/** The visible form of a character that cannot be seen or must not be obeyed: `⟨U+202E⟩`. */
export function visibleForm(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\u27E8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27E9`;
}

/** White space of any kind folded: what is one line of ours must stay one. */
export function oneLine(text: string): string {
  return /[^\S ]|\x85| {2}/.test(text) ? text.replace(/[\s\x85]+/g, " ").trim() : text.trim();
}
