import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { matrix } from "../renderers/matrix.ts";
import type { Capabilities, SizeUnit } from "../src/domain/capabilities.ts";

/** `npm run channels` writes the table of README.md from the capability matrix; a test compares the two. */
const begin = "<!-- channels: written by npm run channels -->";
const end = "<!-- /channels -->";

const units: Readonly<Record<SizeUnit, string>> = {
  utf16: "UTF-16 units",
  utf8: "bytes",
  codepoint: "characters",
};
const count = (value: number): string => value.toLocaleString("en-US");

function size({ body }: Capabilities): string {
  const shown = body.counted === "shown" ? ", markup not counted" : "";
  return `${count(body.max)} ${units[body.unit]}${shown}`;
}

function buttons({ buttons: row }: Capabilities): string {
  if (row === "none") return "none: a list in the text";
  const kinds = {
    callback: "",
    publish: ", each publishes its reply",
    mailto: ", each opens a reply to send",
  };
  return `up to ${row.max}${kinds[row.kind]}`;
}

const words = {
  reply: "reply to the message",
  thread: "reply in the thread",
  comment: "comment with the question's id",
  page: "in the page",
  none: "not here",
} as const;

function kept({ inbound, retention }: Capabilities): string {
  if (inbound === "none") return "–";
  const time = (ms: number | "unlimited"): string =>
    ms === "unlimited"
      ? "for good"
      : ms === 0
        ? "not kept"
        : ms < 3_600_000
          ? `${ms / 1_000} s`
          : `${ms / 3_600_000} h`;
  const { textMs, pressMs } = retention;
  return textMs === pressMs ? time(textMs) : `text ${time(textMs)}, taps ${time(pressMs)}`;
}

function atNight({ rings, quiet }: Capabilities): string {
  if (!rings) return "–";
  return quiet === "flag" ? "comes in silence" : "waits for the morning";
}

/** One line a channel, in the order of the matrix. */
export function channelTable(): string {
  const rows = Object.entries(matrix as Readonly<Record<string, Capabilities>>).map(([channel, row]) =>
    [
      channel,
      size(row),
      row.dialect,
      buttons(row),
      words[row.freeText],
      row.edit === "yes" ? "edits its message" : "follows up",
      kept(row),
      row.rings ? "yes" : "no",
      atNight(row),
    ].join(" | "),
  );
  return [
    "| channel | a message holds | markup | buttons | answer in words | receipt | kept while nobody fetches | rings | what may not ring at night |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

/** The text with the table between its two marks; it must have them. */
export function withTable(text: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md needs the lines ${begin} and ${end}`);
  return `${text.slice(0, from)}${begin}\n${channelTable()}\n${text.slice(to)}`;
}

if (import.meta.filename === process.argv[1]) {
  const path = join(import.meta.dirname, "../README.md");
  writeFileSync(path, withTable(readFileSync(path, "utf8")));
}
