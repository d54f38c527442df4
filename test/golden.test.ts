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

describe.each(Object.entries(matrix as Readonly<Record<string, Capabilities>>))("%s", (channel, row) => {
  test.each(Object.entries(views))("%s", (name, view) => {
    const text = asRead(render(view, row), row);
    const path = join(folder, channel, `${name}.txt`);
    if (write) {
      mkdirSync(join(folder, channel), { recursive: true });
      writeFileSync(path, text);
    }
    expect(text).toBe(readFileSync(path, "utf8"));
  });
});

type Encode = (
  destination: string,
  message: ChannelMessage,
  tools: ChannelTools,
  settings: unknown,
) => unknown;
/** Of those channels whose wire form their settings are part of. */
const settings: Readonly<Record<string, unknown>> = {
  ntfy: {
    base_url: "https://ntfy.example.org",
    ask_topic: "nightjar-ask-FAKE7c1e9",
    reply_topic: "nightjar-reply-FAKE4b82d",
    token: "tk_FAKEbotFAKEbotFAKEbotFAKEbotFAK",
    button_token: "tk_FAKEFAKEFAKEFAKEFAKEFAKEFAKE",
  },
};
/** Every channel whose file says what its platform gets. */
const encoders = new Map<string, Encode>();
for (const id of channelIds()) {
  const { encode }: { encode?: Encode } = await import(`../channels/${id}.ts`);
  if (encode) encoders.set(id, encode);
}

describe.each([...encoders])("%s as it is sent", (channel, encode) => {
  test.each(Object.entries(views))("%s", (name, view) => {
    const wire = encode("42", messageOf(view, channel), aTools(), settings[channel]);
    const text = `${JSON.stringify(wire, null, 2)}\n`;
    const path = join(folder, channel, `${name}.wire.json`);
    if (write) writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, "utf8"));
  });
});

/** With what the sender adds: which question it is about. */
function messageOf(view: View, channel: string): ChannelMessage {
  return { ...render(view, rowOf(channel)), ...("id" in view ? { question: view.id } : {}) };
}

test("Telegram has its wire form", () => {
  expect([...encoders.keys()]).toContain("telegram");
});

test("no golden file is an orphan, and CI does not write", () => {
  const read = Object.keys(views).map((name) => `${name}.txt`);
  const wired = Object.keys(views).map((name) => `${name}.wire.json`);
  const known = (channel: string): readonly string[] =>
    encoders.has(channel) ? [...read, ...wired] : channel in matrix ? read : [];
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
