import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sizeOf } from "../../renderers/fit.ts";
import { fitsRow } from "../../renderers/ladder.ts";
import { matrix, rowOf } from "../../renderers/matrix.ts";
import { reveal } from "../../renderers/neutralise.ts";
import { render } from "../../renderers/render.ts";
import { roomOf } from "../../renderers/sizes.ts";
import { questionView } from "../../src/core/view.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";
import type { ChannelMessage } from "../../src/domain/channel.ts";
import { mintQuestionId, type RunId } from "../../src/domain/ids.ts";
import type { Question } from "../../src/domain/question.ts";
import type { QuestionView } from "../../src/domain/view.ts";
import { anAnswer, aQuestion, aStored, evening, hour } from "../builders.ts";
import { aNastyQuestion, nastyText } from "./arbitraries.ts";
import { caseView } from "./cases.ts";
import { limits } from "./hostile.ts";
import { brokenRules, folded, uncutSize, visible } from "./rules.ts";

const rows = Object.entries(matrix as Readonly<Record<string, Capabilities>>);
const viewOf = (question: Question): QuestionView => questionView(aStored({ question }), evening);
const sized = (message: ChannelMessage, row: Capabilities): number =>
  sizeOf(row.body.counted === "shown" ? visible(message, row) : message.body, row.body.unit);
/** The same row with another budget. */
const within = (row: Capabilities, max: number): Capabilities => {
  const { editMax: _editMax, wire: _wire, partMax: _partMax, ...body } = row.body;
  return { ...row, body: { ...body, max } };
};
/** What a reader sees of a text: nothing hidden in it, in one line. */
const seen = (text: string): string => reveal(text);

const small: Question = (() => {
  const { iteration: _iteration, progress: _progress, tried: _tried, ...rest } = aQuestion();
  return {
    ...rest,
    id: mintQuestionId("a" as RunId, "b", 1),
    title: "Merge now?",
    options: [
      { key: "1", label: "Yes", consequence: "It ships", recommended: true },
      { key: "2", label: "No", consequence: "It waits" },
    ],
  };
})();

describe.each(rows)("%s", (channel, row) => {
  test("field 12, R9: at every budget what must stay stays, and the size is within it", () => {
    fc.assert(
      fc.property(aNastyQuestion, fc.double({ min: 0, max: 1, noNaN: true }), (question, part) => {
        const view = viewOf(question);
        const least = uncutSize(view, row);
        // From the smallest at which it can be done to one with room to spare.
        const max = Math.max(200, least + Math.floor(part ** 3 * 6000));
        const tight = within(row, max);
        const message = render(view, tight);
        expect(sized(message, tight)).toBeLessThanOrEqual(max);
        expect(brokenRules(view, message, tight, undefined, [], seen)).toEqual([]);
        if (view.command) expect(folded(message.plain)).toContain(folded(reveal(view.command)));
      }),
      { numRuns: 150 },
    );
  });

  test("field 12: within the row's own limits, whatever is asked", () => {
    fc.assert(
      fc.property(aNastyQuestion, (question) => {
        const view = viewOf(question);
        const message = render(view, row);
        expect(sized(message, row)).toBeLessThanOrEqual(roomOf(row));
        if (row.body.wire)
          expect(
            Buffer.byteLength(JSON.stringify(message.body)) + row.body.wire.restBytes,
          ).toBeLessThanOrEqual(row.body.wire.maxBytes);
        for (const part of message.parts)
          expect(sizeOf(part.text, row.body.unit)).toBeLessThanOrEqual(
            row.body.partMax ?? Number.POSITIVE_INFINITY,
          );
        if (row.headline !== "none")
          expect(sizeOf(message.headline, row.body.unit)).toBeLessThanOrEqual(row.headline.max);
        expect(message.headline).toContain(`[${view.id}]`);
        if (fitsRow(view, row))
          expect(
            brokenRules(view, message, row, limits.channels[channel], limits.neverAnywhere, seen),
          ).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test("R9: a small question keeps its options and its default at every budget from its least to 4,096", () => {
    const view = viewOf(small);
    const least = uncutSize(view, row);
    // Where escapes count it takes more; mail is counted as HTML.
    const most = row.dialect === "mail" ? 650 : row.body.counted === "shown" ? 200 : 260;
    expect(least).toBeLessThanOrEqual(most);
    for (let max = least; max <= 4096; max += max < least + 200 ? 1 : 97) {
      const message = render(view, within(row, max));
      expect(sized(message, within(row, max))).toBeLessThanOrEqual(max);
      expect(brokenRules(view, message, within(row, max), undefined, [])).toEqual([]);
    }
  });

  test("a decided question fits wherever the open one did, and has no buttons", () => {
    fc.assert(
      fc.property(aNastyQuestion, (question) => {
        const open = viewOf(question);
        const tight = within(row, Math.max(uncutSize(open, row), 420));
        const view = questionView(
          aStored({ question, state: "answered", answer: anAnswer() }),
          evening + hour,
        );
        const message = render(view, tight);
        expect(sized(message, tight)).toBeLessThanOrEqual(tight.body.max);
        expect(message.buttons).toEqual([]);
        expect(message.plain).toMatch(/^✅ Answered: 1 — /m);
        expect(message.silent).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("field 13: every budget ends, even one that is too small for anything", () => {
    const view = caseView("long");
    for (let max = 0; max <= 260; max += 1) {
      const message = render(view, within(row, max));
      expect(sized(message, within(row, max))).toBeLessThanOrEqual(max);
    }
  });

  test("hostile text becomes no markup, no mention and no line of ours", () => {
    fc.assert(
      fc.property(nastyText(600), (text) => {
        const message = render(viewOf({ ...aQuestion(), context: `c${text}`, tried: text }), row);
        const lines = folded(message.plain.replaceAll("\n", "\u0001"))
          .split("\u0001")
          .map((line) => line.trim());
        expect(lines.filter((line) => line.startsWith("✅"))).toEqual([]);
        expect(lines.filter((line) => line.startsWith("⏰"))).toHaveLength(1);
        const tags: readonly string[] = message.body.match(/<\/?[a-z]+[^<>]*>/gi) ?? [];
        const own = /^<(?:\/?(?:b|code|pre|div|p|br)|(?:div|p) style="[^"]*")>$/;
        if (row.dialect === "telegram-html" || row.dialect === "mail")
          expect(tags.filter((tag) => !own.test(tag))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("the ladder", () => {
  const order = ["free", "diff", "tail", "context", "tried"] as const;
  /** What is still whole in a message. */
  const whole = (view: QuestionView, message: ChannelMessage): Record<(typeof order)[number], boolean> => ({
    free: message.plain.includes("coverage: 91"),
    diff: message.plain.includes("Diff: "),
    tail: message.plain.includes(view.outputTail.join("\n")),
    context: message.plain.includes(view.context),
    tried: message.plain.includes(view.tried ?? ""),
  });
  const question: Question = {
    ...aQuestion(),
    context: "The gateway drops idle connections. ".repeat(16).trim(),
    tried: Array.from({ length: 30 }, (_, at) => `attempt ${at}: reset`).join("\n"),
    facts: {
      command: "make test",
      exit_code: 1,
      output_tail: Array.from({ length: 10 }, (_, at) => `output line ${at}`).join("\n"),
      diff_stat: "2 files changed",
      coverage: 91,
    },
  };

  test.each(["telegram", "ntfy", "slack", "github"])(
    "%s: leaves out in its order, and says so",
    (channel) => {
      const view = viewOf(question);
      const row = rowOf(channel);
      const full = render(view, row);
      expect(whole(view, full)).toEqual({ free: true, diff: true, tail: true, context: true, tried: true });
      expect(full.degraded).not.toContain("size");
      let before: number = order.length;
      for (let max = sized(full, row); max >= uncutSize(view, row); max -= 7) {
        const message = render(view, within(row, max));
        const kept = whole(view, message);
        const count = order.filter((name) => kept[name]).length;
        // Whatever is cut, everything before it in the order is cut as well.
        expect(order.slice(order.length - count).every((name) => kept[name])).toBe(true);
        expect(count).toBeLessThanOrEqual(before);
        expect(message.degraded.includes("size")).toBe(count < order.length);
        before = count;
      }
      expect(before).toBe(0);
    },
  );

  test("context keeps its beginning, tried its end, with … at the cut and the place of the whole", () => {
    const view = viewOf(question);
    const cut = render(view, within(matrix.telegram, 1000)).plain;
    expect(cut).toMatch(/\n\nThe gateway drops [^\n]*…\n\n/);
    expect(cut).toMatch(/Tried:\n…[^\n]*\n(?:attempt \d+: reset\n)*attempt 29: reset\n/);
    expect(cut).toContain(`✂ Shortened. In full: owlpost status ${view.id}`);
  });

  test("three lines of output stay where the agent gave no options of its own", () => {
    const view = viewOf({ ...question, low_fidelity: true });
    const message = render(view, within(matrix.telegram, uncutSize(view, matrix.telegram)));
    expect(message.plain).toContain("output line 7\noutput line 8\noutput line 9");
    expect(message.plain).not.toContain("output line 6");
  });

  test("output that fills a part to its end costs no option", () => {
    for (let length = 900; length <= 1000; length += 1) {
      const output_tail = `first\n${`${"x".repeat(length)}\n`.repeat(3)}`;
      const view = viewOf({ ...question, low_fidelity: true, facts: { output_tail } });
      expect(fitsRow(view, matrix.slack)).toBe(true);
      expect(render(view, matrix.slack).plain).toContain("Refresh-token rotation");
    }
  });

  test("every rung that was taken is told", () => {
    const degraded = (channel: string): readonly string[] => render(viewOf(small), rowOf(channel)).degraded;
    expect(degraded("telegram")).toEqual([]);
    expect(degraded("slack")).toEqual([]);
    expect(degraded("ntfy")).toEqual(["markup", "thread"]);
    expect(degraded("email")).toEqual(["edit"]);
    expect(degraded("github")).toEqual(["buttons", "thread"]);
    expect(degraded("webhook")).toEqual(["markup", "buttons", "edit", "thread"]);
    expect(degraded("made-up")).toEqual(degraded("webhook"));
  });

  test("a channel that is too small gets the title, the id, the deadline and where to answer", () => {
    const view = caseView("seed-example");
    const tight = within(matrix.telegram, 300);
    expect(fitsRow(view, tight)).toBe(false);
    const message = render(view, tight);
    expect(message.buttons).toEqual([]);
    expect(message.plain.split("\n\n")).toEqual([
      `[${view.id}]`,
      view.title,
      view.deadline,
      "The options do not fit here. See them and answer: owlpost status q-a3f2-012-1, or the inbox.",
    ]);
  });
});

describe("buttons", () => {
  const labels = (channel: string, count: number, recommended: number): readonly string[] =>
    render(
      viewOf({
        ...small,
        options: Array.from({ length: count }, (_, at) => ({
          key: String(at + 1),
          label: `Label ${at + 1}`,
          consequence: "c",
          ...(at === recommended ? { recommended: true } : {}),
        })),
      }),
      rowOf(channel),
    ).buttons.map((button) => button.label);

  test("one for each option, then Skip while there is room, else the recommended one, the next and More", () => {
    expect(labels("telegram", 2, 0)).toEqual(["1 · Label 1", "2 · Label 2", "⏭ Skip"]);
    expect(labels("ntfy", 2, 0)).toEqual(["1 · Label 1", "2 · Label 2", "⏭ Skip"]);
    expect(labels("ntfy", 3, 1)).toEqual(["1 · Label 1", "2 · Label 2", "3 · Label 3"]);
    expect(labels("ntfy", 4, 3)).toEqual(["1 · Label 1", "4 · Label 4", "⋯ More"]);
    expect(labels("ntfy", 4, 9)).toEqual(["1 · Label 1", "2 · Label 2", "⋯ More"]);
    expect(labels("github", 2, 0)).toEqual([]);
  });

  test("what had no button comes with one in further messages, every option once, the last with Skip", () => {
    const rest = (count: number, recommended: number) => {
      const asked = viewOf({
        ...small,
        options: Array.from({ length: count }, (_, at) => ({
          key: String(at + 1),
          label: `Label ${at + 1}`,
          consequence: `Consequence ${at + 1}`,
          ...(at === recommended ? { recommended: true } : {}),
        })),
      });
      return [0, 1, 2].map((part) =>
        render({ type: "receipt", text: "[q] T", question: asked.id, offer: { asked, part } }, matrix.ntfy),
      );
    };
    const all = (count: number, recommended: number) =>
      rest(count, recommended).flatMap(({ buttons }) => buttons.map(({ label }) => label));
    expect(all(4, 3)).toEqual(["2 · Label 2", "3 · Label 3", "⏭ Skip"]);
    expect(all(5, 0)).toEqual(["3 · Label 3", "4 · Label 4", "5 · Label 5"]);
    expect(all(9, 8)).toEqual([...[2, 3, 4, 5, 6, 7, 8].map((n) => `${n} · Label ${n}`), "⏭ Skip"]);
    const [first] = rest(9, 8);
    expect(first?.headline).toBe("⋯ [q] T");
    expect(first?.plain).toBe(
      "[q] T\n2) Label 2\nConsequence 2\n3) Label 3\nConsequence 3\n4) Label 4\nConsequence 4",
    );
    expect(rest(3, 0).every(({ buttons }) => buttons.length <= 3)).toBe(true);
  });

  test("where nothing that is typed counts, nobody is told to type there", () => {
    const ways = ["ntfy", "webhook"].map((channel) =>
      render(viewOf(small), rowOf(channel)).plain.split("\n").at(-1),
    );
    expect(ways[0]).toMatch(/^Or answer on another channel: q-/);
    expect(ways[1]).toMatch(/^Answer on another channel: q-/);
  });

  test("a label that is too long stands in the text alone", () => {
    const long = { ...small, options: small.options.map((option) => ({ ...option, label: "L".repeat(80) })) };
    const message = render(viewOf(long), matrix.telegram);
    expect(message.buttons.map((button) => button.label)).toEqual(["1 · recommended", "2", "⏭ Skip"]);
    expect(message.plain).toContain("L".repeat(80));
  });
});

test("field 11: exactly & < > are escaped in Telegram's text", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("&", "<", ">", "'", '"', "a", ";", "amp") }), (text) => {
      const view = viewOf({ ...small, context: `c ${text}` });
      const { body } = render(view, matrix.telegram);
      expect(body).not.toMatch(/&(?!(?:amp|lt|gt);)/);
      expect(folded(visible({ ...render(view, matrix.telegram) }, matrix.telegram))).toContain(
        folded(`c ${text}`),
      );
    }),
  );
});

test("the id and every key can be read back from any rendering", () => {
  fc.assert(
    fc.property(aNastyQuestion, fc.constantFrom(...rows), (question, [, row]) => {
      const view = viewOf(question);
      const shown = visible(render(view, within(row, uncutSize(view, row) + 10)), row);
      const keys = [...shown.matchAll(/^(?:([0-9])\uFE0F\u20E3|([a-z0-9]+)\)) /gm)].map(
        (found) => found[1] ?? found[2],
      );
      expect(shown).toContain(`[${view.id}]`);
      for (const option of view.options) expect(keys).toContain(option.key);
    }),
    { numRuns: 200 },
  );
});

test("a receipt that is too long loses whole lines at its end: none of them is cut", () => {
  const lines = Array.from({ length: 300 }, (_, n) => `Send: q-a3f2-012-fix-auth-${n + 1} 1 <🦉 & owl>`);
  for (const [name, row] of rows) {
    const narrow = within(row, 1_500);
    const message = render({ type: "receipt", text: lines.join("\n") }, narrow);
    expect(sized(message, narrow), name).toBeLessThanOrEqual(1_500);
    expect(message.degraded, name).toContain("size");
    const shown = visible(message, narrow);
    const ids = shown.match(/q-a3f2-012-fix-auth-\d+/g) ?? [];
    expect(ids.length, name).toBeGreaterThan(5);
    expect(shown.split("owl>").length - 1, name).toBe(ids.length);
    expect(shown.trimEnd().endsWith("…"), name).toBe(true);
  }
});

test("what is hidden at the end of a title or a label leaves no blank, which would end its emphasis", () => {
  const hidden = "Roll back `src/a_b.ts` \u200b";
  const options = [
    { key: "1", label: hidden, consequence: "x", recommended: true },
    { key: "2", label: "Wait", consequence: "y" },
  ];
  const view = viewOf(aQuestion({ title: hidden, options }));
  for (const row of Object.values(matrix)) {
    expect(render(view, row).body).not.toMatch(/ (?:\*\*|\*(?!\*)|<\/b>|<\/strong>)(?= |\n|$)/);
  }
  expect(render(view, matrix.github).body).toMatch(/\*\*[^*\n]*a\\?_b\.ts[^*\n]*[^ ]\*\*/);
});
