import { describe, expect, test } from "vitest";
import { takeIn, untold } from "../../src/app/inbox-turn.ts";
import type { Reply } from "../../src/domain/channel.ts";
import type { Ack } from "../../src/domain/command.ts";
import { aPlace, evening } from "../builders.ts";
import { aService } from "../homes.ts";

const reply = (changes: Partial<Reply> = {}): Reply => ({
  key: "k1",
  sender: "T01/U02",
  chat: "C01",
  thread: "1.1",
  ...changes,
});
const press = reply({ press: { question: "q-a3f2-012-1", action: "1" } });
const toast = reply({ text: "!pending", toast: true });
const taken: Ack = { accepted: true, state: "told", text: "Nothing is open." };
const refused: Ack = { accepted: false, reason: "not-open", text: "Already answered." };
const sent = (channel: string, each: Reply, ack: Ack, delivered: readonly string[] = []) =>
  untold(channel, [each], [ack], delivered).map((effect) => effect.type === "send" && effect.job);

describe("a toast that did not arrive", () => {
  test("of a tap that was refused is sent where it was tapped; the message shows what was taken", () => {
    expect(sent("slack", press, refused)).toMatchObject([
      { kind: "receipt", destination: "C01/1.1", notice: { text: "Already answered." } },
    ]);
    expect(sent("slack", press, taken)).toEqual([]);
  });

  test("of a command or a form is sent in either case, to its person alone", () => {
    for (const ack of [taken, refused]) {
      expect(sent("slack", toast, ack)).toMatchObject([
        { destination: "T01/U02", notice: { text: ack.text } },
      ]);
    }
    const { chat: _chat, thread: _thread, ...nowhere } = toast;
    expect(sent("slack", nowhere, taken)).toMatchObject([{ destination: "T01/U02" }]);
  });

  test("where there are no private chats, is sent where it was said", () => {
    expect(sent("github", toast, taken)).toMatchObject([{ destination: "C01/1.1" }]);
  });

  test("is not sent where it arrived, was told before, or is silence", () => {
    expect(sent("slack", toast, taken, ["k1"])).toEqual([]);
    expect(sent("slack", toast, { ...taken, replayed: true })).toEqual([]);
    expect(sent("slack", toast, { ...refused, text: "" })).toEqual([]);
    expect(sent("slack", reply({ text: "!pending" }), taken)).toEqual([]);
  });

  test("of a stranger is never sent: only they may read it", () => {
    const stranger: Ack = {
      accepted: false,
      reason: "unknown-sender",
      text: "owlpost does not know you yet.",
    };
    expect(sent("slack", press, stranger)).toEqual([]);
    expect(sent("slack", toast, stranger)).toEqual([]);
  });
});

test("field 25: a reply that comes again with another display name is the same reply", async () => {
  const { store } = await aService();
  const options = {
    store,
    now: () => evening,
    project: "default",
    places: [aPlace({ channel: "slack", allow: ["T01/U02"], mark: "!" })],
  };
  const said = reply({ text: "!steer run-1 look twice", private: true });
  const {
    acks: [first],
  } = await takeIn("slack", { replies: [{ ...said, name: "Eric" }] }, options);
  const {
    acks: [second],
  } = await takeIn("slack", { replies: [said] }, options);
  expect(second?.text).toBe(first?.text);
  expect(second).toMatchObject({ replayed: true });
});
