import { expect, test } from "vitest";
import { decideReceived, type ReceiveSettings } from "../../src/core/receive.ts";
import { aQuestionId, aStored, evening } from "../builders.ts";

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
