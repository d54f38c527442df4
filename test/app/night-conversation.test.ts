import { expect, test } from "vitest";
import { hour, minute, someRules } from "../builders.ts";
import { eric } from "../telegram/phone.ts";
import { aConversation } from "./conversation.ts";

const blocked = {
  kind: "blocked",
  task: "020-deploy",
  title: "Which cluster does `deploy/prod.yaml` go to?",
  options: [
    { key: "1", label: "The old one", consequence: "Nothing changes", recommended: true },
    { key: "2", label: "The new one", consequence: "Cannot be undone" },
  ],
};

/** The clock begins at 20:45 in Berlin. */
const night = { ...someRules("21:15-08:00"), isolated: true };

test("an evening, a night and a morning, message by message", async () => {
  const talk = await aConversation({}, { night });
  const { api, clock, service } = talk;
  await talk.settles();

  // 20:45. Two questions ring, in full.
  const auth = await talk.asks({ default: { action: "skip_spec", at: "10:00" } });
  const deploy = await talk.asks({ ...blocked, default: { action: "skip_spec", at: "10:30" } });
  await talk.sees(eric, "Token refresh strategy", "1️⃣ Refresh-token rotation", auth);
  await talk.sees(eric, "Which cluster", "1️⃣ The old one", deploy);
  expect(api.messages(eric).map(({ silent }) => silent)).toEqual([false, false]);

  // 21:15. Both change their form where they stand; nothing new comes.
  clock.advance(30 * minute);
  await service.settle();
  await talk.sees(eric, "Token refresh strategy", "Recommended: Refresh");
  expect(talk.message(eric, "Token refresh strategy")?.text).not.toContain("1️⃣");
  await talk.sees(eric, "Which cluster", "held until 08:00");
  expect(api.messages(eric)).toHaveLength(2);

  // A typed option is no answer now, and he is told what is.
  talk.types(eric, "2", { to: "Token refresh strategy" });
  await talk.sees(eric, "At night it takes two answers");
  talk.types(eric, "2", { to: "Which cluster" });
  await talk.sees(eric, "Held until 08:00", "Works now: /skip");
  await talk.settles();
  expect([await talk.state(auth), await talk.state(deploy)]).toEqual(["posted", "posted"]);

  // 21:45. What cannot be undone is held; what can be rings as a consent question.
  clock.advance(30 * minute);
  const before = api.messages(eric).length;
  const drop = await talk.asks({
    ...blocked,
    task: "021-drop",
    title: "Drop the table `sessions_old`?",
    default: { action: "skip_spec", at: "09:00" },
  });
  const early = await talk.asks({
    ...blocked,
    task: "022-early",
    title: "Which region does `deploy/eu.yaml` mean?",
    default: { action: "skip_spec", at: "06:00" },
  });
  const cache = await talk.asks({ task: "014-cache", title: "Where does the cache in `src/cache` live?" });
  await talk.sees(eric, "Where does the cache", "Recommended: Refresh");
  await talk.settles();
  expect(api.messages(eric)).toHaveLength(before + 1);
  expect(talk.message(eric, "Where does the cache")?.silent).toBe(false);
  expect([await talk.state(drop), await talk.state(early)]).toEqual(["pending", "pending"]);

  // A run that ends says so in silence.
  await service.owlpost.notify("run-complete", "3 of 5 specs are done.");
  await talk.sees(eric, "3 of 5 specs");
  expect(talk.message(eric, "3 of 5 specs")?.silent).toBe(true);

  // He goes ahead with one and leaves the other for tomorrow.
  talk.taps(eric, "/go", "Token refresh strategy");
  await talk.becomes(auth, "answered");
  talk.taps(eric, "/skip", "Where does the cache");
  await talk.becomes(cache, "answered");
  expect((await service.owlpost.question(auth))?.answer).toMatchObject({ outcome: "answered", option: "1" });
  expect((await service.owlpost.question(cache))?.answer).toMatchObject({ outcome: "skipped" });

  // 06:00. A held one runs out; it was never shown.
  clock.advance(8 * hour + 15 * minute);
  await talk.settles();
  expect(await talk.state(early)).toBe("expired");
  const night1 = api.messages(eric).length;

  // 08:00. The morning: asked again first, then what was held, then the night in a few words.
  clock.advance(2 * hour);
  await talk.settles();
  const morning = api.messages(eric).slice(night1);
  expect(morning.map(({ silent }) => silent)).toEqual([false, false, false, false]);
  expect(morning[0]?.text).toContain("Where does the cache");
  expect(morning[0]?.text).toContain("1️⃣");
  expect(morning[1]?.text).toContain("Which region");
  expect(morning[2]?.text).toContain("Drop the table");
  expect(morning[3]?.text).toContain("morning report");
  expect(talk.message(eric, "Which cluster")?.text).toContain("1️⃣");
  const open = (await service.owlpost.status()).open;
  expect(open.map(({ question }) => question.again ?? question.id)).toEqual([deploy, drop, cache, early]);

  // The new buttons are live, and everything of the night happened once.
  talk.taps(eric, "2", "Drop the table");
  await talk.becomes(drop, "answered");
  clock.advance(24 * hour);
  await talk.settles();
  expect([await talk.count("night.began"), await talk.count("night.ended")]).toEqual([1, 2]);
  expect(
    (await service.owlpost.events(0, 10_000)).filter(({ data }) => data.again !== undefined),
  ).toHaveLength(2);
});

test("the service is away over the end of the window: the morning is made when it is back", async () => {
  const talk = await aConversation({}, { night });
  const { api, clock } = talk;
  await talk.settles();
  const auth = await talk.asks({ default: { action: "skip_spec", at: "10:00" } });
  clock.advance(30 * minute);
  await talk.service.settle();
  await talk.sees(eric, "Token refresh strategy", "Recommended: Refresh");
  const deploy = await talk.asks({ ...blocked, default: { action: "skip_spec", at: "10:30" } });
  await talk.asks({
    ...blocked,
    task: "022-early",
    title: "Which region does `deploy/eu.yaml` mean?",
    default: { action: "skip_spec", at: "06:00" },
  });
  await talk.sleeps(() => clock.advance(11 * hour));
  await talk.service.settle();
  await talk.sees(eric, "Token refresh strategy", "1️⃣", auth);
  await talk.sees(eric, "Which cluster", "1️⃣", deploy);
  await talk.sees(eric, "Which region", "1️⃣");
  expect(api.messages(eric)).toHaveLength(4);
});
