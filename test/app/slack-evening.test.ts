import { expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { eric, inTeam, mara, nils, ops } from "../slack/phone.ts";
import { aSlackConversation } from "./slack-conversation.ts";

test("a whole evening of a team, in one channel and its threads", async () => {
  const talk = await aSlackConversation({ channel: ops, allow: [inTeam(eric)] });
  const { slack, clock, service } = talk;
  const inThread = { in: ops, thread: "Token refresh strategy" };

  // 20:45. The agent is stuck, and asks in the channel. Nobody is rung by name.
  const auth = await talk.asks();
  await talk.sees(ops, "Token refresh strategy", "1️⃣ Refresh-token rotation", "⏰ No answer by 06:00", auth);
  expect(talk.buttons(ops, "Token refresh")).toEqual([
    "1 · Refresh-token rotation",
    "2 · Extend the TTL to 30 days",
    expect.stringContaining("Skip"),
    expect.stringContaining("Write an answer"),
  ]);
  expect(talk.message(ops, "Token refresh").pings).toEqual([]);

  // Eric pairs Mara from the machine. She types the code where she is; only she sees what comes of it.
  const paired = await service.owlpost.pair({ name: "mara", role: "member", channel: "slack" });
  if (!paired.ok || paired.by !== "code") throw new Error(JSON.stringify(paired));
  talk.slash(mara, "pair NOTACODE", ops);
  talk.slash(mara, `pair ${paired.code}`, ops);
  await talk.isTold(mara, "mara", "member");
  await talk.sees(eric, "mara is paired on slack as member", "owlpost pairing revoke");

  // The team talks below the question, and with numbers, too. That is talk.
  talk.types(mara, "hm, what do we think?", inThread);
  talk.types(nils, "I would say 2, but 1 is safer", inThread);
  talk.types(eric, "thanks", { in: ops });
  await talk.settles();
  expect(talk.thread(ops, "Token refresh")).toEqual([
    "hm, what do we think?",
    "I would say 2, but 1 is safer",
  ]);

  // Nils is of the team, and nobody has paired him: he is told so, once.
  talk.taps(nils, "1", "Token refresh", ops);
  await talk.isTold(nils, "does not know", inTeam(nils));
  talk.taps(nils, "2", "Token refresh", ops);
  talk.types(nils, "1", inThread);
  talk.slash(nils, "pending", ops);
  await talk.settles();
  expect(talk.whispers(nils)).toHaveLength(1);
  expect(await talk.state(auth)).toBe("posted");

  // Mara slips, and is told so where she typed it. She mends what she wrote, and that counts.
  const typed = talk.types(mara, "7", inThread);
  await talk.sees(ops, "no option “7”", "1 — Refresh-token rotation", "2 — Extend the TTL to 30 days");
  talk.edits(typed, "2");
  await talk.becomes(auth, "answered");
  await talk.sees(ops, "Token refresh", "✅ Answered: 2 — Extend the TTL to 30 days", "(by mara,");
  expect(talk.buttons(ops, "Token refresh")).toEqual([]);
  expect(talk.thread(ops, "Token refresh").at(-1)).toMatch(/^Answered: 2 — Extend the TTL/);

  // What she changes after that changes nothing: the way to do it is told.
  talk.edits(typed, "1");
  await talk.sees(ops, "editing it changes nothing", `!override ${auth} and the option`);

  // Eric taps the other one on a screen that is older than the answer. He alone is told that he is too late.
  talk.taps(eric, "1", "Token refresh", ops);
  await talk.isTold(eric, "already answered", "2", "mara", `!override ${auth} 1`);
  talk.types(eric, `!override ${auth} 1`, inThread);
  await talk.sees(ops, "✅ Changed to 1 — Refresh-token rotation");

  // The loop takes it. From now on it stays.
  clock.advance(10 * minute);
  await service.owlpost.take({ run: "a3f2", task: "012-fix-auth" });
  await talk.sees(ops, "Token refresh", "▶ Picked up by run a3f2");
  talk.taps(eric, "2", "Token refresh", ops);
  await talk.isTold(eric, "can no longer be changed");

  // Two questions. In the thread of one a verb is enough; in the channel the bot must be spoken to.
  const search = await talk.asks({
    task: "013-search",
    title: "Which index for the search in `src/search`?",
  });
  const cache = await talk.asks({ task: "014-cache", title: "Where does the cache in `src/cache` live?" });
  await talk.sees(ops, "Which index", search);
  await talk.sees(ops, "Where does the cache", cache);
  talk.types(mara, "!skip", { in: ops });
  await talk.settles();
  expect([await talk.state(search), await talk.state(cache)]).toEqual(["posted", "posted"]);
  talk.types(mara, "!skip", { in: ops, thread: "Which index" });
  await talk.becomes(search, "answered");
  await talk.sees(ops, "Which index", "Skipped", "(by mara,");
  talk.types(mara, `@owlpost steer ${cache} keep the public API as it is`, { in: ops });
  await talk.sees(ops, "Noted for the next iteration on 014-cache");
  expect(await talk.state(cache)).toBe("posted");

  // In words, by the form: what is blank is said at its field, and what is taken closes it.
  talk.taps(mara, "Write an answer", "Where does the cache", ops);
  expect(await talk.form(mara)).toContain("Where does the cache");
  talk.submits(mara, " ");
  await talk.settles();
  expect(slack.people.errors(mara)).toEqual([expect.stringContaining("write a few words")]);
  talk.submits(mara, "in memory, as 009 does");
  await talk.becomes(cache, "answered");
  expect((await service.owlpost.question(cache))?.answer).toMatchObject({ text: "in memory, as 009 does" });
  await talk.sees(ops, "Where does the cache", "✅ Answered", "in memory, as 009 does", "(by mara,");
  await talk.isTold(mara, "Answered in words", "014-cache");

  // What is open and what can still wake somebody, asked from anywhere and told to nobody else.
  const copy = await talk.asks({ task: "015-copy", title: "Which words on the button in `src/page`?" });
  await talk.sees(ops, "Which words", copy);
  talk.slash(mara, "pending", ops);
  await talk.isTold(mara, "1 question is open", copy);
  talk.slash(mara, "help", ops);
  await talk.isTold(mara, "!skip");
  talk.types(mara, "!status");
  await talk.sees(mara, "Open: 1", copy, "Answered and not picked up yet: 2");

  // Mara answers in the thread by a keycap, and Eric is slower by a moment with the same: that is no error.
  talk.types(mara, "2️⃣", { in: ops, thread: "Which words" });
  await talk.becomes(copy, "answered");
  talk.taps(eric, "2", "Which words", ops);
  await talk.isTold(eric, /[Aa]lready/, "2");

  // 06:00 comes without an answer to the last one. Until the loop takes the default somebody may still answer, late.
  const logs = await talk.asks({ task: "016-logs", title: "How long do we keep the logs of `src/api`?" });
  await talk.sees(ops, "How long do we keep", logs);
  clock.advance(10 * hour);
  await service.settle();
  await talk.sees(ops, "How long do we keep", "⏰ No answer by 06:00", "You can still answer until then");
  talk.taps(eric, "2", "How long do we keep", ops);
  await talk.becomes(logs, "answered");
  await talk.sees(ops, "How long do we keep", "✅ Answered after the deadline: 2");

  // Nobody saw a sign of trouble, nobody was rung by name, and every move is in the log.
  expect(slack.people.signs).toEqual([]);
  expect(talk.messages(ops).flatMap(({ pings }) => pings)).toEqual(["U0FAKEBOT1"]);
  expect([await talk.count("question.answered"), await talk.count("question.overridden")]).toEqual([5, 1]);
});
