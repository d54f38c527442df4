import { isPlaceholder } from "./redact-shapes.ts";

/**
 * `password=…`-like pairs, as YAML, JSON, environment files, headers and command lines write them. The name alone says
 * little (`token: refresh or access?` is prose), so an unquoted value must also look like one: see `isSecretValue`.
 */
type Count = () => string;

/** The end of the name: `DB_PASSWORD`, `"api_key"`, `client-secret`, `authToken`. What stands before it does not matter. */
const names =
  "pass(?:word|wd|phrase|code)|passwort|pwd|secret(?:[-_ ]?(?:access[-_ ]?)?key)?|token|(?:api|access|private|secret|auth|account|encryption|signing|master|shared)[-_ ]?key|credentials?|_auth";

const authorization =
  /((?:proxy-)?authorization\\{0,2}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,2}["']?)((?:basic|bearer|token|digest|negotiate|apikey|bot|aws4-hmac-sha256)[ \t]{1,4})?([^\s"'`\\]{1,4096})/gi;

/**
 * 1 the name, 2 what stands between name and value, then the value: 3 in double quotes, 4 in single quotes, or 5 bare.
 * Every part is bounded or of one class, so a failed look costs a fixed number of steps.
 */
const pair = new RegExp(
  `(${names})((?:\\\\{0,2}["'\\]]{1,2})?[ \\t]{0,8}(?:=>|:=|[:=])[ \\t]{0,8}|[ \\t]{1,4})(?:\\\\{0,2}"([^"\\n\\\\]{1,4096})|\\\\{0,2}'([^'\\n\\\\]{1,4096})|([^\\s"'\`,;&(){}<>|\\]][^\\s"'\`,;&(){}<>|]{0,4095}))`,
  "gi",
);

export function redactPairs(text: string, count: Count): string {
  let out = text;
  if (/authorization/i.test(out))
    out = out.replace(authorization, (match, head: string, scheme: string | undefined, value: string) =>
      isPlaceholder(value) || (!/[0-9]/.test(value) && (isWord(value) || scheme === undefined))
        ? match
        : `${head}${scheme ?? ""}${count()}`,
    );

  let done = 0;
  let rest = "";
  pair.lastIndex = 0;
  for (let match = pair.exec(out); match; match = pair.exec(out)) {
    const [whole, name = "", between = "", double, single, bare] = match;
    const value = double ?? single ?? bare ?? "";
    const valueAt = match.index + whole.length - value.length;
    const joined = between.trim() !== "";
    const flag = !joined && isFlag(out, match.index);
    // `token "abc"` and `password hunter2` are prose, but for the flags of a command line; what was taken for a value may
    // be the name of the next pair.
    if (!joined && !flag) {
      pair.lastIndex = valueAt;
      continue;
    }
    const form: Form = {
      flag,
      name,
      between,
      quoted: bare === undefined,
      ownLine: bare !== undefined && isOwnLine(out, match.index, valueAt + value.length),
    };
    if (isSecretValue(trimEnd(value), form)) {
      const kept = form.quoted ? "" : value.slice(trimEnd(value).length);
      rest += `${out.slice(done, valueAt)}${count()}${kept}`;
      done = valueAt + value.length;
    } else {
      pair.lastIndex = valueAt;
    }
  }
  return done === 0 ? out : rest + out.slice(done);
}

type Form = {
  readonly flag: boolean;
  readonly name: string;
  readonly between: string;
  readonly quoted: boolean;
  /** `name: value` and nothing else on its line, as in a configuration file. */
  readonly ownLine: boolean;
};

function isSecretValue(value: string, form: Form): boolean {
  if (value === "" || isPlaceholder(value)) return false;
  const separator = form.between.trim();
  const joined = separator !== "";
  if (!joined && (value.startsWith("-") || proseWords.has(value.toLowerCase()))) return false;
  if (form.flag && !joined) return true;
  const isPassword = /^(?:pass|pwd)/i.test(form.name);
  // A pass phrase has blanks; a quoted sentence about a token has them too.
  if (form.quoted) return !typeWords.has(value) && (isPassword || !/\s\S*\s/.test(value));
  if (typeWords.has(value) || isCode(value)) return false;
  if (/^pwd$/i.test(form.name) && /^[/~.]/.test(value)) return false;
  // `token: 120000` is an amount; a password may well be a number.
  if (/^(?:token|credentials?)$/i.test(form.name) && /^[0-9.,]{1,12}[kKmM]?$/.test(value)) return false;
  // `NAME=value` without a blank is how shells, .env files and addresses write it.
  if (separator.endsWith("=") && !/[ \t]/.test(form.between)) return true;
  return looksRandom(value) || form.ownLine || (isPassword && /[ \t]:?=/.test(form.between));
}

function looksRandom(value: string): boolean {
  if (value.length < 6) return false;
  if (/[0-9]/.test(value)) return /[A-Za-z]/.test(value) || value.length >= 8;
  return /[!@#$%^&*+~?]/.test(value) || (value.length >= 16 && /[a-z][A-Z]/.test(value));
}

/** A call or a look-up says where the value comes from, not what it is. */
function isCode(value: string): boolean {
  return /^(?:process\.env\.|os\.(?:environ|getenv)|env\.|req(?:uest)?\.|config\.|self\.|this\.|settings\.|secrets\.|vault\.)/.test(
    value,
  );
}

/** Is the name part of `--name` or `-name`? */
function isFlag(text: string, nameAt: number): boolean {
  return /(?:^|[\s"'`])--?[A-Za-z-]{0,40}$/.test(text.slice(Math.max(0, nameAt - 44), nameAt));
}

function isOwnLine(text: string, nameAt: number, endAt: number): boolean {
  // No key of a configuration is longer than this; the bound keeps a hostile text cheap.
  const from = Math.max(0, nameAt - 80);
  const before = text.slice(from, nameAt);
  const lineAt = before.lastIndexOf("\n") + 1;
  if (lineAt === 0 && from > 0) return false;
  if (!/^[ \t]*(?:- |export |set )?["']?[A-Za-z0-9_.-]*$/.test(before.slice(lineAt))) return false;
  return /^[ \t]{0,40}(?:$|\n|#|;?[ \t]{0,40}(?:\n|$))/.test(text.slice(endAt, endAt + 100));
}

/** Full stops and brackets that end the sentence rather than the value. */
function trimEnd(value: string): string {
  return value.replace(/[.!?:\]…]{1,3}$/, "");
}

function isWord(value: string): boolean {
  return /^[A-Za-z]?[a-z-]{0,14}[.,;:!?]?$/.test(value);
}

const typeWords = new Set(
  "string str String number int bool boolean any unknown bytes Buffer null none None nil undefined true false optional required empty missing unset invalid expired redacted hidden yes no".split(
    " ",
  ),
);

/** What follows `--token` in a sentence about the flag. */
const proseWords = new Set(
  "a an and are as at be been but by can cannot did do does fails failed flag for from gives had has have if in instead into is it must needs no nor not of on option or should so than that the then this to was were when where which while will with without would".split(
    " ",
  ),
);
