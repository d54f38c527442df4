import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { matrix } from "../renderers/matrix.ts";
import { render } from "../renderers/render.ts";
import { reportHtml } from "../renderers/report-html.ts";
import { verdictOf } from "../src/app/inbox-verdict.ts";
import { pendingText, statusText } from "../src/core/listing.ts";
import { decideReply } from "../src/core/reply.ts";
import { digestText, reportText } from "../src/core/report-text.ts";
import { reportView } from "../src/core/report-view.ts";
import { mayStillAnswer } from "../src/core/standing.ts";
import { noAnswerNote } from "../src/core/steering.ts";
import { outcomeWords } from "../src/core/timeline.ts";
import { followUpView, questionView } from "../src/core/view.ts";
import { defaultWords, standing } from "../src/core/wording.ts";
import type { Capabilities } from "../src/domain/capabilities.ts";
import type { Command } from "../src/domain/command.ts";
import { defaultActions, type StoredQuestion } from "../src/domain/question.ts";
import { aClaim, anEvent, aPast, asked, at, reportOfNight } from "./nights.ts";

/** Who cannot have done what nobody did. */
const somebody =
  /\b(users?|you|your|yours|humans?|he|she|they|owner|eric|mara|person|people|declined|chose|chosen|selected|rejected|approved|refused)\b/i;
/** What the reader may still do is said to the reader; who is waited for is no one who acted. */
const addressed = [
  new RegExp(`${mayStillAnswer}( until then)?\\.`, "g"),
  /You can still answer until the loop takes it\./g,
  /until somebody answers/g,
  /Waits for somebody/g,
  /if nobody answers/g,
  /Nobody answered/g,
  /When nobody could be heard/g,
  /^Reply .*$|^To answer.*$|^.*reply to this.*$/gim,
];

function withoutInvitations(text: string): string {
  return addressed.reduce((rest, each) => rest.replace(each, ""), text);
}

/** Every way in which a question ends without anybody, and stands open. */
const nobodys: readonly (readonly [name: string, stored: StoredQuestion])[] = defaultActions.flatMap(
  (defaultAction) => {
    const named = (name: string, changes: Partial<StoredQuestion>): readonly [string, StoredQuestion] => [
      `${name}, ${defaultAction}`,
      asked("23:00", { task: "012-fix-auth" }, { defaultAction, ...changes }),
    ];
    const claim = aClaim(at("06:10"));
    return [
      named("open", {}),
      named("held", { state: "pending", heldUntilAt: at("08:00") }),
      named("never shown", { state: "expired", outcome: "expired", heldUntilAt: at("08:00") }),
      named("expired", { state: "expired", outcome: "expired" }),
      named("default applied", { state: "default_applied", outcome: "defaulted", claim }),
      named("closed after a default", { state: "resolved", outcome: "defaulted", claim, result: "skipped" }),
      named("cancelled", { state: "cancelled", outcome: "cancelled", why: "the task was removed" }),
    ];
  },
);

const morning = at("08:05");

/** Everything that owlpost says about a question, on every surface. */
function textsOf(stored: StoredQuestion): readonly string[] {
  const rows = Object.values(matrix as Readonly<Record<string, Capabilities>>);
  const views = [questionView(stored, morning), followUpView(stored, morning)];
  const { question } = stored;
  // The reply line speaks to the reader; all other parts tell what is.
  const rendered = rows.flatMap((row) =>
    views.flatMap((view) =>
      render(view, row)
        .parts.filter(
          ({ name }) => name === "standing" || name === "deadline" || name === "text" || name === "header",
        )
        .map(({ text }) => text.replaceAll("\u2060", "")),
    ),
  );
  const past = aPast(stored);
  const report = reportOfNight({
    facts: {
      questions: [past.question],
      events: [...past.events, anEvent("channel.down", at("01:00"), { channel: "telegram" })],
      notes: [],
      ringing: ["telegram"],
    },
    since: at("22:00"),
    until: morning,
  });
  const verdict = verdictOf(stored, morning);
  return [
    ...rendered,
    standing(stored, morning),
    outcomeWords(stored, morning),
    defaultWords(question, stored.defaultAction),
    noAnswerNote({
      question: question.id,
      deadlineAt: stored.deadlineAt,
      zone: stored.zone,
      action: stored.defaultAction,
    }),
    pendingText([stored], { mark: "/", now: morning }),
    // Other lines of it speak to the reader, of what may still wake them.
    ...statusText([stored], { channels: [], waiting: 0, ringing: ["telegram"] }, "/", morning)
      .split("\n")
      .filter((line) => line.includes(question.id)),
    ...(verdict ? [JSON.stringify(verdict)] : []),
    reportText(report),
    digestText(report),
    reportHtml(reportView(report))
      .replace(/<style>[\s\S]*?<\/style>/, "")
      .replace(/<[^>]*>/g, "\n"),
  ];
}

/** What somebody is told who comes too late: they have done something, and yet the outcome was nobody's. */
function acksOf(stored: StoredQuestion): readonly string[] {
  const { id } = stored.question;
  const commands: readonly Command[] = [
    { verb: "choose", question: id, key: "1" },
    { verb: "skip", question: id },
    { verb: "retry", question: id },
    { verb: "override", question: id, key: "2" },
  ];
  return commands.map((command) => {
    const snapshot = { questions: new Map([[id, stored]]), copies: new Map() };
    const sender = { via: "telegram", by: "zoe" };
    return decideReply(snapshot, command, { sender, now: morning, project: "default" }).value.text;
  });
}

describe("field 80: nobody is said to have chosen what nobody chose", () => {
  test.each(nobodys)("%s", (_name, stored) => {
    const texts = textsOf(stored);
    expect(texts.length).toBeGreaterThan(20);
    for (const text of texts) expect(withoutInvitations(text)).not.toMatch(somebody);
    for (const ack of acksOf(stored)) expect(withoutInvitations(ack)).not.toMatch(somebody);
  });

  const folder = join(import.meta.dirname, "golden");
  const golden = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(txt|json|html|svg)$/.test(name),
  );

  /** A line of ours about an outcome that no person caused; agents' own words stand in other lines. */
  const ofNobody =
    /(^|["“\s>])(⏰ )?No answer by \d|🚫 Cancelled|default ran|"outcome": "(expired|defaulted|cancelled)"/i;
  /** Said of a person wherever it stands: what an agent reads as a decision. */
  const claims =
    /\b(the )?(user|human|owner|person)s? (has |have )?(declined|chose|chosen|selected|answered|approved|rejected|refused|skipped|decided)\b|\byou (have )?(declined|chose|chosen|selected|approved|rejected|decided)\b/i;

  test("in every golden file", () => {
    expect(golden.length).toBeGreaterThan(150);
    let judged = 0;
    for (const name of golden) {
      const text = readFileSync(join(folder, name), "utf8").replaceAll("\u2060", "");
      expect(claims.exec(text)?.[0], name).toBeUndefined();
      // There an agent forges lines of ours; that nobody takes them for ours is pinned elsewhere.
      if (/hostile/.test(name)) continue;
      for (const line of text.split(/\n|\\n|<\/(?:li|p|text|td|bdi)>/)) {
        if (!ofNobody.test(line)) continue;
        judged += 1;
        const told = withoutInvitations(line);
        expect(somebody.test(told), `${name}: ${told.slice(0, 200)}`).toBe(false);
      }
    }
    expect(judged).toBeGreaterThan(100);
  });

  test("the scan finds what it looks for", () => {
    for (const text of [
      "⏰ No answer by 06:00 — the user declined",
      "No answer by 06:00: you chose option 1",
      "No answer by 06:00: skipped by eric",
    ]) {
      expect(ofNobody.test(text)).toBe(true);
      expect(withoutInvitations(text)).toMatch(somebody);
    }
    expect("The human declined this tool use.").toMatch(claims);
    expect("User selected option 1").toMatch(claims);
  });

  test("a person is named where a person acted", () => {
    const past = aPast(
      asked(
        "23:00",
        { task: "012-fix-auth" },
        {
          state: "answered",
          outcome: "answered",
          answer: {
            outcome: "answered",
            option: "1",
            by: "eric",
            via: "telegram",
            at: at("23:30"),
            digest: "d1",
          },
        },
      ),
    );
    const report = reportOfNight({
      facts: { questions: [past.question], events: past.events, notes: [], ringing: ["telegram"] },
      since: at("22:00"),
      until: morning,
    });
    expect(reportText(report)).toContain("by eric on telegram");
  });
});
