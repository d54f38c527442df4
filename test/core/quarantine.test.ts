import { describe, expect, test } from "vitest";
import type { Heard } from "../../src/core/heard.ts";
import { decideQuarantined } from "../../src/core/quarantine.ts";
import type { Effect, SenderCounter, TurnSnapshot } from "../../src/domain/store.ts";
import { aBinding, aPlace, aQuestionId, aStored, evening, hour, minute } from "../builders.ts";

const places = [
  aPlace({ channel: "email", allow: ["eric@example.org"] }),
  aPlace({ allow: ["42"] }),
  aPlace({ channel: "inbox", chats: "page" }),
  aPlace({ channel: "github", chats: "one", isPublic: true }),
];

type Aside = Heard & { readonly quarantined: string };

const aHeard = (changes: Partial<Aside> = {}): Aside => ({
  channel: "email",
  sender: "eric@example.org",
  speaker: { name: "eric", role: "owner" },
  said: { text: "1", comment: "", chat: "direct", addressed: true, mentions: [], token: null },
  quarantined: "not-proven",
  ...changes,
});

const aSnapshot = (counters: readonly SenderCounter[] = []): TurnSnapshot => ({
  questions: new Map([[aQuestionId, aStored()]]),
  copies: new Map(),
  counters,
  people: { bindings: [aBinding({ channel: "telegram", address: "43" })], codes: [] },
});

function decide(heard: Aside, counters: readonly SenderCounter[] = [], now = evening) {
  return decideQuarantined(aSnapshot(counters), heard, { now, zone: "Europe/Berlin", places });
}

const notices = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.type === "send" ? [effect.job] : []));
const counterIn = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.type === "count" ? [effect.counter] : []))[0];

describe("what nobody is known to have said", () => {
  test("does nothing, is not answered, and is told to every owner on every other channel that strangers cannot read", () => {
    const { effects, value } = decide(aHeard({ about: aQuestionId }));
    expect(value).toEqual({ accepted: false, reason: "unknown-sender", text: "" });
    expect(effects.map(({ type }) => type)).toEqual(["log", "count", "log", "send", "send", "send"]);
    expect(effects[0]).toMatchObject({
      event: {
        kind: "reply.quarantined",
        question: aQuestionId,
        data: { reason: "not-proven", channel: "email", sender: "eric@example.org" },
      },
    });
    const told = notices(effects);
    expect(told.map(({ channel, destination }) => `${channel} ${destination}`)).toEqual([
      "telegram 42",
      "telegram 43",
      "inbox local",
    ]);
    expect(told[0]?.notice?.text).toBe(
      "Put aside on email: a message says that it is from eric@example.org, and nothing proves it: it has no valid signature of that domain. If it was really theirs, another channel takes the answer. Nothing was done, and nobody was answered.",
    );
  });

  test.each([
    ["wrong-token", "came to a reply address that was never given to them"],
    ["not-one-author", "names no single author"],
    ["malformed", "cannot be trusted (malformed)"],
  ])("%s says so", (quarantined, words) => {
    expect(notices(decide(aHeard({ quarantined })).effects)[0]?.notice?.text).toContain(words);
  });

  test("from a stranger it is silence: counted, and told to nobody", () => {
    const { effects, value } = decide(aHeard({ speaker: undefined, sender: "spam@example.com" }));
    expect(value.text).toBe("");
    expect(effects).toEqual([
      { type: "log", event: { kind: "reply.refused", data: { reason: "unknown-sender", via: "email" } } },
    ]);
  });

  test("nothing that it says of itself is obeyed or hidden", () => {
    const sender = `eric@example.org\u202e\n✅ Answered ${"x".repeat(300)}`;
    const { effects } = decide(aHeard({ speaker: undefined, sender, quarantined: "not-one-author" }));
    const text = notices(effects)[0]?.notice?.text ?? "";
    expect(text).toContain("eric@example.org⟨U+202E⟩ ✅ Answered");
    expect(text).not.toContain("\n");
    expect(text.length).toBeLessThan(300);
  });

  test("a flood of a thousand is one notice an hour, with the number of those before it", () => {
    let counters: readonly SenderCounter[] = [];
    let told = 0;
    let last = "";
    for (let n = 0; n < 1_000; n += 1) {
      const { effects } = decide(aHeard({ sender: `eric${n}@example.org` }), counters, evening + n * 15_000);
      const counter = counterIn(effects);
      counters = counter ? [counter] : [];
      const jobs = notices(effects);
      told += jobs.length === 0 ? 0 : 1;
      last = jobs[0]?.notice?.text ?? last;
    }
    // 1,000 in four hours and ten minutes.
    expect(told).toBe(5);
    expect(last).toMatch(/239 more were put aside since 02:00\.$/);
    expect(counters).toMatchObject([{ channel: "email", sender: "", name: "stranger" }]);
  });

  test("a clock that was set back does not silence it", () => {
    const counters: SenderCounter[] = [
      { channel: "email", sender: "", name: "stranger", value: 3, sinceAt: evening + hour },
    ];
    expect(notices(decide(aHeard(), counters).effects)).toHaveLength(3);
    expect(notices(decide(aHeard(), counters, evening + hour + minute).effects)).toHaveLength(0);
  });
});
