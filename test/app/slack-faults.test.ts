import { expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { until } from "../homes.ts";
import { eric, inTeam, mara, ops } from "../slack/phone.ts";
import { aSlackConversation } from "./slack-conversation.ts";

const atOps = { channel: ops, allow: [inTeam(eric), inTeam(mara)] };

test("eight hours without Slack: what was said meanwhile counts at its own time, what was asked goes out once, and lost taps are named", async () => {
  const talk = await aSlackConversation(atOps);
  const { slack, clock } = talk;
  const auth = await talk.asks();
  const later = await talk.asks({
    task: "013-search",
    title: "Which index for `src/search`?",
    default: { action: "skip_spec", at: "20h" },
  });
  await talk.sees(ops, "Token refresh strategy");
  await talk.sees(ops, "Which index");
  await slack.down();
  await until(
    async () => (await talk.service.owlpost.status()).channels.find(({ channel }) => channel === "slack")?.up,
    (up) => up === false,
  );
  clock.advance(3 * hour);
  // Slack's own tries to hand it over all fail.
  talk.types(mara, "2", { in: ops, thread: "Token refresh" });
  const tap = talk.taps(eric, "1", "Which index", ops);
  for (const ms of [0, minute, 6 * minute]) {
    clock.advance(ms);
    slack.sockets.tick();
  }
  expect(slack.people.signs).toHaveLength(1);
  const copy = await talk.asks({
    task: "015-copy",
    title: "Which words in `src/page`?",
    default: { action: "skip_spec", at: "20h" },
  });
  clock.advance(5 * hour);
  await slack.up();
  await talk.connected();
  await talk.becomes(auth, "answered");
  expect((await talk.service.owlpost.question(auth))?.answer).toMatchObject({ option: "2", via: "slack" });
  await talk.sees(ops, "Which index", "I was away from", "tap again");
  await talk.passes(2, 6 * minute);
  await talk.sees(ops, "Which words", copy);
  expect(talk.texts(ops).filter((text) => text.includes("Which words"))).toHaveLength(1);
  expect(tap.envelope.state).toBe("failed");
  talk.taps(eric, "1", "Which index", ops);
  await talk.becomes(later, "answered");
  expect(slack.misuses()).toEqual([]);
});

test("a storm of refusals, broken lines and lost answers: each message arrives once, in its order", async () => {
  const talk = await aSlackConversation({ allow: [inTeam(eric)] });
  const { slack } = talk;
  const post = "chat.postMessage";
  slack.fail({ method: post, how: { busy: 2 }, times: 3 });
  slack.fail({ method: post, how: "swallow", times: 1 });
  slack.fail({ method: post, how: { page: 502 }, times: 1 });
  slack.fail({ method: post, how: "reset", times: 1 });
  slack.fail({ method: "conversations.history", how: { busy: 2 }, times: 1 });
  slack.fail({ method: "chat.update", how: "swallow", times: 2 });
  const titles = ["First", "Second", "Third"].map((word) => `${word} of \`src/page\`?`);
  const ids: string[] = [];
  for (const [n, title] of titles.entries()) ids.push(await talk.asks({ task: `02${n}-page`, title }));
  await talk.passes(12, minute);
  const standing = talk.texts(eric);
  expect(standing.map((text) => titles.findIndex((title) => text.includes(title)))).toEqual([0, 1, 2]);
  for (const id of ids) expect(await talk.state(id)).toBe("posted");
  talk.taps(eric, "1", "Second of");
  await talk.becomes(ids[1] ?? "", "answered");
  await talk.passes(4, minute);
  await talk.sees(eric, "Second of", "✅ Answered: 1");
  expect(talk.messages(eric)).toHaveLength(3);
  expect(slack.faults()).toEqual([]);
  expect(slack.misuses()).toEqual([]);
});
