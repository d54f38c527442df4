import { isAligned } from "./domain.ts";
import { fieldsOf, type Head } from "./head.ts";

/** One method's result in an `Authentication-Results` field (RFC 8601), in lower case. */
export type Verdict = {
  readonly method: string;
  readonly result: string;
  readonly properties: ReadonlyMap<string, string>;
};

export type Verdicts = { readonly server: string; readonly verdicts: readonly Verdict[] };

const mostUnits = 20_000;

/** Reads one `Authentication-Results` field; undefined where it names no server. */
export function readVerdicts(value: string): Verdicts | undefined {
  const [first = [], ...rest] = partsOf(value.slice(0, mostUnits));
  const server = first[0]?.toLowerCase();
  // After the server's name only a version may stand.
  if (server === undefined || first.length > 2 || (first[1] !== undefined && !/^\d+$/.test(first[1]))) {
    return undefined;
  }
  return { server, verdicts: rest.flatMap(verdictOf) };
}

/** `dkim=pass header.d=example.org`, as words. */
function verdictOf(words: readonly string[]): readonly Verdict[] {
  const [head = "", ...rest] = words;
  const [, method, result] = /^([a-z0-9-]+)(?:\/\d+)?=([a-z]+)$/i.exec(head) ?? [];
  if (method === undefined || result === undefined) return [];
  const properties = new Map<string, string>();
  for (const word of rest) {
    const [, name, text = ""] = /^([a-z]+\.[a-z0-9-]+)=(.*)$/is.exec(word) ?? [];
    const key = name?.toLowerCase();
    // Said twice, it says nothing.
    if (key !== undefined) properties.set(key, properties.has(key) ? "" : text.toLowerCase());
  }
  return [{ method: method.toLowerCase(), result: result.toLowerCase(), properties }];
}

/** The parts between semicolons, each as its words: without comments, quotes taken off, `a = b` joined. */
function partsOf(value: string): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let depth = 0;
  let quoted = false;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (let at = 0; at < value.length; at += 1) {
    const sign = value.charAt(at);
    if (sign === "\\" && (quoted || depth > 0)) {
      at += 1;
      if (quoted) word = (word ?? "") + value.charAt(at);
    } else if (quoted) {
      if (sign === '"') quoted = false;
      else word += sign;
    } else if (depth > 0) {
      depth += sign === "(" ? 1 : sign === ")" ? -1 : 0;
    } else if (sign === "(") {
      depth = 1;
      endWord();
    } else if (sign === '"') {
      quoted = true;
      word ??= "";
    } else if (sign === ";") {
      endWord();
      parts.push(words);
      words = [];
    } else if (/\s/.test(sign)) endWord();
    else word = (word ?? "") + sign;
  }
  endWord();
  parts.push(words);
  return parts.map(joined);
}

/** White space may stand around `=`. */
function joined(words: readonly string[]): readonly string[] {
  const result: string[] = [];
  for (const word of words) {
    const last = result.at(-1);
    if (last !== undefined && (last.endsWith("=") || word.startsWith("=")))
      result[result.length - 1] = last + word;
    else result.push(word);
  }
  return result;
}

/**
 * Does the pinned server say that the mail is by its author? Only its topmost field counts: it puts a new one above
 * everything that came with the mail, and takes away what claims its name.
 */
export function isProvenByServer(head: Head, server: string | undefined, domain: string): boolean {
  if (server === undefined) return false;
  for (const value of fieldsOf(head, "authentication-results")) {
    const read = readVerdicts(value);
    if (read?.server !== server.toLowerCase()) continue;
    // DMARC passes by SPF alone, too: everybody whose mail leaves through the same provider's servers has that.
    return read.verdicts.some(
      ({ method, result, properties }) =>
        method === "dkim" && result === "pass" && isAligned(signerIn(properties), domain),
    );
  }
  return false;
}

function signerIn(properties: Verdict["properties"]): string {
  return properties.get("header.d") ?? properties.get("header.i")?.split("@").at(-1) ?? "";
}
