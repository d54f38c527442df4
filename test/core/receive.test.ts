import { describe, expect, test } from "vitest";
import type { Heard } from "../../src/core/heard.ts";
import { decideReceived, type ReceiveSettings } from "../../src/core/receive.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Copy } from "../../src/domain/question.ts";
import type { Effect } from "../../src/domain/store.ts";
import { anAnswer, aQuestion, aQuestionId, aStored, evening, someRules } from "../builders.ts";

const settings: ReceiveSettings = {
  now: evening,
  mark: "/",
  project: "default",
  places: [],
  status: { channels: [], waiting: 0, zone: "Europe/Berlin", ringing: [] },
  runs: [],
  pair: () => ({ effects: [], value: { accepted: false, reason: "bad-command", text: "" } }),
};

const words = (text: string, more: Partial<ReceiveSettings> = {}) =>
  decideReceived(
    { questions: new Map(), copies: new Map(), open: [] },
    {
      channel: "github",
      sender: "583231",
      speaker: { name: "eric", role: "owner" },
      said: { text, chat: "group", addressed: true, mentions: [] },
    },
    { ...settings, ...more },
  ).value.text;

test.each([
  ["foo", "A mention of me with “help” shows what there is."],
  ["skip q-nope-1-1", "A mention of me with “pending” lists what is open."],
  ["q-nope-1-1 2", "mention of me with “pending” lists"],
  ["skip it please", "Send /skip with a question's id."],
  ["status please", "Mention me with: status, alone."],
  ["abort", "Mention me with: abort and the run's id, such as a3f2."],
  ["skip", "still takes an answer that names it by its id"],
])("where a verb alone is heard by nobody, a refusal of “%s” sends to what is heard", (text, told) => {
  const by = words(`/${text}`.replace("/q-", "q-"), { byId: true });
  expect(by).toContain(told);
  expect(by).not.toMatch(/(?:Send |\s)\/(?:help|pending)\b/);
  expect(words(`/${text}`.replace("/q-", "q-"))).not.toContain("mention");
});

test.each([
  ["is read with its id", { questions: new Map([[aQuestionId, aStored()]]), open: [] }],
  ["is one of the open ones", { questions: new Map(), open: [aStored()] }],
])(
  "a refusal about a question that %s is logged with its project, so that an airlock that stood behind gets it too",
  (_how, known) => {
    const { effects, value } = decideReceived(
      { ...known, copies: new Map() },
      {
        channel: "telegram",
        sender: "42",
        speaker: { name: "ola", role: "viewer" },
        said: { text: `${aQuestionId} 1`, chat: "direct", addressed: true, mentions: [] },
      },
      settings,
    );
    expect(value).toMatchObject({ accepted: false, reason: "not-allowed" });
    expect(effects).toContainEqual({
      type: "log",
      event: expect.objectContaining({
        kind: "reply.refused",
        question: aQuestionId,
        task: "012-fix-auth",
        project: "default",
      }),
    });
  },
);

describe("where only buttons count", () => {
  const pressed = (action: string, changes: Partial<Heard> = {}): Heard => ({
    channel: "ntfy",
    sender: "",
    speaker: { name: "ntfy", role: "member" },
    said: {
      text: "",
      chat: "direct",
      addressed: true,
      mentions: [],
      press: { question: aQuestionId, action },
      token: aQuestionId,
    },
    destination: "default",
    buttonsOnly: 3,
    ...changes,
  });
  const copies = new Map([
    [
      aQuestionId,
      [
        {
          question: aQuestionId,
          channel: "ntfy",
          destination: "default",
          ref: "r",
          revision: 1,
          postedAt: evening,
        },
      ],
    ],
  ]);
  const jobs = (effects: readonly Effect[]) =>
    effects.flatMap((effect) =>
      effect.type === "send" && effect.job.kind === "receipt" ? [effect.job] : [],
    );
  const decided = (
    heard: Heard,
    stored = aStored(),
    known: ReadonlyMap<QuestionId, readonly Copy[]> = copies,
  ) => decideReceived({ questions: new Map([[aQuestionId, stored]]), copies: known }, heard, settings);

  test("what is accepted shows in the message of its question, and is told where nobody knows of one", () => {
    const shown = decided(pressed("1"));
    expect(shown.value).toMatchObject({ accepted: true, state: "answered" });
    expect(jobs(shown.effects)).toEqual([]);
    const elsewhere = new Map([
      [aQuestionId, [{ ...copies.get(aQuestionId)?.[0], channel: "telegram" } as Copy]],
    ]);
    for (const known of [new Map(), elsewhere]) {
      const told = decided(pressed("1"), aStored(), known);
      expect(jobs(told.effects)).toMatchObject([
        { destination: "default", notice: { text: expect.stringMatching(/^Answered: 1/) } },
      ]);
    }
  });

  test("a refusal is told, and nobody is told to type", () => {
    const answered = aStored({
      state: "answered",
      answer: anAnswer({ option: "1", via: "ntfy", by: "ntfy" }),
    });
    const { effects, value } = decided(pressed("2"), answered);
    expect(value).toMatchObject({ accepted: false, reason: "not-open" });
    expect(jobs(effects)[0]?.notice?.text).toContain(
      "on another channel or on the machine: owlpost override",
    );
    expect(jobs(effects)[0]?.notice?.text).not.toContain("/override");
  });

  test("at night a refused press comes back with the buttons that count", () => {
    const { effects, value } = decideReceived(
      { questions: new Map([[aQuestionId, aStored()]]), copies },
      pressed("2"),
      { ...settings, night: someRules("22:00-08:00") },
    );
    expect(value).toMatchObject({ accepted: false, reason: "needs-confirmation" });
    expect(jobs(effects)).toMatchObject([
      {
        question: aQuestionId,
        notice: { kind: "offer", text: expect.stringContaining("press Go ahead, or press Skip") },
      },
    ]);
  });

  test.each([
    [2, 1],
    [5, 1],
    [6, 2],
    [9, 3],
  ])("More for %i options brings %i messages", (count, messages) => {
    const options = Array.from({ length: count }, (_, n) => ({
      key: String(n + 1),
      label: `L${n}`,
      consequence: "c",
    }));
    const { effects, value } = decided(pressed("/more"), aStored({ question: aQuestion({ options }) }));
    expect(value).toMatchObject({ accepted: true, state: "told" });
    expect(jobs(effects).map(({ notice }) => [notice?.kind, notice?.text])).toEqual(
      Array.from({ length: messages }, (_, part) => ["more", String(part)]),
    );
  });

  test("More of what is over, and of what nobody knows, says so", () => {
    const over = aStored({ state: "answered", answer: anAnswer() });
    expect(decided(pressed("/more"), over).value).toMatchObject({ accepted: false, reason: "not-open" });
    const gone = decideReceived({ questions: new Map(), copies: new Map() }, pressed("/more"), settings);
    expect(gone.value).toMatchObject({ accepted: false, reason: "no-such-question" });
  });

  test("without a valid token there is one hint a minute, for what is typed and what is pressed alike", () => {
    const nobody = { speaker: undefined } as const;
    const said = { ...pressed("1").said, token: null };
    const { press: _press, ...typed } = { ...said, text: `${aQuestionId} 1` };
    for (const each of [said, typed]) {
      const { effects, value } = decided(pressed("1", { ...nobody, said: each }));
      expect(value).toMatchObject({ accepted: false, reason: "not-allowed" });
      expect(jobs(effects)).toMatchObject([{ notice: { kind: "hint" } }]);
      const counters = [
        { channel: "ntfy", sender: "", name: "help", value: 1, sinceAt: evening - 30_000 } as const,
      ];
      const again = decideReceived(
        { questions: new Map([[aQuestionId, aStored()]]), copies, counters },
        pressed("1", { ...nobody, said: each }),
        settings,
      );
      expect(jobs(again.effects)).toEqual([]);
    }
  });

  test("elsewhere a press has its toast, and no message", () => {
    const { buttonsOnly: _buttonsOnly, ...heard } = pressed("2");
    const answered = aStored({ state: "answered", answer: anAnswer({ option: "1" }) });
    const { effects, value } = decided(heard, answered);
    expect(value.accepted).toBe(false);
    expect(jobs(effects)).toEqual([]);
  });
});
