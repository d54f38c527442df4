import { describe, expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { until } from "../homes.ts";
import { anEvening, type Evening } from "../ntfy/evening.ts";
import { ask, buttonOf, press, reply } from "../ntfy/phone.ts";

const long = { default: { action: "skip_spec", at: "20h" } };

/** Time goes by until that is so; whatever comes due is done. */
async function goesOn(
  evening: Evening,
  holds: () => boolean | Promise<boolean>,
  step = minute,
): Promise<void> {
  await until(
    async () => {
      await evening.settles();
      evening.clock.advance(step);
      return holds();
    },
    (is) => is,
  );
}

describe("when the line fails", () => {
  test.each(["reset", "swallow", "broken", "busy", "empty"] as const)(
    "a post that fails (%s) stands there once in the end, and rings once",
    async (how) => {
      const evening = await anEvening();
      evening.front.fail("post", how, 2);
      const id = await evening.asks(long);
      await goesOn(evening, async () => (await evening.service.owlpost.question(id))?.state === "posted");
      expect(evening.phone()).toHaveLength(1);
      expect(evening.server.kept(ask).filter(({ priority }) => priority === 4)).toHaveLength(1);
      await evening.taps("1");
      await evening.becomes(id, "answered");
    },
  );

  test.each(["reset", "swallow", "broken", "busy"] as const)(
    "an edit that fails (%s) is made in the end, and nothing follows up",
    async (how) => {
      const evening = await anEvening();
      const id = await evening.asks(long);
      await evening.sees("Token refresh strategy");
      evening.front.fail("edit", how, 2);
      await evening.taps("1");
      await evening.becomes(id, "answered");
      await goesOn(evening, () => evening.texts()[0]?.includes("✅ Answered: 1") === true);
      expect(evening.phone()).toHaveLength(1);
    },
  );

  test("field 40: a storm of refusals is met with a few calls, and the question goes out when it is over", async () => {
    const evening = await anEvening();
    await evening.settles();
    evening.server.limit(0);
    const id = await evening.asks(long);
    await until(
      () => evening.service.store.nextJobAt(),
      (at) => at !== undefined && at >= evening.clock.now() + 10_000,
    );
    // Ten minutes, looked at every second.
    for (let n = 0; n < 60; n += 1) {
      evening.clock.advance(10_000);
      await evening.settles();
    }
    expect(evening.front.calls.filter(({ kind }) => kind === "post" || kind === "look").length).toBeLessThan(
      30,
    );
    evening.server.unlimit();
    await goesOn(
      evening,
      async () => (await evening.service.owlpost.question(id))?.state === "posted",
      5 * minute,
    );
    expect(evening.phone()).toHaveLength(1);
  });

  test("field 40: before the day's messages are used up the owner is told, once", async () => {
    const evening = await anEvening({ messagesPerDay: 25 });
    for (let n = 0; n < 6; n += 1)
      await evening.asks({ ...long, task: `task-${n}`, title: `What about \`a${n}.ts\`?` });
    const notice = await evening.sees(/^ntfy: \d+ of today's 25 messages are left\./);
    expect(notice.title).toBe("🦉 A channel wants a look");
    await evening.settles();
    expect(evening.texts().filter((text) => text.includes("messages are left"))).toHaveLength(1);
    expect(await evening.count("notice.queued")).toBe(1);
  });

  test("where they are used up nothing is lost: taps come in, and the rest goes out when the server counts anew", async () => {
    const evening = await anEvening({ messagesPerDay: 2 });
    const first = await evening.asks(long);
    await evening.sees("Token refresh strategy");
    const button = buttonOf(evening.phone(), "1");
    await press(button);
    await evening.becomes(first, "answered");
    expect((await evening.service.owlpost.question(first))?.answer?.option).toBe("1");
    const downs = await until(
      async () =>
        (await evening.service.owlpost.events(0, 1_000)).filter(({ kind }) => kind === "channel.down"),
      (events) => events.length > 0,
    );
    expect(downs[0]?.data.detail).toContain("the messages of today are used up");
    expect(await evening.count("question.post-failed")).toBe(0);
  });

  test("after a night without a line every tap of it is taken in, at the time at which it was made", async () => {
    const evening = await anEvening();
    const first = await evening.asks({ ...long, task: "013" });
    const second = await evening.asks({ ...long, task: "014", title: "And `b.ts`?" });
    await evening.sees("And `b.ts`?");
    const at = evening.clock.now() + hour;
    await evening.sleeps(async () => {
      evening.clock.advance(hour);
      await press(buttonOf(evening.phone().slice(0, 1), "2"));
      evening.clock.advance(7 * hour);
    });
    await evening.becomes(first, "answered");
    expect((await evening.service.owlpost.question(first))?.answer?.at).toBe(at);
    // The server keeps taps for longer than that, so nobody is asked to tap again.
    expect(evening.texts().join()).not.toContain("I was away");
    expect((await evening.service.owlpost.question(second))?.state).toBe("posted");
  });

  test("after one that was longer than the server keeps them, whoever tapped is asked to tap again", async () => {
    const evening = await anEvening();
    const id = await evening.asks(long);
    await evening.sees("Token refresh strategy");
    await evening.sleeps(async () => {
      evening.clock.advance(hour);
      await press(buttonOf(evening.phone(), "2"));
      evening.clock.advance(14 * hour);
      expect(evening.server.kept(reply)).toEqual([]);
    });
    await evening.sees("I was away from 20:45 to 11:45 — if you tapped, tap again.");
    await evening.taps("2");
    await evening.becomes(id, "answered");
  });

  test("where the server can change no message, one notice names all that is open", async () => {
    const evening = await anEvening({ version: "2.11" });
    const ids = [await evening.asks({ ...long, task: "013" }), await evening.asks({ ...long, task: "014" })];
    for (const id of ids) await evening.sees(`[${id}]`);
    await evening.sleeps(() => evening.clock.advance(14 * hour));
    await evening.sees("From 20:45 to 10:45 nobody listened here", ...ids);
    await evening.settles();
    // Its cache holds nothing older any more.
    expect(evening.texts()).toHaveLength(1);
  });

  test("where nobody knows whether it can, the message itself is followed up", async () => {
    const evening = await anEvening({ version: "2.11" });
    const id = await evening.asks(long);
    await evening.sees("Token refresh strategy");
    evening.front.fail("probe", "broken", 1);
    await evening.sleeps(() => evening.clock.advance(14 * hour));
    await evening.sees(`[${id}]`, "I was away from 20:45 to 10:45 — if you tapped, tap again.");
    await evening.settles();
    expect(evening.texts()).toHaveLength(1);
  });

  test("a stream that stalls is made anew, and what was tapped meanwhile is taken in", async () => {
    const evening = await anEvening({}, {}, {}, { callMs: 800, shortMs: 0 });
    const id = await evening.asks(long);
    await evening.sees("Token refresh strategy");
    evening.front.fail("poll", "hang", 1);
    await until(evening.front.isPolled, (is) => is);
    evening.front.cut();
    await evening.taps("1");
    await evening.becomes(id, "answered");
  });
});
