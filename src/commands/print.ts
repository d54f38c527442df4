import pico from "picocolors";
import type { Call, Exit, Io } from "./verb.ts";

/** The one JSON document of a command. */
export function printJson(call: Call, value: unknown): Promise<void> {
  return call.io.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The result proper, for people and pipes. */
export function printResult(call: Call, text: string): Promise<void> {
  return call.io.stdout.write(`${text}\n`);
}

/** Commentary for people; silent under `--json`. */
export async function say(call: Call, text: string): Promise<void> {
  if (!call.json) await call.io.stderr.write(`${text}\n`);
}

/** A refusal or a fault: JSON with `error` and `message`, or one sentence on stderr. */
export async function fail(
  call: Pick<Call, "io" | "json">,
  exit: Exit,
  error: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Exit> {
  if (call.json) await call.io.stdout.write(`${JSON.stringify({ error, message, ...more })}\n`);
  else await call.io.stderr.write(`${palette(call.io, "stderr").red("owlpost:")} ${message}\n`);
  return exit;
}

export type Palette = Readonly<Record<"red" | "green" | "bold", (text: string) => string>>;

const colourless: Palette = { red: same, green: same, bold: same };

/** Colours on a terminal only, and never against NO_COLOR. */
export function palette(io: Io, stream: "stdout" | "stderr"): Palette {
  return hasColours(io, stream) ? pico.createColors(true) : colourless;
}

export function hasColours(io: Io, stream: "stdout" | "stderr"): boolean {
  return !io.env.NO_COLOR && io.env.TERM !== "dumb" && io[stream].tty;
}

function same(text: string): string {
  return text;
}

const hidden = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Text of others on one line of a terminal: control and bidi characters are shown, not obeyed. ZWJ and ZWNJ stay. */
export function plain(text: string): string {
  return text.replace(hidden, (character) => {
    if (character === "\u200c" || character === "\u200d") return character;
    if (character === "\n" || character === "\t" || character === "\r") return " ";
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
