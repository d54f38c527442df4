import { describe, expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { bot, eric, issue, mara, repository, stranger } from "../github/desk.ts";
import { secondary, tooMany } from "../github/server.ts";
import { aTalk } from "../github/talk.ts";
import { until } from "../homes.ts";

const link = (id: number, login: string): string =>
  `[↪ ${login}](https://github.test/${repository}/issues/${issue}#issuecomment-${id})\n\n`;

describe("an evening in the comments", () => {
  test("asked, talked about, answered in reply to it, picked up; each step shows, and nobody is called", async () => {
    const talk = await aTalk();
    const id = await talk.asks();
    const asked = await talk.sees(`[${id}]`, `Comment: ${id} 1 (or 2)`, `/skip ${id}`);
    expect(asked).toMatch(/^🦉 \*\*owlpost needs a decision\*\*/);
    talk.says(mara.login, "what do we think? 1 or 2?");
    talk.says(eric.login, "2");
    talk.says(eric.login, "/skip");
    await talk.hears();
    expect(talk.texts()).toHaveLength(1);
    const said = talk.says(
      eric.login,
      `> 🦉 **owlpost needs a decision** [${id}]\n> Task: 012\n\n2\n\nTrivial is fine.`,
    );
    await talk.becomes(id, "answered");
    await talk.sees(`${link(said, eric.login)}Answered: 2`);
    expect(talk.texts()[0]).toContain("✅ Answered: 2 — Extend the TTL to 30 days (by eric-gh (583231)");
    expect(talk.texts()).toHaveLength(2);
    await talk.service.owlpost.take({ claim: "c1" });
    await talk.service.settle();
    await talk.sees("▶ Picked up");
    expect(talk.ours().flatMap(({ body }) => body.match(/@[\w-]+/g) ?? [])).toEqual([]);
  });

  test("a paired person is called by their name, and may change the answer by its id", async () => {
    const talk = await aTalk({ allow: [] });
    const paired = await talk.service.owlpost.pair({
      name: "mara",
      role: "member",
      channel: "github",
      address: mara.login,
    });
    expect(paired).toMatchObject({ ok: true, by: "login" });
    const id = await talk.asks();
    await talk.sees(`[${id}]`);
    const first = talk.says(mara.login, `${id} 1`);
    await talk.becomes(id, "answered");
    await talk.sees(`${link(first, mara.login)}Answered: 1`);
    await talk.sees(`[${id}]`, "(by mara, ");
    const second = talk.says(mara.login, `/override ${id} 2`);
    await talk.sees(link(second, mara.login));
    await talk.sees(`[${id}]`, "Extend the TTL to 30 days");
    expect((await talk.service.owlpost.question(id))?.answer).toMatchObject({ option: "2", by: "mara" });
  });

  test("several answers in one comment, words of one's own, and what is wrong with a third", async () => {
    const talk = await aTalk();
    const one = await talk.asks();
    const two = await talk.asks({ task: "013-cache" });
    await talk.sees(`[${two}]`);
    talk.says(eric.login, `${one} 1\n/answer ${two} neither:\n- keep it as it is`);
    await talk.becomes(one, "answered");
    await talk.becomes(two, "answered");
    expect((await talk.service.owlpost.question(two))?.answer?.text).toBe("neither:\n- keep it as it is");
    const wrong = talk.says(eric.login, `/skip q-a3f2-nothing-9`);
    await talk.sees(link(wrong, eric.login), "there is no question q-a3f2-nothing-9");
    expect(await talk.events("question.answered")).toHaveLength(2);
  });

  test("what is said to the bot and is no answer gets a line that works here; help is asked for by a mention", async () => {
    const talk = await aTalk();
    const id = await talk.asks();
    await talk.sees(`[${id}]`);
    talk.says(eric.login, `@${bot.login} hm, let me think`);
    const line = /Send: (\S+ 1)/.exec(await talk.sees("Nothing was recorded"))?.[1] ?? "";
    const help = talk.says(eric.login, `@${bot.login} help`);
    await talk.sees(link(help, eric.login), "Name the question, in one line:");
    talk.says(eric.login, line);
    await talk.becomes(id, "answered");
  });

  test("a refused answer that its author mends counts; an accepted one that is changed is told how", async () => {
    const talk = await aTalk();
    const id = await talk.asks();
    await talk.sees(`[${id}]`);
    const said = talk.says(eric.login, `${id} 7`);
    await talk.sees(link(said, eric.login), "7");
    talk.clock.advance(2_000);
    talk.api.edit(said, `${id} 2`);
    await talk.becomes(id, "answered");
    talk.clock.advance(2_000);
    talk.api.edit(said, `${id} 1`);
    await talk.sees(link(said, eric.login), "What was sent first stands", `/override ${id}`);
    expect((await talk.service.owlpost.question(id))?.answer?.option).toBe("2");
  });

  test.each([
    ["9", "2"],
    ["1", "9"],
  ])(
    "of two answers in one comment (%s and %s) the refused one may be mended beside the other",
    async (one, other) => {
      const talk = await aTalk();
      const first = await talk.asks({ task: "one", title: "What about one?" });
      const second = await talk.asks({ task: "two", title: "What about two?" });
      await talk.sees(`[${second}]`);
      talk.clock.advance(minute);
      const said = talk.says(eric.login, `${first} ${one}\n${second} ${other}`);
      await talk.hears();
      talk.clock.advance(minute);
      talk.api.edit(said, `${first} 1\n${second} 2`);
      await talk.becomes(first, "answered");
      await talk.becomes(second, "answered");
      await talk.sees(link(said, eric.login), "has no option “9”");
      await talk.sees(link(said, eric.login), "What was sent first stands");
    },
  );

  test("a comment from before the deadline counts, however late it is read", async () => {
    const talk = await aTalk();
    const id = await talk.asks({ default: { action: "skip_spec", at: "2h" } });
    await talk.sees(`[${id}]`);
    await talk.restarts(() => {
      talk.clock.advance(hour);
      talk.says(eric.login, `${id} 2`);
      talk.clock.advance(4 * hour);
    });
    await talk.becomes(id, "answered");
    expect((await talk.service.owlpost.question(id))?.answer).toMatchObject({
      outcome: "answered",
      option: "2",
    });
  });
});

describe("who may speak", () => {
  test("field 73: a stranger's comment steers nothing and gets no answer, in public too", async () => {
    const talk = await aTalk({ public: true });
    talk.api.repository(repository).private = false;
    const id = await talk.asks();
    await talk.sees(`[${id}]`);
    for (const text of [
      `${id} 2`,
      `/skip ${id}`,
      `@${bot.login} /abort a3f2`,
      `/steer ${id} delete everything`,
    ]) {
      talk.says(stranger.login, text);
      talk.says(mara.login, text);
    }
    await talk.hears();
    expect((await talk.service.owlpost.question(id))?.state).toBe("posted");
    expect(talk.texts()).toHaveLength(1);
    const refused = await talk.events("reply.refused");
    expect(refused.map(({ data }) => data.reason)).toEqual(Array(8).fill("unknown-sender"));
    expect((await talk.service.store.notes(0, 10)).length).toBe(0);
  });

  test("field 72: owlpost never answers itself, although its account may", async () => {
    const talk = await aTalk({ allow: [eric.id, bot.id] });
    const id = await talk.asks();
    const other = await talk.asks({ task: "013-cache", title: `${id} 2` });
    await talk.sees(`[${other}]`);
    const said = talk.says(eric.login, `@${bot.login} 1`);
    await talk.sees(link(said, eric.login), "2 questions are open", `Send: ${id} 1`, `Send: ${other} 1`);
    await talk.hears();
    expect(talk.texts()).toHaveLength(3);
    expect(await talk.events("question.answered")).toEqual([]);
    // Whoever types under that account is somebody all the same.
    talk.says(bot.login, `${id} 2`);
    await talk.becomes(id, "answered");
  });
});

describe("when GitHub is out of order", () => {
  test("eight hours without a line: nothing is lost and nothing stands twice", async () => {
    const talk = await aTalk();
    const before = await talk.asks();
    await talk.sees(`[${before}]`);
    for (const on of ["list", "post", "edit", "repository", "user", "comment"] as const) {
      talk.api.fail({ on, how: "reset", times: 1_000_000 });
    }
    const meanwhile = await talk.asks({ task: "013-cache" });
    await talk.service.owlpost.notify("stalled", "No progress for an hour.");
    const said = talk.says(eric.login, `${before} 2`);
    await talk.passes(16, 30 * minute);
    expect((await talk.health())?.up).toBe(false);
    expect(talk.ours()).toHaveLength(1);
    talk.api.heal();
    await talk.becomes(before, "answered");
    await talk.passes(3, 5 * minute);
    await talk.becomes(meanwhile, "posted");
    await talk.sees(link(said, eric.login));
    await talk.hears();
    const texts = talk.texts();
    expect(texts.filter((text) => text.includes("No progress for an hour."))).toHaveLength(1);
    expect(texts.filter((text) => text.includes(`Task: 013-cache`))).toHaveLength(1);
    expect(texts).toHaveLength(4);
    expect((await talk.health())?.up).toBe(true);
  });

  test("a storm of limits, stalls and lost replies: every message once, in order", async () => {
    const talk = await aTalk();
    const faults = [
      tooMany(2),
      "swallow",
      secondary(60),
      "reset",
      { page: 502 },
      "hang",
      "swallow",
      tooMany(1),
    ] as const;
    for (const how of faults) talk.api.fail({ on: "post", how, times: 1 });
    for (const how of ["swallow", tooMany(1)] as const) talk.api.fail({ on: "edit", how, times: 1 });
    const ids = [];
    for (const task of ["001-a", "002-b", "003-c", "004-d"]) ids.push(await talk.asks({ task }));
    await until(
      async () => {
        await talk.passes(1, 2 * minute);
        return talk.ours().length;
      },
      (count) => count === 4,
    );
    for (const id of ids) await talk.becomes(id, "posted");
    talk.says(eric.login, ids.map((id) => `${id} 1`).join("\n"));
    for (const id of ids) await talk.becomes(id, "answered");
    await until(
      async () => {
        await talk.passes(1, 2 * minute);
        return talk.texts().filter((text) => text.includes("✅ Answered: 1")).length;
      },
      (count) => count >= 4,
    );
    await talk.passes(2, minute);
    const heads = talk
      .texts()
      .slice(0, 4)
      .map((text) => /\[(q-[^\]\\]+)/.exec(text)?.[1]);
    expect(heads).toEqual(ids);
    expect(talk.ours()).toHaveLength(8);
  }, 30_000);

  test("a question whose post was lost is found by its answer, and shows it", async () => {
    const talk = await aTalk();
    talk.api.fail({ on: "post", how: "swallow", times: 1 });
    const id = await talk.asks();
    await talk.sees(`[${id}]`);
    talk.says(eric.login, `${id} 2`);
    await talk.becomes(id, "answered");
    await talk.passes(3, minute);
    await talk.sees(`[${id}]`, "✅ Answered: 2");
    expect(talk.texts().filter((text) => text.includes(`[${id}]`))).toHaveLength(1);
  });

  test("a comment that was deleted is written anew while it waits, and followed up once it is decided", async () => {
    const talk = await aTalk();
    const id = await talk.asks();
    await talk.sees(`[${id}]`);
    talk.api.forget(talk.ours()[0]?.id ?? 0);
    await talk.service.owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    await talk.service.settle();
    await talk.sees("✅ Answered: 1");
    expect(talk.ours()).toHaveLength(1);
  });
});

describe("a place that takes no comments", () => {
  test.each([
    ["public", (is: boolean) => ({ private: !is }), "is public"],
    ["archived", (is: boolean) => ({ archived: is }), "is archived"],
  ] as const)(
    "%s: nothing is written, it is told, and mended it goes on by itself",
    async (_name, change, words) => {
      const talk = await aTalk();
      const there = talk.api.repository(repository);
      Object.assign(there, change(true));
      const id = await talk.asks();
      await until(talk.health, (health) => health?.up === false);
      expect((await talk.health())?.detail).toContain(words);
      expect(talk.ours()).toHaveLength(0);
      expect((await talk.service.owlpost.question(id))?.state).toBe("pending");
      Object.assign(there, change(false));
      await talk.becomes(id, "posted");
      expect(talk.ours()).toHaveLength(1);
      await until(talk.health, (health) => health?.up === true);
    },
  );

  test("locked: the answer that stands elsewhere is shown once it is unlocked", async () => {
    const talk = await aTalk();
    const there = talk.api.issue(repository, issue);
    talk.api.repository(repository).rights.set(bot.login, "triage");
    there.locked = true;
    const id = await talk.asks();
    await until(talk.health, (health) => health?.detail?.includes("locked") === true);
    there.locked = false;
    await talk.becomes(id, "posted");
  });
});
