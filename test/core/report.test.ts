import { describe, expect, test } from "vitest";
import { reportOf } from "../../src/core/report.ts";
import { reportJson } from "../../src/core/report-json.ts";
import { digestText, morningDigest, reportText } from "../../src/core/report-text.ts";
import { reportView } from "../../src/core/report-view.ts";
import { lengthWords } from "../../src/core/report-words.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Report } from "../../src/domain/report.ts";
import { anAnswer } from "../builders.ts";
import {
  aClaim,
  anEmptyNight,
  anEvent,
  aPast,
  aRealisticNight,
  asked,
  aTerribleNight,
  at,
  hoursOf,
  reportOfNight,
  zone,
} from "../nights.ts";

const minute = 60_000;
const [since, until] = [at("22:00"), at("08:05")];

function reportOfPasts(
  pasts: readonly ReturnType<typeof aPast>[],
  more: readonly ReturnType<typeof anEvent>[] = [],
): Report {
  const events = [...pasts.flatMap((past) => past.events), ...more].sort((a, b) => a.at - b.at);
  const questions = pasts.map((past) => past.question);
  return reportOf({ questions, events, notes: [], ringing: ["telegram"] }, since, until, zone);
}

const ids = (list: readonly { readonly question: { readonly id: string } }[]): readonly string[] =>
  list.map(({ question }) => question.id);
const names = (report: Report): readonly string[] => reportView(report).sections.map(({ name }) => name);

describe("what stands where", () => {
  const night = reportOfNight(aRealisticNight());

  test("what was asked again comes first, with the old one and the road not taken", () => {
    const [first] = reportView(night).sections;
    expect(first?.name).toBe("again");
    expect(first?.entries[0]).toMatchObject({ question: "q-a3f2-017-invoice-pdf-2" });
    expect(first?.entries[0]?.lines).toEqual([
      expect.objectContaining({ label: "In the night", question: "q-a3f2-017-invoice-pdf-1" }),
      expect.objectContaining({
        label: "Road not taken",
        text: expect.stringContaining("Round per invoice (recommended)"),
      }),
      expect.objectContaining({ label: "Road not taken", text: expect.stringContaining("Round per line") }),
      { label: "To answer", text: "owlpost answer q-a3f2-017-invoice-pdf-2 1" },
    ]);
  });

  test("the order of the sections", () => {
    expect(names(night)).toEqual(
      "again waiting answered defaults overrides steering never-shown cancelled late refused quarantined delivery deaf results aborted".split(
        " ",
      ),
    );
  });

  test("every question that was asked stands somewhere, and each that waits once", () => {
    const told = new Set(
      reportView(night).sections.flatMap(({ entries }) => entries.map(({ question }) => question)),
    );
    for (const { question } of night.timeline.rows) expect(told).toContain(question);
    const waiting = [
      ...ids(night.parked),
      ...ids(night.waiting),
      ...ids(night.again.map(({ stored }) => stored)),
    ];
    expect(new Set(waiting).size).toBe(waiting.length);
  });

  test("a sentence for each decision: what, who, where, when, and whether the loop has it", () => {
    const text = reportText(night);
    expect(text).toContain("Answered: option 1 — Refresh-token rotation, by eric on telegram at 22:19");
    expect(text).toContain("Answered: option 1 — Run it on the copy, in the local inbox on owl at 23:20");
    expect(text).toContain("Then: picked up by run a3f2 at 22:31, closed as done");
    expect(text).toContain("Then: not picked up by the loop yet");
    expect(text).toContain("Was: option 1 — Try the smaller index, by eric on telegram");
    expect(text).toContain("Was: no answer by 06:00: the spec was to be skipped");
    expect(text).toContain("2 from somebody who is not known here (unknown-sender)");
    expect(text).toContain("never shown: held until 08:00, and its deadline was 05:00");
    expect(text).toContain("Run b71c was stopped by eric on telegram at 06:20");
  });

  test("a note is quoted in full, with nothing hidden in it", () => {
    expect(reportText(night)).toContain(
      "      > Please keep the old cookie name.\n      > Mobile clients read it.\n",
    );
    expect(reportText(night)).toContain("⟨U+202E⟩tfel");
    expect(reportJson(night).steering).toEqual([
      expect.objectContaining({
        by: "eric",
        via: "telegram",
        text: "Please keep the old cookie name.\nMobile clients read it.",
      }),
      expect.objectContaining({ via: "inbox", host: "owl", question: "q-a3f2-018-search-1" }),
    ]);
  });

  test("figures: shares of every outcome, the median and the slowest", () => {
    expect(night.figures.outcomes).toEqual([
      { outcome: "answered", count: 3 },
      { outcome: "skipped", count: 1 },
      { outcome: "retried", count: 1 },
      { outcome: "defaulted", count: 2 },
      { outcome: "expired", count: 1 },
      { outcome: "overridden", count: 2 },
      { outcome: "cancelled", count: 1 },
      { outcome: "open", count: 1 },
    ]);
    expect(night.figures.outcomes.reduce((sum, { count }) => sum + count, 0)).toBe(night.figures.questions);
    // 7, 15, 16, 18, 21, 32 and 34 minutes.
    expect(night.figures.medianMs).toBe(18 * minute);
    expect(night.figures.slowest).toEqual({ question: "q-b71c-024-emails-1", ms: 34 * minute });
  });

  test("an empty night says so, and nothing else", () => {
    const empty = reportOfNight(anEmptyNight());
    expect(names(empty)).toEqual([]);
    expect(reportText(empty)).toContain("A quiet night: no question was asked, and none was decided.");
    expect(empty.figures).toEqual({ questions: 0, outcomes: [] });
  });
});

describe("single facts", () => {
  test("a deadline that no sweep has seen has come all the same, and nothing is changed for it", () => {
    const stored = asked("23:00", { task: "001-due" }, { state: "posted", deadlineAt: at("06:00") });
    const before = JSON.stringify(stored);
    const report = reportOfPasts([aPast(stored)]);
    expect(ids(report.waiting)).toEqual([stored.question.id]);
    expect(reportText(report)).toContain(
      "no answer by 06:00; the spec will be skipped at the loop's next stop",
    );
    expect(report.timeline.rows[0]?.marks.map(({ kind }) => kind)).toEqual(["asked", "rung", "expired"]);
    expect(JSON.stringify(stored)).toBe(before);
  });

  test("stay_parked stands before the other ones that wait", () => {
    const open = asked("22:10", { task: "001-open" }, { deadlineAt: at("08:05") + 60 * minute });
    const parked = asked(
      "23:00",
      { task: "002-parked" },
      { state: "expired", outcome: "expired", defaultAction: "stay_parked" },
    );
    const section = reportView(reportOfPasts([aPast(open), aPast(parked)])).sections[0];
    expect(section).toMatchObject({ name: "waiting", urgent: true });
    expect(section?.entries.map(({ question }) => question)).toEqual([
      "q-a3f2-002-parked-1",
      "q-a3f2-001-open-1",
    ]);
  });

  test("at night what waits says what it takes then; by day where nothing is recommended, no key stands for all", () => {
    const open = { state: "posted", deadlineAt: at("08:05") + 60 * minute } as const;
    const safe = asked("23:00", { task: "001-safe" }, open);
    const held = asked("23:10", { task: "002-held", kind: "blocked" }, { ...open, state: "pending" });
    const neutral = safe.question.options.map(({ key, label, consequence }) => ({ key, label, consequence }));
    const fact = asked("23:20", { task: "003-fact", kind: "fact", options: neutral }, open);
    const pasts = [aPast(safe), aPast(held), aPast(fact)];
    const questions = pasts.map(({ question }) => question);
    const facts = { questions, events: [], notes: [], ringing: [], hours: hoursOf("22:00-08:00") };
    const says = (isolated: boolean, end: number): readonly (string | undefined)[] =>
      reportView(reportOf({ ...facts, isolated }, since, end, zone)).sections[0]?.entries.map(
        ({ lines }) => `${lines.at(-1)?.label}: ${lines.at(-1)?.text}`,
      ) ?? [];
    const [a, b, c] = [safe, held, fact].map(({ question }) => question.id);
    expect(says(true, at("03:00"))).toEqual([
      `To answer: owlpost answer ${a} go, or owlpost skip ${a}`,
      `Works now: owlpost skip ${b}, or owlpost retry ${b}`,
      `Works now: owlpost skip ${c}, or owlpost retry ${c}`,
    ]);
    expect(says(true, until)).toEqual([
      `To answer: owlpost answer ${a} 1`,
      `To answer: owlpost answer ${b} 1`,
      `To answer: owlpost answer ${c} 1 (or 2)`,
    ]);
  });

  test("every time is in the zone of the report, whatever zone a question was asked in", () => {
    const stored = asked(
      "23:00",
      { task: "001-elsewhere" },
      { zone: "Etc/UTC", state: "posted", deadlineAt: at("09:30") },
    );
    const text = reportText(reportOfPasts([aPast(stored)]));
    expect(text).toContain("open until 09:30");
    expect(text).not.toContain("07:30");
  });

  test("a service that starts again in place was not away", () => {
    const stop = anEvent("service.stopped", at("02:00"), { pid: 1 });
    const start = (afterMs: number) => anEvent("service.started", at("02:00") + afterMs, { pid: 1 });
    expect(reportOfPasts([], [stop, start(800)]).deaf).toEqual([]);
    const away = reportOfPasts([], [stop, start(5_000)]);
    expect(away.deaf).toMatchObject([{ totalMs: 5_000 }]);
    expect(digestText(away)).toContain("owlpost itself did not run for 5 s.");
  });

  test("a permission that nobody answered waits for nobody, even where its agent was killed before it could be told", () => {
    const how = { kind: "approval", source: "permission" } as const;
    const killed = asked("23:00", { ...how, task: "001-killed" }, { state: "expired", outcome: "expired" });
    const told = asked(
      "23:10",
      { ...how, task: "002-told" },
      { state: "default_applied", outcome: "defaulted", claim: aClaim(at("06:00")) },
    );
    const report = reportOfPasts([aPast(killed), aPast(told)]);
    expect(names(report)).toEqual(["defaults"]);
    const [first, second] = reportView(report).sections[0]?.entries ?? [];
    for (const entry of [first, second]) expect(entry?.standing).toBe("No answer by 06:00, so not allowed");
    expect(first?.lines[0]?.text).toBe("not picked up: the agent no longer waits");
    expect(second?.lines[0]?.text).toContain("picked up by run");
    // “Do not allow” is no road that was left out.
    expect([first?.lines.length, second?.lines.length]).toEqual([1, 1]);
    expect(reportText(report)).not.toMatch(/no answer, so|To answer|the loop/);
  });

  test("what was asked again waits under its new id alone", () => {
    const old = asked(
      "23:00",
      { task: "001-again" },
      { state: "expired", outcome: "expired", defaultAction: "stay_parked" },
    );
    const anew = asked(
      "08:00",
      { task: "001-again", seq: 2, again: old.question.id },
      { deadlineAt: until + 60 * minute },
    );
    const report = reportOfPasts([aPast(old), aPast(anew)]);
    expect([report.parked, report.waiting]).toEqual([[], []]);
    expect(report.again.map(({ before }) => before?.question.id)).toEqual([old.question.id]);
  });

  test("a default that took its recommendation names it as the road that was taken, by nobody", () => {
    const stored = asked(
      "23:00",
      { task: "001-auto" },
      {
        state: "default_applied",
        outcome: "defaulted",
        defaultAction: "take_recommended",
        claim: aClaim(at("06:10")),
      },
    );
    const [entry] = reportView(reportOfPasts([aPast(stored)])).sections[0]?.entries ?? [];
    expect(entry?.standing).toBe("No answer by 06:00: recommendation taken: 1 — Refresh-token rotation");
    expect(entry?.lines.filter(({ label }) => label === "Road not taken")).toHaveLength(1);
  });

  test("an override of a skip says that it was one", () => {
    const { option: _none, ...skip } = anAnswer({
      outcome: "skipped",
      via: "telegram",
      by: "eric",
      at: at("23:30"),
    });
    const stored = asked(
      "23:00",
      { task: "001-change" },
      {
        state: "answered",
        outcome: "overridden",
        answer: anAnswer({ outcome: "overridden", option: "2", at: at("23:40") }),
      },
    );
    const id = stored.question.id;
    const report = reportOfPasts(
      [
        {
          question: { stored, copies: [] },
          events: [
            anEvent(
              "question.answered",
              at("23:30"),
              { outcome: "skipped", by: skip.by, via: "telegram" },
              id,
            ),
          ],
        },
      ],
      [
        anEvent(
          "question.overridden",
          at("23:40"),
          {
            outcome: "overridden",
            option: "2",
            via: "cli",
            host: "owl",
            was: { by: "eric", via: "telegram" },
          },
          id,
        ),
      ],
    );
    expect(reportText(report)).toContain("Was: skip, by eric on telegram");
    expect(reportText(report)).toContain(
      "Is: option 2 — Extend the TTL to 30 days, from the command line on owl at 23:40",
    );
  });

  test("words that were an answer are quoted in full", () => {
    const text = "first\nsecond ".repeat(40).trim();
    const { option: _none, ...answer } = anAnswer({ text, at: at("23:30") });
    const stored = asked("23:00", { task: "001-words" }, { state: "answered", outcome: "answered", answer });
    expect(reportView(reportOfPasts([aPast(stored)])).sections[0]?.entries[0]?.quote).toBe(text);
  });

  test("words beside an option are quoted, too", () => {
    const answer = anAnswer({ text: "but keep it short", at: at("23:30") });
    const stored = asked("23:00", { task: "001-words" }, { state: "answered", outcome: "answered", answer });
    const [entry] = reportView(reportOfPasts([aPast(stored)])).sections[0]?.entries ?? [];
    expect(entry?.quote).toBe("but keep it short");
    expect(entry?.standing).toContain("Answered: option 1");
  });

  test("held past its deadline and yet answered is not told as never shown", () => {
    const held = { heldUntilAt: at("08:00"), deadlineAt: at("05:00") };
    const answered = asked(
      "23:00",
      { task: "001-held" },
      { ...held, state: "answered", outcome: "skipped", answer: anAnswer({ at: at("23:30") }) },
    );
    const missed = asked("23:00", { task: "002-held" }, { ...held, state: "expired", outcome: "expired" });
    const report = reportOfPasts([aPast(answered), aPast(missed)]);
    expect(ids(report.neverShown)).toEqual([missed.question.id]);
  });

  test.each([
    [
      "down and up",
      [
        ["channel.down", "23:00"],
        ["channel.up", "23:30"],
      ],
      [["23:00", "23:30"]],
    ],
    [
      "down before the night",
      [
        ["channel.down", "21:00"],
        ["channel.up", "22:30"],
      ],
      [["22:00", "22:30"]],
    ],
    ["down and never up", [["channel.down", "07:00"]], [["07:00", "08:05"]]],
    ["up alone is no outage", [["channel.up", "23:00"]], []],
    [
      "told twice",
      [
        ["channel.down", "23:00"],
        ["channel.down", "23:10"],
        ["channel.up", "23:30"],
      ],
      [["23:00", "23:30"]],
    ],
    [
      "two",
      [
        ["channel.down", "23:00"],
        ["channel.up", "23:30"],
        ["channel.down", "01:00"],
        ["channel.up", "01:05"],
      ],
      [
        ["23:00", "23:30"],
        ["01:00", "01:05"],
      ],
    ],
  ] as const)("deaf: %s", (_name, events, spans) => {
    const report = reportOfPasts(
      [],
      events.map(([kind, when]) => anEvent(kind, at(when), { channel: "telegram" })),
    );
    expect(report.deaf.flatMap((each) => each.spans)).toEqual(
      spans.map(([from, to]) => ({ fromAt: at(from), toAt: at(to) })),
    );
  });

  test("an absence that a channel tells afterwards joins what was known of it", () => {
    const report = reportOfPasts(
      [],
      [
        anEvent("channel.down", at("23:30"), { channel: "telegram" }),
        anEvent("channel.up", at("00:30"), { channel: "telegram" }),
        anEvent("channel.away", at("00:30"), {
          channel: "telegram",
          from: at("23:00"),
          to: at("00:30"),
          questions: 0,
        }),
        anEvent("service.stopped", at("02:00"), { pid: 1 }),
        anEvent("service.started", at("02:15"), { pid: 2 }),
      ],
    );
    expect(report.deaf).toEqual([
      { channel: "telegram", spans: [{ fromAt: at("23:00"), toAt: at("00:30") }], totalMs: 90 * minute },
      { channel: "service", spans: [{ fromAt: at("02:00"), toAt: at("02:15") }], totalMs: 15 * minute },
    ]);
    expect(reportText(report)).toContain("owlpost itself did not run: 15 min (02:00 to 02:15)");
  });

  test("failures of one kind are counted together", () => {
    const failed = (when: string, reason: string) =>
      anEvent(
        "question.post-failed",
        at(when),
        { channel: "telegram", message: "post", reason },
        "q-a3f2-001-x-1",
      );
    const report = reportOfPasts(
      [],
      [failed("23:00", "gone"), failed("23:10", "gone"), failed("23:20", "too long")],
    );
    expect(report.failures.map(({ count, reason }) => [count, reason])).toEqual([
      [2, "gone"],
      [1, "too long"],
    ]);
    expect(reportText(report)).toContain("telegram: 2 posts given up, 23:00 to 23:10");
  });

  test("events of another version, with data of other shapes, break nothing", () => {
    const odd = [null, 7, [], { channel: 7 }, { from: "x", to: {} }] as const;
    const kinds = [
      "channel.down",
      "channel.away",
      "reply.refused",
      "notice.failed",
      "question.overridden",
      "question.late-reply",
      "run.aborted",
    ] as const;
    const events = kinds.flatMap((kind) =>
      odd.map((data) =>
        anEvent(kind, at("23:00"), data as unknown as Record<string, unknown>, "q-a3f2-001-x-1"),
      ),
    );
    const past = aPast(asked("22:30", { task: "001-x" }));
    expect(() =>
      reportText(
        reportOfPasts(
          [past],
          events.filter(({ data }) => data !== null),
        ),
      ),
    ).not.toThrow();
    expect(past.question.stored.question.id).toBe("q-a3f2-001-x-1" as QuestionId);
  });

  test.each([
    [0, "0 s"],
    [59_499, "59 s"],
    [61_000, "1 min"],
    [59.6 * minute, "1 h 00 min"],
    [65 * minute, "1 h 05 min"],
    [26 * 60 * minute, "26 h 00 min"],
    [51 * 60 * minute, "2 d 03 h"],
  ])("%d ms is %s", (ms, words) => {
    expect(lengthWords(ms)).toBe(words);
  });
});

describe("the digest", () => {
  test("is short, whatever the night was, and says where the whole is", () => {
    for (const night of [aRealisticNight(), anEmptyNight(), aTerribleNight()]) {
      const text = digestText(reportOfNight(night));
      expect(text.length).toBeLessThan(1_500);
      expect(text.endsWith("The whole report: owlpost report, or the local inbox.")).toBe(true);
    }
  });

  test("lists at most five of each, one line each", () => {
    const pasts = Array.from({ length: 40 }, (_, index) =>
      aPast(
        asked(
          "23:00",
          { task: `${String(index).padStart(3, "0")}-many`, title: `line\nbreak ${"x".repeat(120)}` },
          { deadlineAt: until + minute },
        ),
      ),
    );
    const lines = digestText(reportOfPasts(pasts)).split("\n");
    expect(lines.filter((line) => line.startsWith("• "))).toHaveLength(5);
    expect(lines).toContain("… and 35 more.");
    expect(morningDigest(reportOfPasts(pasts))).toEqual({ kind: "morning", text: lines.join("\n") });
  });
});

test("quiet hours stand in the report as they were on the wall, in a night of 23 and of 25 hours", () => {
  const hours = hoursOf("22:00-08:00");
  const spanOf = (from: string, to: string): Report =>
    reportOf(
      { questions: [], events: [], notes: [], ringing: [], hours },
      Date.parse(from),
      Date.parse(to),
      zone,
    );
  const spring = spanOf("2026-03-28T21:00:00Z", "2026-03-29T06:00:00Z");
  const autumn = spanOf("2026-10-24T20:00:00Z", "2026-10-25T07:00:00Z");
  const lengths = (report: Report) =>
    report.timeline.quiet.map(({ fromAt, toAt }) => (toAt - fromAt) / (60 * minute));
  expect([lengths(spring), lengths(autumn)]).toEqual([[9], [11]]);
  const labels = (report: Report) => reportView(report).timeline.ticks.map(({ label }) => label);
  expect(labels(spring)).toEqual("22:00 23:00 00:00 01:00 03:00 04:00 05:00 06:00 07:00 08:00".split(" "));
  expect(labels(autumn)).toEqual(
    "22:00 23:00 00:00 01:00 02:00 02:00 03:00 04:00 05:00 06:00 07:00 08:00".split(" "),
  );
  const gaps = (report: Report) => {
    const places = reportView(report).timeline.ticks.map((tick) => tick.at);
    return new Set(places.slice(1).map((place, index) => place - (places[index] ?? 0)));
  };
  expect([gaps(spring), gaps(autumn)]).toEqual([new Set([60 * minute]), new Set([60 * minute])]);
});
