import { describe, expect, test } from "vitest";
import { hour, minute, someRules } from "../builders.ts";
import { until } from "../homes.ts";
import { anEvening } from "../ntfy/evening.ts";
import { ask, buttonOf, press, reply } from "../ntfy/phone.ts";

const fourOptions = {
  options: [1, 2, 3, 4, 5, 6].map((n) => ({
    key: String(n),
    label: `Way number ${n}`,
    consequence: `It goes the way ${n}`,
    ...(n === 2 ? { recommended: true, reversible: true } : {}),
  })),
};

describe("one question on ntfy", () => {
  test("is posted, tapped, confirmed in its own message, and picked up", async () => {
    const evening = await anEvening();
    const id = await evening.asks();
    const posted = await evening.sees("Token refresh strategy", "1) Refresh-token rotation  ← recommended");
    expect(posted).toMatchObject({ priority: 4, tags: ["owl"] });
    expect(posted.title).toBe(`Token refresh strategy for the auth middleware? [${id}]`);
    expect(posted.actions?.map(({ label }) => label)).toEqual([
      "1 · Refresh-token rotation",
      "2 · Extend the TTL to 30 days",
      "⏭ Skip",
    ]);
    await evening.taps("2");
    await evening.becomes(id, "answered");
    const answered = await evening.sees("✅ Answered: 2 — Extend the TTL to 30 days (by ntfy, 20:45)");
    expect(answered).toMatchObject({ priority: 1, versions: 2 });
    expect(answered.actions).toBeUndefined();
    await evening.service.owlpost.take({ run: "a3f2" });
    expect(await evening.sees("▶ Picked up by run a3f2")).toMatchObject({ priority: 1, versions: 3 });
    expect(evening.phone()).toHaveLength(1);
  });

  test("field 39: taps are idempotent: the same again changes nothing, and another one is told what stands", async () => {
    const evening = await anEvening();
    const id = await evening.asks();
    await evening.sees("Token refresh strategy");
    const [first, , skip] = [..."123"].map((_, at) => evening.phone()[0]?.actions?.[at]);
    if (!first || !skip) throw new Error("no buttons");
    for (let n = 0; n < 3; n += 1) await press(first);
    await evening.becomes(id, "answered");
    await evening.sees("✅ Answered: 1");
    expect(evening.phone()).toHaveLength(1);
    await press(skip);
    const told = await evening.sees(`${id} is already answered: option 1 — Refresh-token rotation by ntfy`);
    expect(told.message).toContain(`on another channel or on the machine: owlpost override ${id} 2`);
    expect(await evening.count("question.answered")).toBe(1);
  });

  test("whoever reads the topic is called by the name that the settings give", async () => {
    const evening = await anEvening({}, {}, { name: "eric" });
    const id = await evening.asks();
    await evening.taps("1");
    await evening.sees("✅ Answered: 1 — Refresh-token rotation (by eric, ");
    const stored = await evening.service.owlpost.question(id);
    expect(stored?.answer).toMatchObject({ by: "eric", via: "ntfy", option: "1" });
  });

  test("answerable_by counts there, too: a member, or the name", async () => {
    const evening = await anEvening({}, {}, { name: "eric" });
    const mine = await evening.asks({ task: "013", answerable_by: ["eric"] });
    await evening.taps("1");
    await evening.becomes(mine, "answered");
    const theirs = await evening.asks({ task: "014", answerable_by: ["owner"] });
    await evening.sees("Task: 014");
    await evening.taps("1");
    await evening.sees(`${theirs} waits for an owner; nobody else can answer it.`);
    expect((await evening.service.owlpost.question(theirs))?.state).toBe("posted");
  });

  test("field 38: more options than buttons: two and More, which brings one button each for the rest", async () => {
    const evening = await anEvening();
    const id = await evening.asks(fourOptions);
    const posted = await evening.sees("6) Way number 6");
    expect(posted.actions?.map(({ label }) => label)).toEqual([
      "1 · Way number 1",
      "2 · Way number 2",
      "⋯ More",
    ]);
    expect(posted.message).toContain("⋯ More brings the buttons of the others.");
    await evening.taps("/more");
    const second = await evening.sees("6) Way number 6\nIt goes the way 6", /^\[q-/);
    const rest = evening.phone().slice(1);
    expect(rest.flatMap(({ actions = [] }) => actions.map(({ label }) => label))).toEqual([
      "3 · Way number 3",
      "4 · Way number 4",
      "5 · Way number 5",
      "6 · Way number 6",
      "⏭ Skip",
    ]);
    expect(second.title).toBe(`⋯ [${id}] Token refresh strategy for the auth middleware?`);
    await evening.taps("6");
    await evening.sees("✅ Answered: 6 — Way number 6");
    await evening.taps("5");
    await evening.sees(`${id} is already answered: option 6`);
  });

  test("a tap whose question nobody knows a message of is told all the same", async () => {
    const evening = await anEvening();
    evening.front.fail("post", "swallow");
    const id = await evening.asks();
    await evening.sees("Token refresh strategy");
    await evening.taps("1");
    await evening.becomes(id, "answered");
    // What waits to be sent again goes first, and is dropped.
    evening.clock.advance(minute);
    await evening.settles();
    await evening.sees(
      "Answered: 1 — Refresh-token rotation; it applies at the next iteration on 012-fix-auth.",
    );
    expect((await evening.service.owlpost.question(id))?.state).toBe("answered");
  });

  test("field 41: what is typed without a token is a hint: told once a minute how to do it right", async () => {
    const evening = await anEvening();
    const id = await evening.asks();
    await evening.sees("Token refresh strategy");
    for (const text of [`${id} 1`, "1", `/skip ${id}`, "/abort a3f2", "hello"]) {
      evening.server.push({ topic: reply, message: text });
    }
    const hint = await evening.sees("Nothing was changed: this channel cannot tell who wrote that.");
    expect(hint.message).toContain("Use the buttons of the question, or answer on another channel.");
    await until(
      () => evening.count("reply.refused"),
      (count) => count === 5,
    );
    await evening.settles();
    expect(evening.phone()).toHaveLength(2);
    expect((await evening.service.owlpost.question(id))?.state).toBe("posted");
    evening.clock.advance(2 * minute);
    evening.server.push({ topic: reply, message: "1" });
    await until(evening.phone, (all) => all.length === 3);
  });

  test("a tap that was made before the deadline counts, however late it is fetched", async () => {
    const evening = await anEvening();
    const id = await evening.asks({ default: { action: "skip_spec", at: "1h" } });
    await evening.sees("Token refresh strategy");
    await evening.sleeps(async () => {
      evening.clock.advance(50 * minute);
      await press(buttonOf(evening.phone(), "1"));
      evening.clock.advance(2 * hour);
    });
    await evening.becomes(id, "answered");
    expect((await evening.service.owlpost.question(id))?.outcome).toBe("answered");
  });

  test("one that was made after it is late", async () => {
    const evening = await anEvening();
    const id = await evening.asks({ default: { action: "skip_spec", at: "1h" } });
    await evening.sees("Token refresh strategy");
    await evening.sleeps(async () => {
      evening.clock.advance(2 * hour);
      await press(buttonOf(evening.phone(), "1"));
    });
    await evening.becomes(id, "answered");
    expect((await evening.service.owlpost.question(id))?.outcome).toBe("overridden");
  });
});

describe("the night on ntfy", () => {
  const night = someRules("22:00-08:00");
  /** From 20:45 to 22:05 in Berlin. */
  const toNight = 80 * minute;
  const long = { default: { action: "skip_spec", at: "20h" } };

  test("what stands takes its night form in place, in silence, and stands in full again in the morning", async () => {
    const evening = await anEvening({}, { night });
    await evening.asks(long);
    await evening.sees("1) Refresh-token rotation");
    evening.clock.advance(toNight);
    await evening.settles();
    const form = await evening.sees("Stuck on: Token refresh strategy");
    expect(form).toMatchObject({ priority: 1, versions: 2 });
    expect(form.actions?.map(({ label }) => label)).toEqual(["👍 Go ahead", "⏭️ Skip it, ask me tomorrow"]);
    evening.clock.advance(10 * hour);
    await evening.settles();
    expect(await evening.sees("1) Refresh-token rotation")).toMatchObject({ priority: 1, versions: 3 });
    expect(evening.phone()).toHaveLength(1);
  });

  test("an older server changes nothing and gets no pile of follow-ups: the old form is refused, with the buttons that count", async () => {
    const evening = await anEvening({ version: "2.11" }, { night });
    const id = await evening.asks(long);
    await evening.sees("1) Refresh-token rotation");
    evening.clock.advance(toNight);
    await evening.settles();
    expect(evening.phone()).toHaveLength(1);
    await evening.taps("2");
    const offer = await evening.sees("At night it takes two answers: press Go ahead, or press Skip");
    expect(offer.actions?.map(({ label }) => label)).toEqual(["👍 Go ahead", "⏭️ Skip it, ask me tomorrow"]);
    await evening.taps("/go");
    await evening.becomes(id, "answered");
    const told = await evening.sees("✅ Answered: 1 — Refresh-token rotation");
    expect(told).toMatchObject({ priority: 1 });
    evening.clock.advance(10 * hour);
    await evening.settles();
    const digest = ({ title = "" }) => title.includes("The morning report");
    expect(evening.phone().filter((message) => !digest(message))).toHaveLength(3);
  });

  test("a held question's old form offers what works now", async () => {
    const evening = await anEvening({ version: "2.11" }, { night });
    const id = await evening.asks({ ...long, kind: "blocked" });
    await evening.sees("1) Refresh-token rotation");
    evening.clock.advance(toNight);
    await evening.settles();
    await evening.taps("1");
    const offer = await evening.sees("Held until 08:00", "Works now: Skip.");
    expect(offer.actions?.map(({ label }) => label)).toEqual(["⏭ Skip"]);
    await evening.taps("/skip");
    await evening.becomes(id, "answered");
  });

  test("a hint to nobody does not ring, and the receipt of a tap may", async () => {
    const evening = await anEvening({}, { night });
    await evening.asks(long);
    evening.clock.advance(toNight);
    await evening.settles();
    evening.server.push({ topic: reply, message: "1" });
    expect(await evening.sees("this channel cannot tell who wrote that")).toMatchObject({ priority: 1 });
  });
});

describe("an older server", () => {
  test("is followed up once for each thing that became of a question", async () => {
    const evening = await anEvening({ version: "2.11" });
    const id = await evening.asks();
    await evening.taps("1");
    const told = await evening.sees(`[${id}] Token refresh strategy`, "✅ Answered: 1");
    expect(told).toMatchObject({ priority: 1 });
    await evening.service.owlpost.take({ run: "a3f2" });
    await evening.sees("▶ Picked up by run a3f2");
    await evening.settles();
    expect(evening.phone()).toHaveLength(3);
    expect(evening.front.of("edit")).toEqual([]);
  });

  test("a post whose answer was lost is looked for before it is posted again", async () => {
    const evening = await anEvening({ version: "2.11" });
    evening.front.fail("post", "swallow");
    await evening.asks();
    await evening.sees("Token refresh strategy");
    await until(
      async () => {
        // Its rest begins when the loss is noted, which may be after the phone has it.
        evening.clock.advance(minute);
        await evening.settles();
        return evening.count("question.posted");
      },
      (count) => count === 1,
    );
    expect(evening.phone()).toHaveLength(1);
    expect(evening.front.of("post")).toHaveLength(1);
    expect(evening.server.kept(ask)).toHaveLength(1);
  });
});
