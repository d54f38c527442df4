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
