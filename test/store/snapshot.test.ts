import { describe, expect, it } from "vitest";
import type { Ack } from "../../src/domain/command.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Effect, Store, TurnNeed, TurnSnapshot } from "../../src/domain/store.ts";
import { anAnswer, aQuestion, aStore, ask, moveOf, now } from "./builders.ts";
import { aCode, bindOf, eric, mara } from "./people.ts";

type Step = {
  readonly need: Partial<TurnNeed>;
  readonly effects?: (snapshot: TurnSnapshot) => readonly Effect[];
};
let keys = 0;

const done: Ack = { accepted: true, state: "", text: "" };

/** One batch; what `see` makes of each input's snapshot. */
async function turn<Value>(
  store: Store,
  steps: readonly Step[],
  see: (snapshot: TurnSnapshot) => Value,
): Promise<Value[]> {
  const seen: Value[] = [];
  const inputs = steps.map((step) => {
    keys += 1;
    return { key: `k${keys}`, payload: null, step };
  });
  await store.turn(
    { channel: "telegram", inputs },
    ({ step }) => ({ questions: [], ...step.need }),
    (snapshot, { step }) => {
      seen.push(see(snapshot));
      return { effects: step.effects?.(snapshot) ?? [], value: done };
    },
    now,
  );
  return seen;
}

/** What a snapshot holds, without what nobody asked for. */
const whole = ({ questions, copies, ...rest }: TurnSnapshot) => ({
  questions: [...questions.keys()],
  copies: [...copies.keys()],
  ...rest,
});

async function posted(store: Store, seq: number, ref: string, destination = "42"): Promise<QuestionId> {
  const id = await ask(store, aQuestion({ seq }));
  await store.append(
    [{ type: "adopt-copy", question: id, channel: "telegram", destination, ref, revision: 1 }],
    now,
  );
  return id;
}

function answered(id: QuestionId): Effect {
  return { ...moveOf(id, "pending", "answered"), outcome: "answered", answer: anAnswer() };
}

describe("the snapshot of a turn", () => {
  it("holds nothing that was not asked for", async () => {
    const store = await aStore();
    await posted(store, 1, "42:1");
    await store.append([bindOf(eric, "42"), { type: "insert-code", code: aCode() }], now);
    expect(await turn(store, [{ need: {} }], whole)).toEqual([{ questions: [], copies: [] }]);
  });

  it("a message of ours gives its question, with its copies", async () => {
    const store = await aStore();
    const one = await posted(store, 1, "42:1");
    const two = await posted(store, 2, "42:2");
    const seen = await turn(
      store,
      [{ need: { thread: "42:1" } }, { need: { thread: "42:2" } }, { need: { thread: "42:9" } }],
      ({ thread, questions, copies }) => ({
        thread,
        state: thread && questions.get(thread)?.state,
        refs: thread && copies.get(thread)?.map(({ ref }) => ref),
      }),
    );
    expect(seen).toEqual([
      { thread: one, state: "pending", refs: ["42:1"] },
      { thread: two, state: "pending", refs: ["42:2"] },
      { thread: undefined, state: undefined, refs: undefined },
    ]);
  });

  it("knows a message by its channel, and guesses nothing when it stands for two questions", async () => {
    const store = await aStore();
    const one = await posted(store, 1, "1");
    await store.append(
      [
        { type: "adopt-copy", question: one, channel: "telegram", destination: "43", ref: "1", revision: 1 },
        { type: "adopt-copy", question: one, channel: "slack", destination: "C", ref: "2", revision: 1 },
      ],
      now,
    );
    const threads = (...refs: string[]) =>
      turn(
        store,
        refs.map((thread) => ({ need: { thread } })),
        ({ thread }) => thread,
      );
    expect(await threads("1", "2")).toEqual([one, undefined]);
    await posted(store, 2, "1");
    expect(await threads("1")).toEqual([undefined]);
  });

  it("a copy that an input adopted is a thread for the next one", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    const copy: Effect = {
      type: "adopt-copy",
      question: id,
      channel: "telegram",
      destination: "42",
      ref: "42:5",
      revision: 0,
    };
    const seen = await turn(
      store,
      [
        { need: { thread: "42:5", questions: [id] }, effects: () => [copy] },
        { need: { thread: "42:5", questions: [id] } },
      ],
      ({ thread, copies }) => [thread, copies.get(id)?.length],
    );
    expect(seen).toEqual([
      [undefined, 0],
      [id, 1],
    ]);
  });

  it("a question of a thread that was answered just now is seen as answered", async () => {
    const store = await aStore();
    const id = await posted(store, 1, "42:1");
    const seen = await turn(
      store,
      [{ need: { thread: "42:1" }, effects: () => [answered(id)] }, { need: { thread: "42:1" } }],
      ({ questions }) => questions.get(id)?.state,
    );
    expect(seen).toEqual(["pending", "answered"]);
  });

  it("gives the binding of the sender and what is counted of them", async () => {
    const store = await aStore();
    await store.append(
      [
        bindOf(eric, "42"),
        bindOf(mara, "42", { channel: "slack" }),
        {
          type: "count",
          counter: { channel: "telegram", sender: "42", name: "refusals", value: 3, sinceAt: now },
        },
      ],
      now,
    );
    const seen = await turn(store, [{ need: { sender: "42" } }, { need: { sender: "43" } }], whole);
    expect(seen).toEqual([
      {
        questions: [],
        copies: [],
        binding: { id: 1, person: eric, channel: "telegram", address: "42", createdAt: now },
        counters: [{ channel: "telegram", sender: "42", name: "refusals", value: 3, sinceAt: now }],
      },
      { questions: [], copies: [], counters: [] },
    ]);
  });

  it("a binding, a counter and a code are seen as an earlier input of the batch left them", async () => {
    const store = await aStore();
    await store.append([{ type: "insert-code", code: aCode() }], now);
    const need = { sender: "42", people: true };
    const counter = { channel: "telegram", sender: "42", name: "pairing", value: 1, sinceAt: now } as const;
    const seen = await turn(
      store,
      [
        {
          need,
          effects: () => [
            { type: "count", counter },
            { type: "fail-codes", channel: "telegram" },
          ],
        },
        { need, effects: ({ people }) => [bindOf(eric, "42", { code: people?.codes[0]?.id ?? 0 })] },
        { need, effects: ({ binding }) => [{ type: "unbind", binding: binding?.id ?? 0 }] },
        { need },
      ],
      ({ binding, counters, people }) => [
        binding?.person.name,
        counters?.map(({ value }) => value),
        people?.codes.map(({ failures }) => failures),
        people?.bindings.length,
      ],
    );
    expect(seen).toEqual([
      [undefined, [], [0], 0],
      [undefined, [1], [1], 0],
      ["eric", [1], [], 1],
      [undefined, [1], [], 0],
    ]);
  });

  it("gives codes that are live now, and no others", async () => {
    const store = await aStore();
    await store.append(
      [
        { type: "insert-code", code: aCode({ expiresAt: now }) },
        { type: "insert-code", code: aCode({ expiresAt: now + 1 }) },
      ],
      now - 1,
    );
    const [ids] = await turn(store, [{ need: { people: true } }], ({ people }) =>
      people?.codes.map(({ id }) => id),
    );
    expect(ids).toEqual([2]);
  });

  it("gives the open questions, the oldest first, with their copies; one that was answered just now is gone", async () => {
    const store = await aStore();
    const ids: QuestionId[] = [];
    // The deadlines run the other way: the order is that of asking.
    for (let seq = 1; seq <= 3; seq += 1)
      ids.push(await ask(store, aQuestion({ seq, deadlineAt: now + 9 - seq })));
    await ask(store, aQuestion({ seq: 4, state: "expired" }));
    await posted(store, 5, "42:5");
    const [one, two] = ids as [QuestionId, QuestionId];
    const seen = await turn(
      store,
      [
        { need: { open: true }, effects: () => [answered(one)] },
        { need: { questions: [one] }, effects: () => [answered(two)] },
        { need: { open: true }, effects: () => [{ type: "insert-question", row: aQuestion({ seq: 6 }) }] },
        { need: { open: true, questions: [one] } },
      ],
      ({ open, questions, copies }) => ({
        open: open?.map(({ question }) => Number(question.id.at(-1))),
        known: open?.every(({ question: { id } }) => questions.has(id) && copies.has(id)),
        copies: open?.flatMap(({ question }) => copies.get(question.id) ?? []).map(({ ref }) => ref),
        one: questions.get(one)?.state,
      }),
    );
    expect(seen).toEqual([
      { open: [1, 2, 3, 5], known: true, copies: ["42:5"], one: "pending" },
      { open: undefined, known: undefined, copies: undefined, one: "answered" },
      { open: [3, 5], known: true, copies: ["42:5"], one: "answered" },
      { open: [3, 5, 6], known: true, copies: ["42:5"], one: "answered" },
    ]);
  });

  it("gives at most 200 open questions, and the next one when one of them is answered", async () => {
    const store = await aStore();
    const rows = Array.from({ length: 203 }, (_, at) => aQuestion({ seq: at + 1 }));
    await store.append(
      rows.map((row) => ({ type: "insert-question", row })),
      now,
    );
    const seen = await turn(
      store,
      [
        { need: { open: true }, effects: ({ open }) => [answered(open?.[0]?.question.id as QuestionId)] },
        { need: { open: true } },
      ],
      ({ open }) => [open?.length, open?.[0]?.question.id, open?.at(-1)?.question.id],
    );
    expect(seen).toEqual([
      [200, "q-a3f2-fix-auth-1", "q-a3f2-fix-auth-200"],
      [200, "q-a3f2-fix-auth-2", "q-a3f2-fix-auth-201"],
    ]);
  });

  it("tells what became of a message that is edited; the same message again replaces it", async () => {
    const store = await aStore();
    const { id } = aQuestion().question;
    const kept: Effect = { type: "remember", channel: "telegram", message: "42:8", accepted: false };
    const need = { edited: "42:8" };
    const seen = await turn(
      store,
      [
        { need, effects: () => [kept] },
        { need, effects: () => [{ ...kept, accepted: true, question: id }] },
        { need, effects: () => [{ ...kept, channel: "slack" }] },
        { need: { edited: "42:9" } },
      ],
      ({ earlier }) => earlier,
    );
    expect(seen).toEqual([undefined, { accepted: false }, { accepted: true, question: id }, undefined]);
    expect(await turn(store, [{ need }], ({ earlier }) => earlier)).toEqual([
      { accepted: true, question: id },
    ]);
  });
});
