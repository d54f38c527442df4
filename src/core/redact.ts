import { redactPairs } from "./redact-pairs.ts";
import { redactPrivateKeys, redactShapes, redactUrls } from "./redact-shapes.ts";

export type Redacted = { readonly text: string; readonly found: number };

/** What stands where a credential stood. */
export const redactedMark = "[redacted]";

/**
 * Two cheap looks: without any of these no pattern below can match. Most questions end here, and most of the others
 * only name a token or a key. Each alternative begins with a fixed text, so the engine skips from one possible
 * beginning to the next. Everything in `redact-shapes.ts` needs a beginning of the first.
 */
const shapeTrigger =
  /:\/\/|-----|eyJ|[Bb]earer|BEARER|gh[pousr]_|github_pat|gl[a-z]{2,7}-|xox|xapp-|A[KGIRNSBC][A-Z]A|AIza|GOCSPX|ya29|[spr]k[-_]|key-[0-9a-f]|npm_|SG\.|[SA][KC][0-9a-f]{6}|hf_|pypi-|do[por]_v1|shp|sq0|dapi|lin_api|ntn_|hv[sbr]\.|gl[sc]a?_|dckr|ATATT|ATBB|ATCTT|NRAK|PMAK|figd_|whsec_|AGE-|gsk_|r8_|xai-|pplx-|sb[ps]_|sb_secret|fm[12]|sntry|rubygems|tk_|dp\.|pul-|nfp_|tsk|hooks?[./]|webhooks|[0-9]:[A-Za-z0-9_-]{30}|[MNO][A-Za-z0-9_-]{23}/;
/** `redact-pairs.ts` needs one of these names. */
const nameTrigger =
  /[Pp]ass|PASS|[Pp]wd|PWD|[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Kk]ey|KEY|[Aa]uth|AUTH|[Cc]redential|CREDENTIAL/;

/** Credentials become `[redacted]`. `found` counts them; with none, `text` is the same string. */
export function redact(text: string): Redacted {
  const named = nameTrigger.test(text);
  const shaped = shapeTrigger.test(text);
  if (!named && !shaped) return { text, found: 0 };
  let found = 0;
  const count = (): string => {
    found += 1;
    return redactedMark;
  };
  let out = text;
  // What one pattern takes away may free the sight of another; two rounds are usual, more are somebody's game.
  for (let round = 0, before = -1; before !== found && round < 8; round += 1) {
    before = found;
    if (shaped || round > 0) {
      out = redactPrivateKeys(out, count);
      out = redactUrls(out, count);
      out = redactShapes(out, count);
    }
    if (named || round > 0) out = redactPairs(out, count);
  }
  return found === 0 ? { text, found } : { text: out, found };
}

export type RedactedValue = { readonly value: unknown; readonly found: number };

/**
 * The same for every text in a JSON-like value, keys of maps included. A text under a key such as `password` goes
 * whole. Lines of a list are read as one text, so that a private key which spans them goes as well.
 */
export function redactDeep(value: unknown): RedactedValue {
  let found = 0;
  const note = (result: Redacted): string => {
    found += result.found;
    return result.text;
  };
  const walk = (node: unknown, depth: number): unknown => {
    if (typeof node === "string") return note(redact(node));
    if (node === null || typeof node !== "object") return node;
    // Deeper than any document that people write; what is not read is not kept.
    if (depth > 64) return redactedMark;
    if (Array.isArray(node)) {
      const lines: readonly unknown[] = node;
      if (spansPrivateKey(lines)) return note(redact(lines.join("\n"))).split("\n");
      return lines.map((item) => walk(item, depth + 1));
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, item]) => [note(redact(key)), pair(key, item, depth)]),
    );
  };
  const pair = (key: string, item: unknown, depth: number): unknown => {
    if (typeof item !== "string" || !(nameTrigger.test(key) || shapeTrigger.test(key)))
      return walk(item, depth + 1);
    const alone = redact(item);
    if (alone.found > 0) return note(alone);
    // Quoted, a pair is a credential whatever its value looks like.
    const quoted = redact(`${key}="${item.replace(/["\\\n]/g, "_")}"`);
    if (quoted.found === 0 || item === "") return item;
    found += 1;
    return redactedMark;
  };
  return { value: walk(value, 0), found };
}

function spansPrivateKey(lines: readonly unknown[]): boolean {
  return (
    lines.every((line) => typeof line === "string") && lines.some((line) => /PRIVATE KEY[A-Z ]*-/.test(line))
  );
}
