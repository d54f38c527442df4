import { expect, test } from "vitest";
import type { Heard } from "../../src/core/heard.ts";
import { decideReceived, type ReceiveSettings } from "../../src/core/receive.ts";
import type { SenderCounter, TurnSnapshot } from "../../src/domain/store.ts";
import { aQuestionId, aStored, evening, hour } from "../builders.ts";

const settings: ReceiveSettings = {
  now: evening,
  mark: "!",
  project: "default",
  status: { channels: [], waiting: 0, zone: "Europe/Berlin", ringing: [] },
  runs: [],
  places: [],
  pair: () => ({ effects: [], value: { accepted: false, reason: "unknown-sender", text: "" } }),
};

const pressed: Heard = {
  channel: "slack",
  sender: "T01/U02",
  speaker: undefined,
  destination: "C01",
  said: {
    text: "",
    chat: "group",
    addressed: false,
    mentions: [],
    press: { question: aQuestionId, action: "1" },
  },
  colleague: true,
};

function heard(changes: Partial<Heard> = {}, counters: readonly SenderCounter[] = [], now = evening) {
  const snapshot: TurnSnapshot = {
    questions: new Map([[aQuestionId, aStored()]]),
    copies: new Map(),
    open: [aStored()],
    counters,
  };
  return decideReceived(snapshot, { ...pressed, ...changes }, { ...settings, now });
}

const told: SenderCounter = {
  channel: "slack",
  sender: "T01/U02",
  name: "stranger",
  value: 1,
  sinceAt: evening,
};

test("a tap of somebody of the same team whom nobody paired gets one line, which changes nothing", () => {
  const { effects, value } = heard();
  expect(value).toMatchObject({
    accepted: false,
    reason: "unknown-sender",
    text: expect.stringContaining("T01/U02"),
  });
  expect(effects).toContainEqual({ type: "count", counter: told });
  expect(effects.map(({ type }) => type).sort()).toEqual(["count", "log"]);
});

test("one a day: silence until then, and another after that", () => {
  expect(heard({}, [told], evening + 24 * hour - 1).value).toMatchObject({ text: "" });
  expect(heard({}, [told], evening + 24 * hour).value).toMatchObject({
    text: expect.stringContaining("does not know"),
  });
  // A clock that was set back keeps nobody silent for longer.
  expect(heard({}, [{ ...told, sinceAt: evening + hour }]).value.text).not.toBe("");
});

test("everybody else hears nothing: a stranger from elsewhere, and whoever tries a code", () => {
  const { colleague: _, ...foreign } = pressed;
  const elsewhere = decideReceived({ questions: new Map(), copies: new Map() }, foreign, settings);
  expect(elsewhere.value).toMatchObject({ accepted: false, text: "" });
  const { press: _pressed, ...typed } = pressed.said;
  const code = { ...typed, text: "!pair ABCD2345", chat: "direct", addressed: true } as const;
  expect(heard({ said: code }).value).toMatchObject({ accepted: false, text: "" });
  expect(heard({ said: code }).effects).toEqual([]);
});

test("somebody who is known is no stranger", () => {
  const { value } = heard({ speaker: { name: "eric", role: "owner" } });
  expect(value).toMatchObject({ accepted: true });
});

test("what has a toast gets no message besides, whether it was taken or not", () => {
  const { press: _pressed, ...typed } = pressed.said;
  const speaker = { name: "eric", role: "owner" } as const;
  const sends = (text: string, toast: boolean) =>
    heard({
      speaker,
      said: { ...typed, text, addressed: true },
      ...(toast ? { toast: true as const } : {}),
    }).effects.filter(({ type }) => type === "send" || type === "gather" || type === "remember");
  for (const text of [`!answer ${aQuestionId} in words`, "!nonsense", "!pending", "talk"]) {
    expect(sends(text, true)).toEqual([]);
    expect(sends(text, false)).not.toEqual([]);
  }
});
