/**
 * One dialect. Agent text is first calmed (nothing in it can ping, link or begin a list) and then escaped; what is
 * shown is the calmed text. `growth` is an upper bound of what escaping adds for one UTF-16 code unit, in units, so
 * that a cut can be found without escaping everything.
 */
export type Markup = {
  readonly calm: (text: string) => string;
  readonly escape: (calm: string) => string;
  readonly growth: (code: number) => number;
  /** The only signs of ASCII that may make `calm` or `escape` change a text. Absent: not known. */
  readonly signs?: string;
  /** Around escaped text of one line. */
  readonly strong: (sent: string) => string;
  /** A line of text, not calmed yet, as code. */
  readonly code: (text: string) => Written;
  /** Lines of text, not calmed yet, as code. */
  readonly block: (text: string) => Written;
  /** Around a whole part; absent: nothing. */
  readonly part?: (sent: string) => string;
  /** Between two lines of one part, as sent. */
  readonly newline: string;
  /** Keycaps stand for digits; else `1)`. */
  readonly keycaps: boolean;
  /** No markup at all. */
  readonly isBare: boolean;
  /** Before everything else. */
  readonly opening?: (id: string) => Written;
};

/** A text as it is sent and as a person sees it. */
export type Written = { readonly sent: string; readonly shown: string };

export const same = (text: string): Written => ({ sent: text, shown: text });
export const identity = (text: string): string => text;

/** The three characters that HTML and its relatives must not meet in a text. */
export function escapeAngles(text: string): string {
  // One character for one text each time, and only where it stands: faster than one expression for all of them.
  const quiet = text.includes("&") ? text.replaceAll("&", "&amp;") : text;
  const closed = quiet.includes("<") ? quiet.replaceAll("<", "&lt;") : quiet;
  return closed.includes(">") ? closed.replaceAll(">", "&gt;") : closed;
}

export const angleGrowth = (code: number): number => (code === 38 ? 4 : code === 60 || code === 62 ? 3 : 0);
