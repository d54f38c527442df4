import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startLastWords } from "../../src/app/last-word.ts";
import { silentLog } from "../../src/app/log.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { lastWordText } from "../../src/core/last-word.ts";
import type { NightRules } from "../../src/core/night.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, evening, hour, minute, someRules } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";
import { aLine, aMessage, aNtfy, ask, never, shownOn } from "../ntfy/phone.ts";
import type { NtfyOptions } from "../ntfy/server.ts";

/** A store with one open question, an ntfy server, and what looks after the last word, by hand. */
async function aLife(options: NtfyOptions = {}, night?: NightRules) {
  const ntfy = await aNtfy(options);
  const { clock, server, front } = ntfy;
  const home = aHome();
  const store = await openStore(join(home, "owlpost.db"));
  afterwards(() => store.close());
  const owlpost = await openOwlpost({ home, config: aConfig(), store, now: clock.now });
  const asked = await owlpost.ask({ document: aDocument({ default: { action: "skip_spec", at: "2d" } }) });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  const { id } = asked;
  const live = async () => {
    const channel = await aLine(ntfy);
    const words = startLastWords({
      store,
      channels: new Map([["ntfy", channel]]),
      log: silentLog,
      now: clock.now,
      zone: "Europe/Berlin",
      night,
      lookMs: hour,
    });
    afterwards(() => words.close());
    return words;
  };
  return {
    ...ntfy,
    store,
    live,
    id,
    skip: () => owlpost.decide({ verb: "skip", question: id }, "cli"),
    waiting: () => server.scheduled(ask),
    said: () => shownOn(server.kept(ask)),
    sets: () => front.of("last-word").length,
  };
}

describe("the last word", () => {
  test("waits at the server while a question is open, and is pushed forward every five minutes", async () => {
    const life = await aLife();
    const words = await life.live();
    const from = Math.floor(life.clock.now() / 1_000);
    await words.look();
    expect(life.waiting()).toMatchObject([
      {
        time: from + 15 * 60,
        title: "🦉 owlpost has not been heard from",
        message: expect.stringMatching(
          /^Not heard from since 20:45: owlpost on \S+ does not run, or has no line\. 1 question is open\.\nWhat is pressed here meanwhile is kept for 12 h, and counts when it runs again\.\nOn the machine: owlpost serve\.$/,
        ),
      },
    ]);
    for (let n = 0; n < 10; n += 1) {
      life.clock.advance(minute);
      await words.look();
    }
    expect(life.sets()).toBe(3);
    expect(life.waiting()).toHaveLength(1);
    expect(life.waiting()[0]?.time).toBe(from + 25 * 60);
    life.clock.advance(14 * minute);
    life.server.age();
    expect(life.said()).toEqual([]);
  });

  test("is said once when nobody pushes it forward any more", async () => {
    const life = await aLife();
    const words = await life.live();
    await words.look();
    life.clock.advance(16 * minute);
    life.server.age();
    expect(life.said()).toHaveLength(1);
    expect(life.said()[0]?.priority).toBeUndefined();
    life.clock.advance(5 * hour);
    life.server.age();
    expect(life.said()).toHaveLength(1);
  });

  test("a clean stop takes it back", async () => {
    const life = await aLife();
    const words = await life.live();
    await words.look();
    await words.close();
    expect(life.waiting()).toEqual([]);
    life.clock.advance(hour);
    life.server.age();
    expect(life.said()).toEqual([]);
  });

  test("a service that comes back takes away what was said, and sets a new one", async () => {
    const life = await aLife();
    await (await life.live()).look();
    life.clock.advance(20 * minute);
    life.server.age();
    expect(life.said()).toHaveLength(1);
    const words = await life.live();
    await words.look();
    expect([life.said(), life.waiting().length]).toEqual([[], 1]);
  });

  test("so does one whose line was lost for longer", async () => {
    const life = await aLife();
    const words = await life.live();
    await words.look();
    life.front.fail("last-word", "broken", 100);
    life.front.fail("take-back", "broken", 100);
    for (let n = 0; n < 16; n += 1) {
      life.clock.advance(minute);
      await words.look();
    }
    life.server.age();
    expect(life.said()).toHaveLength(1);
    life.front.heal();
    life.clock.advance(5 * minute);
    await words.look();
    expect([life.said(), life.waiting().length]).toEqual([[], 1]);
  });

  test("it goes with the last open question", async () => {
    const life = await aLife();
    const words = await life.live();
    await words.look();
    await life.skip();
    await words.look();
    expect(life.waiting()).toEqual([]);
    await words.look();
    expect(life.front.of("take-back")).toHaveLength(2);
    expect(life.sets()).toBe(1);
  });

  test("in quiet hours it is said in silence, and by day aloud", async () => {
    // 20:45 in Berlin.
    const life = await aLife({}, someRules("21:00-08:00"));
    const words = await life.live();
    await words.look();
    expect(life.waiting()[0]?.priority).toBe(1);
    const other = await aLife({}, someRules("22:00-08:00"));
    await (await other.live()).look();
    expect(other.waiting()[0]?.priority).toBeUndefined();
  });

  test("where a day has few messages it is pushed forward twice an hour only", async () => {
    const life = await aLife({ messagesPerDay: 250 });
    const channel = await aLine(life, {}, { waitMs: 10 });
    await channel.post("default", aMessage(), "k1", never);
    await until(
      async () => {
        await channel.poll?.(undefined, never);
        return channel.lastWord?.pace(never);
      },
      (pace) => pace?.everyMs === 30 * minute,
    );
    expect((await channel.lastWord?.pace(never))?.aheadMs).toBe(75 * minute);
  });

  test("an older server has none, and gets none", async () => {
    const life = await aLife({ version: "2.11" });
    const words = await life.live();
    for (let n = 0; n < 3; n += 1) {
      life.clock.advance(6 * minute);
      await words.look();
    }
    await words.close();
    expect([life.sets(), life.waiting().length, life.front.of("probe").length]).toEqual([0, 0, 1]);
  });

  test("a setting whose answer was lost is taken back all the same", async () => {
    const life = await aLife();
    const words = await life.live();
    life.front.fail("last-word", "swallow");
    await words.look();
    expect(life.waiting()).toHaveLength(1);
    await words.close();
    expect(life.waiting()).toEqual([]);
  });

  test("one that fails is left alone for a while", async () => {
    const life = await aLife();
    const words = await life.live();
    life.front.fail("take-back", "broken", 100);
    for (let n = 0; n < 10; n += 1) {
      await words.look();
      life.clock.advance(30_000);
    }
    expect(life.front.of("take-back").length).toBeLessThanOrEqual(1);
  });
});

test("what it says depends on how long presses are kept", () => {
  const facts = { host: "owl", now: evening, zone: "Europe/Berlin", open: 2 };
  expect(lastWordText({ ...facts, pressMs: "unlimited" })).toContain(
    "2 questions are open.\nWhat is pressed here meanwhile is kept, and",
  );
  expect(lastWordText({ ...facts, pressMs: 150_000 })).toContain("meanwhile is lost.");
});
