import { describe, expect, test } from "vitest";
import { node, told, writeHtml } from "../../renderers/markup-tree.ts";
import { reportHtml, reportTree } from "../../renderers/report-html.ts";
import { reportStyle } from "../../renderers/report-style.ts";
import { timelineSvg } from "../../renderers/timeline-svg.ts";
import { reportOf } from "../../src/core/report.ts";
import { reportView } from "../../src/core/report-view.ts";
import type { MarkupTree } from "../../src/domain/markup-tree.ts";
import { anAnswer } from "../builders.ts";
import {
  aClaim,
  aNote,
  anEmptyNight,
  anEvent,
  aPast,
  aRealisticNight,
  asked,
  aTerribleNight,
  at,
  reportOfNight,
  zone,
} from "../nights.ts";
import { tagsOf } from "./tags.ts";

const attacks = [
  '<script>alert(1)</script><img src=x onerror="alert(1)">',
  '"><svg onload=alert(1)><a href="javascript:alert(1)">',
  "</title></style></svg></bdi><iframe src=//evil.example>",
  "&lt;b&gt; &#60;script&#62; &amp;",
  "' onmouseover='alert(1)",
  "<!-- --><![CDATA[ ]]><?xml ?>",
  "\u202e<b>\u0000\u0007\u2028\ufeff",
] as const;

/** Every place where somebody else's words may come to stand. */
function hostileView(attack: string) {
  const words = (text: string) => ({ key: "1", label: text, consequence: text, recommended: true });
  const options = [words(attack), { ...words(attack), key: "2", recommended: false }];
  const past = (task: string, changes: Parameters<typeof asked>[2], more = {}) =>
    aPast(asked("23:00", { task, title: attack, options, ...more }, changes));
  const { option: _none, ...inWords } = anAnswer({ text: attack, by: attack, via: attack, at: at("23:30") });
  const answered = past("001-a", { state: "answered", outcome: "answered", answer: inWords });
  const pasts = [
    answered,
    past("002-b", {
      state: "resolved",
      outcome: "answered",
      answer: anAnswer({ host: attack, at: at("23:31") }),
      claim: aClaim(at("23:40"), attack),
      result: "done",
    }),
    past("003-c", { state: "cancelled", outcome: "cancelled", why: attack }),
    past("004-d", { state: "expired", outcome: "expired", defaultAction: "stay_parked" }),
    past("005-e", {
      state: "default_applied",
      outcome: "defaulted",
      defaultAction: "take_recommended",
      claim: aClaim(at("06:10"), attack),
    }),
    past("006-f", { state: "expired", outcome: "expired", heldUntilAt: at("08:00") }),
    past("001-a", {}, { seq: 2, again: answered.question.stored.question.id }),
  ];
  const id = answered.question.stored.question.id;
  const data = {
    channel: attack,
    message: attack,
    reason: attack,
    run: attack,
    by: attack,
    via: attack,
    host: attack,
    text: attack,
  };
  const events = [
    ...pasts.flatMap((each) => each.events),
    anEvent("question.overridden", at("23:50"), { ...data, was: data }, id),
    anEvent("question.late-reply", at("23:51"), data, id),
    anEvent("reply.refused", at("23:52"), data),
    anEvent("notice.failed", at("23:53"), data),
    anEvent("run.aborted", at("23:54"), data),
    anEvent("channel.down", at("23:55"), data),
  ];
  const note = aNote(at("23:56"), attack, { sender: { via: attack, by: attack, host: attack } });
  const report = reportOf(
    { questions: pasts.map(({ question }) => question), events, notes: [note], ringing: ["telegram"] },
    at("22:00"),
    at("08:05"),
    zone,
  );
  return reportView(report);
}

const harmless = new Set(
  (
    "html head meta title style body main article header section div p h1 h2 h3 h4 ul li dl dt dd span bdi code a " +
    "blockquote details summary table thead tbody tr th td svg desc defs pattern g rect line circle path text"
  ).split(" "),
);

function textsIn(tree: MarkupTree): readonly string[] {
  return typeof tree === "string" ? [tree] : tree.children.flatMap(textsIn);
}

describe("what others wrote stays text", () => {
  test.each(attacks)("%j", (attack) => {
    const view = hostileView(attack);
    expect(view.sections.map(({ name }) => name)).toHaveLength(14);
    const html = reportHtml(view);
    const tags = tagsOf(html);
    const clean = tagsOf(reportHtml(hostileView("calm words"))).map(({ name }) => name);
    // The same elements, whatever stands in them; a cut title has as many as a whole one.
    expect(tags.map(({ name }) => name)).toEqual(clean);
    for (const { name, attributes } of tags) {
      expect(harmless).toContain(name);
      for (const [attribute, value] of attributes) {
        expect(attribute).not.toMatch(/^on|^style$|^src|^xlink/);
        if (attribute === "href") expect(value).toMatch(/^#report-q-[a-z0-9-]+$/);
        if (attribute !== "content") expect(value).not.toMatch(/[a-z]+:|\/\//i);
      }
    }
    expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u2028\u2029]|(?!\n)\p{Cc}/u);
  });

  test("and nothing of it is lost: the words can be read", () => {
    const [attack] = attacks;
    const texts = textsIn(reportTree(hostileView(attack), 1)).join("\n");
    expect(texts.split(attack).length).toBeGreaterThan(20);
  });
});

describe("the file", () => {
  const html = reportHtml(reportView(reportOfNight(aRealisticNight())));

  test("needs nothing else, and its own policy forbids it to ask", () => {
    expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\((?!#)|https?:\/\//i);
    expect(html).toContain(
      "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"",
    );
    expect(html).toMatch(/^<!doctype html>\n<html lang="en"><head><meta charset="utf-8">/);
  });

  test("every id is there once, and every link inside leads to one", () => {
    const tags = tagsOf(html);
    const ids = tags.flatMap(({ attributes }) => attributes.get("id") ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const named = tags.flatMap(({ attributes }) => [
      ...(attributes.get("aria-labelledby")?.split(" ") ?? []),
      ...(attributes.get("href") ?? "").split("#").slice(1),
    ]);
    expect(named.length).toBeGreaterThan(10);
    for (const name of named) expect(ids).toContain(name);
  });

  test("a style that could end its element is none of ours", () => {
    expect(reportStyle).not.toContain("<");
  });
});

describe("the timeline", () => {
  test.each([
    ["an empty night", anEmptyNight(), 0],
    ["twelve questions", aRealisticNight(), 12],
    ["two hundred", aTerribleNight(), 30],
  ])("%s: no more than 30 rows, and every question in the table", (_name, night, rows) => {
    const { timeline } = reportView(reportOfNight(night));
    expect(timeline.rows).toHaveLength(rows);
    expect(timeline.table.rows).toHaveLength(night.facts.questions.length);
    for (const form of ["wide", "narrow"] as const) {
      const tags = tagsOf(writeHtml(timelineSvg(timeline, form)));
      const [svg] = tags;
      expect(svg?.attributes.get("role")).toBe("img");
      const [width = 0, height = 0] = (svg?.attributes.get("viewBox") ?? "").split(" ").slice(2).map(Number);
      expect(height).toBeLessThan(form === "wide" ? 1_200 : 1_700);
      for (const { name, attributes } of tags) {
        if (name !== "rect" && name !== "circle") continue;
        const [left, wide] = [
          Number(attributes.get("x") ?? attributes.get("cx")),
          Number(attributes.get("width") ?? 0),
        ];
        if (Number.isNaN(left)) continue;
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + wide).toBeLessThanOrEqual(width);
      }
    }
  });

  test("every kind of mark has a shape of its own, and its name stands below", () => {
    const svg = writeHtml(timelineSvg(reportView(reportOfNight(aRealisticNight())).timeline, "wide"));
    for (const kind of ["asked", "rung", "answered", "taken", "expired", "defaulted", "cancelled"]) {
      expect(svg).toContain(`t-mark-${kind}`);
    }
    for (const name of ["asked", "rang", "decided", "picked up", "no answer", "default ran", "cancelled"]) {
      expect(svg).toContain(`>${name}</text>`);
    }
  });

  test("folded rows hold every question exactly once", () => {
    const { timeline } = reportView(reportOfNight(aTerribleNight()));
    const alone = timeline.rows.filter(({ question }) => question !== undefined).length;
    const gathered = timeline.rows
      .filter(({ question }) => question === undefined)
      .map(({ title }) => Number(title.split(" ")[0]));
    expect(alone + gathered.reduce((sum, count) => sum + count, 0)).toBe(200);
    expect(timeline.folded).toContain("200 questions are too many for one picture");
  });
});

test("a tree is written with its text escaped, and nothing hidden in what others said", () => {
  expect(writeHtml(node("p", { title: '"<&>' }, "<&>", told("a\u202eb")))).toBe(
    '<p title="&quot;&lt;&amp;&gt;">&lt;&amp;&gt;<bdi>a⟨U+202E⟩b</bdi></p>',
  );
});
