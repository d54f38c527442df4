import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { matrix, rowOf } from "../renderers/matrix.ts";
import { render } from "../renderers/render.ts";
import { channelIds } from "../src/app/channel-files.ts";
import { digestText } from "../src/core/report-text.ts";
import { followUpView, noticeView } from "../src/core/view.ts";
import type { Capabilities } from "../src/domain/capabilities.ts";
import type { ChannelMessage, ChannelTools } from "../src/domain/channel.ts";
import type { View } from "../src/domain/view.ts";
import { aTools } from "./builders.ts";
import { aRealisticNight, reportOfNight } from "./nights.ts";
import { cases, caseView } from "./renderers/cases.ts";
import { nightViews } from "./renderers/night-cases.ts";

/** `npm run golden` writes what a person reads, and what a platform gets; without it the files are compared. CI never writes. */
const folder = join(import.meta.dirname, "golden");
const write = process.env.GOLDEN === "write";

const views: Readonly<Record<string, View>> = {
  ...Object.fromEntries(Object.keys(cases).map((name) => [name, caseView(name)])),
  ...nightViews,
  "follow-up-answered": followUpView(...followUp("answered")),
  "follow-up-permission": followUpView(...followUp("permission-unanswered")),
  "follow-up-expired": followUpView(...followUp("expired")),
  "notice-run-complete": noticeView(
    "run-complete",
    "5 of 5 specs done, 2 questions are open. See report.md.",
  ),
  "notice-morning": noticeView("morning", digestText(reportOfNight(aRealisticNight()))),
};

function followUp(name: string): Parameters<typeof followUpView> {
  const found = cases[name];
  if (!found) throw new Error(`no case ${name}`);
  return [...found];
}

/** Every row, and behind it the row in each of its other formats: `webhook`, `webhook-slack` … */
const rows = Object.entries(matrix as Readonly<Record<string, Capabilities>>).flatMap(([channel, row]) => [
  { place: channel, channel, row, format: undefined },
  ...Object.keys(row.formats ?? {}).map((format) => ({
    place: `${channel}-${format}`,
    channel,
    row: rowOf(channel, { format }),
    format,
  })),
]);

describe.each(rows)("$place", ({ place, row }) => {
  test.each(Object.entries(views))("%s", (name, view) => {
    const text = asRead(render(view, row), row);
    const path = join(folder, place, `${name}.txt`);
    if (write) {
      mkdirSync(join(folder, place), { recursive: true });
      writeFileSync(path, text);
    }
    expect(text).toBe(readFileSync(path, "utf8"));
  });
});

type Encode = (
  destination: string,
  message: ChannelMessage,
  tools: ChannelTools,
  /** A format, where the channel has several; the settings that it needs, where it needs some. */
  more: unknown,
) => unknown;
/** Where messages go, and what they need of the settings, where 42 alone will not do. */
const frames: Readonly<Record<string, readonly [destination: string, settings: unknown]>> = {
  email: ["eric@example.org", { from: "owl@example.org", name: "owlpost", key: "q-a3f2-012-1/post/1" }],
  ntfy: [
    "default",
    {
      base_url: "https://ntfy.example.org",
      ask_topic: "nightjar-ask-FAKE7c1e9",
      reply_topic: "nightjar-reply-FAKE4b82d",
      token: "tk_FAKEbotFAKEbotFAKEbotFAKEbotFAK",
      button_token: "tk_FAKEFAKEFAKEFAKEFAKEFAKEFAKE",
    },
  ],
};
/** Every channel whose file says what its platform gets. */
const encoders = new Map<string, Encode>();
for (const id of channelIds()) {
  const { encode }: { encode?: Encode } = await import(`../channels/${id}.ts`);
  if (encode) encoders.set(id, encode);
}
const sent = rows.flatMap((each) => {
  const encode = encoders.get(each.channel);
  return encode ? [{ ...each, encode }] : [];
});

describe.each(sent)("$place as it is sent", ({ place, row, format, encode }) => {
  test.each(Object.entries(views))("%s", (name, view) => {
    const [destination, more] = frames[place] ?? ["42", format];
    const text = `${JSON.stringify(encode(destination, messageOf(view, row), aTools(), more), null, 2)}\n`;
    const path = join(folder, place, `${name}.wire.json`);
    if (write) writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, "utf8"));
  });
});

/**
 * With what the sender adds: which question it is about, and what a follow-up follows where messages are called by our own
 * keys (elsewhere such a reference would have the form of its platform).
 */
function messageOf(view: View, row: Capabilities): ChannelMessage {
  const message = render(view, row);
  if ("id" in view) return { ...message, question: view.id };
  const question = view.type === "receipt" ? view.question : undefined;
  if (question === undefined || row.correlation !== "none") return message;
  return { ...message, question, follows: `${question}/post/4097` };
}

test("Telegram has its wire form", () => {
  expect([...encoders.keys()]).toContain("telegram");
});

test("no golden file is an orphan, and CI does not write", () => {
  const read = Object.keys(views).map((name) => `${name}.txt`);
  const wired = Object.keys(views).map((name) => `${name}.wire.json`);
  const known = (place: string): readonly string[] => {
    if (sent.some((each) => each.place === place)) return [...read, ...wired];
    return rows.some((each) => each.place === place) ? read : [];
  };
  const orphans = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "report")
    .flatMap((entry) =>
      readdirSync(join(folder, entry.name))
        .filter((file) => !known(entry.name).includes(file))
        .map((file) => join(folder, entry.name, file)),
    );
  if (write) for (const path of orphans) rmSync(path);
  else expect(orphans).toEqual([]);
  expect(write && process.env.CI !== undefined).toBe(false);
});

/** Lock screen, message, buttons: from top to bottom as on the screen. Word joiners are invisible there, too. */
function asRead(message: ChannelMessage, row: Capabilities): string {
  const buttons = message.buttons.map((button) => `[ ${button.primary ? "● " : ""}${button.label} ]`);
  return `${[
    `${message.silent ? "silent" : "rings"}: ${message.headline}`,
    "─".repeat(40),
    message.plain,
    ...(buttons.length === 0
      ? []
      : ["", buttons.join(row.buttons === "none" || row.buttons.perRow === 1 ? "\n" : " ")]),
    "─".repeat(40),
    `degraded: ${message.degraded.join(", ") || "nothing"}`,
  ]
    .join("\n")
    .replaceAll("\u2060", "")}\n`;
}
