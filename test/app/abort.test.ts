import { describe, expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { eric, group, mara } from "../telegram/phone.ts";
import { aConversation, type Conversation } from "./conversation.ts";

const stranger = 5550100099;

async function pairs(talk: Conversation, who: number, name: string, role: string): Promise<void> {
  const paired = await talk.service.owlpost.pair({ name, role, channel: "telegram" });
  if (!paired.ok || paired.by !== "code") throw new Error(JSON.stringify(paired));
  talk.types(who, `/start ${paired.code}`);
  await talk.sees(who, name);
}

test("an owner types /abort with the run's id: its questions close, its loop learns of it once, and nothing rings", async () => {
  const talk = await aConversation();
  const { clock, service } = talk;
  const auth = await talk.asks();
  const search = await talk.asks({
    task: "013-search",
    title: "Which index for the search in `src/search`?",
  });
  const other = await talk.asks({ run: "b7d0", task: "014-cache", title: "Where does `src/cache` live?" });
  await talk.sees(eric, "Where does");

  talk.types(eric, "/abort a3f2");
  await talk.sees(eric, "Recorded: run a3f2 is to stop", `Cancelled: ${auth}, ${search}.`);
  await talk.sees(eric, "Token refresh strategy", /🚫 Cancelled: run a3f2 was stopped by Eric/);
  await talk.sees(eric, "Which index", /🚫 Cancelled: run a3f2 was stopped by Eric/);
  await talk.settles();
  expect([await talk.state(auth), await talk.state(search), await talk.state(other)]).toEqual([
    "cancelled",
    "cancelled",
    "posted",
  ]);

  // A button that was still under the thumb changes nothing, and says why.
  talk.types(eric, "1", { to: "Token refresh strategy" });
  await talk.sees(eric, `${auth} was cancelled: run a3f2 was stopped by Eric`);

  // He is not sure that it went out.
  talk.types(eric, "/abort a3f2");
  await talk.sees(eric, "Already recorded: run a3f2 was stopped by Eric", "its loop has not come by yet");
  talk.types(eric, "/status");
  await talk.sees(eric, "To stop, and the loop has not confirmed it yet: a3f2");

  // The agent has not stopped yet and asks again: stored, cancelled, and quiet.
  const before = talk.texts(eric).length;
  const late = await service.owlpost.ask({
    document: {
      ...{ kind: "decide", task: "015-late", run: "a3f2", title: "Shall `src/late` go on?" },
      context: "`src/late` is next.",
      options: [
        { key: "1", label: "Go on", consequence: "it goes on", recommended: true },
        { key: "2", label: "Stop", consequence: "it stops" },
      ],
      default: { action: "skip_spec", at: "06:00" },
    },
  });
  expect(late).toMatchObject({
    ok: true,
    state: "cancelled",
    channels: [],
    why: expect.stringContaining("stopped by Eric"),
  });
  await talk.settles();
  expect(talk.texts(eric)).toHaveLength(before);

  // The loop's next stop. It dies before it confirms, so the next one is told as well; then never again.
  const first = await service.owlpost.take({ run: "a3f2", claim: "one" });
  expect(first).toMatchObject({ taken: [], aborts: [{ run: "a3f2", via: "telegram", claim: "one" }] });
  expect(first.aborts[0]?.by).toMatch(/^Eric/);
  expect((await service.owlpost.take({ claim: "two" })).aborts).toEqual([]);
  expect(await service.owlpost.take({ claim: "one" })).toEqual(first);
  clock.advance(11 * minute);
  expect(await service.owlpost.take({ task: "012-fix-auth", claim: "three" })).toMatchObject({
    aborts: [{ run: "a3f2", claim: "three" }],
  });
  expect(await service.owlpost.confirm("one")).toEqual([]);
  expect(await service.owlpost.confirm("three")).toEqual(["a3f2"]);
  expect((await service.owlpost.take({ claim: "four" })).aborts).toEqual([]);
  expect(await talk.count("run.aborted")).toBe(1);
  expect(await talk.count("run.abort-taken")).toBe(2);
  expect(await talk.count("run.abort-confirmed")).toBe(1);

  // Another loop under the same id asks as ever.
  const anew = await talk.asks({ task: "016-new", title: "Does `src/new` start again?" });
  await talk.sees(eric, "Does", anew);
});

describe("field 66: fail closed for destructive verbs", () => {
  test("nothing but the run's id, typed by an owner, stops a run", async () => {
    const talk = await aConversation();
    const { api, service } = talk;
    api.addPerson(stranger, "eric");
    const id = await talk.asks();
    await talk.sees(eric, "Token refresh strategy");
    await pairs(talk, mara, "mara", "member");

    talk.types(eric, "/abort");
    await talk.sees(eric, "the run's id is missing", "/abort and the run's id");
    talk.types(eric, "/abort", { to: "Token refresh strategy" });
    talk.types(eric, `/abort ${id}`);
    await talk.sees(eric, "no run “q-a3f2-012-fix-auth-1” is alive");
    talk.types(eric, "/abort b7d0");
    await talk.sees(eric, "Nothing was stopped: no run “b7d0” is alive. Alive: a3f2.");
    talk.types(eric, "/abort a3f2 please");
    await talk.sees(eric, "“a3f2 please” is more than /abort takes");
    talk.types(eric, "abort a3f2");
    talk.types(mara, "/abort a3f2");
    await talk.sees(mara, "Nothing was stopped: that is for owners.");
    talk.types(stranger, "/abort a3f2");
    await talk.settles();
    expect(talk.texts(stranger)).toEqual([]);
    expect([await talk.state(id), await talk.count("run.aborted")]).toEqual(["posted", 0]);
    expect((await service.owlpost.take({ run: "a3f2" })).aborts).toEqual([]);
  });

  test("in a group only where the bot is named, or in a question's thread", async () => {
    const talk = await aConversation({ chat: group });
    const id = await talk.asks();
    await talk.sees(group, "Token refresh strategy");
    talk.types(eric, "/abort a3f2", { in: group });
    await talk.settles();
    expect([await talk.state(id), await talk.count("run.aborted")]).toEqual(["posted", 0]);
    talk.types(eric, "/abort@owlpost_nightjar_bot A3F2", { in: group });
    await talk.sees(group, "Recorded: run a3f2 is to stop");
    expect(await talk.state(id)).toBe("cancelled");
  });

  test("an edit of an order that counted changes nothing; an edit of one that did not is a new one", async () => {
    const talk = await aConversation();
    await talk.asks();
    await talk.asks({ run: "b7d0", task: "014-cache", title: "Where does `src/cache` live?" });
    await talk.sees(eric, "Where does");
    const typed = talk.types(eric, "/abort a3f3");
    await talk.sees(eric, "no run “a3f3” is alive");
    talk.types(eric, "/abort a3f2", { edit: typed });
    await talk.sees(eric, "Recorded: run a3f2 is to stop");
    talk.types(eric, "/abort b7d0", { edit: typed });
    await talk.sees(eric, "What was sent first stands");
    expect((await talk.service.owlpost.status()).aborts.map(({ run }) => run)).toEqual(["a3f2"]);
  });

  test("a run that asked nothing for a day is not alive", async () => {
    const talk = await aConversation();
    await talk.asks();
    await talk.sees(eric, "Token refresh strategy");
    talk.clock.advance(25 * hour);
    talk.types(eric, "/abort a3f2");
    await talk.sees(eric, "Nothing was stopped: no run is alive.");
    expect(await talk.count("run.aborted")).toBe(0);
  });
});

test("at night exactly the same: the run's id, always, and every open question of it closes", async () => {
  const hours = { window: "00:00-24:00", zone: "Europe/Berlin", startMs: 0, endMs: 24 * hour };
  const talk = await aConversation({}, { night: { hours, isolated: true, autoDefault: false } });
  const safe = await talk.asks();
  const held = await talk.asks({
    kind: "blocked",
    task: "013-search",
    title: "Which index in `src/search`?",
  });
  talk.types(eric, "/abort");
  await talk.sees(eric, "the run's id is missing");
  expect(await talk.count("run.aborted")).toBe(0);
  talk.types(eric, "/abort a3f2");
  await talk.sees(eric, "Recorded: run a3f2 is to stop", safe, held);
  expect([await talk.state(safe), await talk.state(held)]).toEqual(["cancelled", "cancelled"]);
});

test("/help names /abort to owners alone", async () => {
  const talk = await aConversation();
  await pairs(talk, mara, "mara", "member");
  talk.types(eric, "/help");
  await talk.sees(eric, "/abort a3f2 — stop that run");
  talk.types(mara, "/help");
  const help = await talk.sees(mara, "/override");
  expect(help).not.toContain("abort");
});
