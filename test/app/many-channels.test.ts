import { describe, expect, test } from "vitest";
import { rowOf } from "../../renderers/matrix.ts";
import { aConfig, aDocument, hour, minute, someRules } from "../builders.ts";
import { aClock, aHome, aService, until } from "../homes.ts";
import {
  type Desk,
  type DeskMaker,
  deskMakers,
  discordDesk,
  feishuDesk,
  githubDesk,
  ntfyDesk,
  oldNtfyDesk,
  type Standing,
  slackDesk,
  telegramDesk,
} from "./desks.ts";

/** An evening in Berlin, at a minute when no platform asks for patience. */
const start = Date.parse("2026-07-06T19:40:00Z");
type Changes = Parameters<typeof aConfig>[0];

/** The real service with every channel at once, each over its own platform. The clock stands still until it is moved. */
async function aHouse(changes: Changes = {}, makers: readonly DeskMaker[] = deskMakers) {
  const clock = aClock(start);
  const desks: Desk[] = [];
  for (const make of makers) desks.push(await make(clock.now));
  const home = aHome();
  const config = aConfig({
    deliver: ["inbox", ...desks.map(({ id }) => id)],
    channels: { inbox: { port: 0 }, ...Object.fromEntries(desks.map(({ id, settings }) => [id, settings])) },
    ...changes,
  });
  const startAll = async () => {
    const inbox = (await import("../../channels/inbox.ts")).open();
    const opened = await Promise.all(desks.map(async (desk) => [desk.id, await desk.open()] as const));
    return aService({ home, now: clock.now, config, channels: new Map([...opened, ["inbox", inbox]]) });
  };
  let service = await startAll();
  const desk = (id: string): Desk => {
    const found = desks.find((each) => each.id === id);
    if (!found) throw new Error(`no desk ${id}`);
    return found;
  };
  const about = (id: string, question: string): readonly Standing[] =>
    desk(id)
      .standing()
      // The morning report names it, too.
      .filter(({ text }) => text.includes(question) && !text.includes("The whole report:"));

  return {
    clock,
    desks,
    desk,
    about,
    get service() {
      return service;
    },
    async sleeps(ms: number): Promise<void> {
      await service.close();
      clock.advance(ms);
      service = await startAll();
    },
    async asks(document: Record<string, unknown> = {}): Promise<string> {
      const asked = await service.owlpost.ask({
        document: aDocument({ default: { action: "skip_spec", at: "20h" }, ...document }),
      });
      if (!asked.ok) throw new Error(JSON.stringify(asked));
      return asked.id;
    },
    /** Every desk but these has one message about it, or, where nothing is edited, `count` of them. */
    async stands(question: string, count: number, ...but: string[]): Promise<void> {
      for (const { id, edits } of desks.filter((each) => !but.includes(each.id))) {
        await until(
          () => [id, about(id, question)],
          ([, found]) => found?.length === (edits ? 1 : count),
        );
      }
    },
    async settles(): Promise<void> {
      await service.settle();
    },
    /** Every desk shows that: in its message where it edits, else in one more. */
    async tells(question: string, words: string, followUps: number): Promise<void> {
      for (const { id, edits } of desks) {
        const found = await until(
          () => about(id, question),
          (all) => all.at(-1)?.text.includes(words) === true,
        );
        expect([id, found.length]).toEqual([id, edits ? 1 : 1 + followUps]);
        if (edits) expect(found[0]?.buttons).toBe(0);
      }
    },
    async passes(ms: number): Promise<void> {
      clock.advance(ms);
      await service.settle();
    },
    async state(question: string): Promise<string | undefined> {
      return (await service.owlpost.question(question))?.state;
    },
    async events(kind: string) {
      return (await service.owlpost.events(0, 10_000)).filter((event) => event.kind === kind);
    },
  };
}

describe("one question on several channels", () => {
  test("stands on each of them, and each says how it is answered", async () => {
    const house = await aHouse();
    const id = await house.asks();
    await house.stands(id, 1);
    for (const { id: channel } of house.desks) {
      const [message] = house.about(channel, id);
      expect(message?.text).toContain("Refresh-token rotation");
      expect(message?.text).toContain("Trivial diff, weaker security");
    }
    // Slack swallows every slash, so the mark is the one that all of them understand.
    const where = /Answer on telegram, slack, [a-z, ]+, or in the inbox: (\S+) 1 \(or 2\) · !skip (\S+)/;
    for (const deaf of ["feishu", "webhook"]) {
      expect(where.exec(house.about(deaf, id)[0]?.text ?? "")?.slice(1)).toEqual([id, id]);
    }
    expect(house.about("telegram", id)[0]?.buttons).toBe(3);
  });

  test("a channel that alone has too little room says where to answer, and follows what is answered elsewhere", async () => {
    const house = await aHouse({ deliver: ["ntfy", "telegram"] }, [ntfyDesk, telegramDesk]);
    // More than 6,400 bytes, and 2,160 UTF-16 units.
    const options = Array.from({ length: 9 }, (_, at) => ({
      key: String(at + 1),
      label: `${"選".repeat(79)}${at + 1}`,
      consequence: "択".repeat(160),
      ...(at === 0 ? { recommended: true } : {}),
    }));
    const id = await house.asks({ options });
    await house.stands(id, 1);
    const [small] = house.about("ntfy", id);
    expect(small?.buttons).toBe(0);
    expect(small?.text.split("\n\n")).toEqual([
      `[${id}]`,
      "Token refresh strategy for the auth middleware?",
      expect.stringMatching(/^⏰ No answer by .* → spec skipped/),
      `The options do not fit here. See them and answer: owlpost status ${id}, or the inbox.`,
    ]);
    const [large] = house.about("telegram", id);
    expect(large?.buttons).toBe(10);
    for (const { label } of options) expect(large?.text).toContain(label);
    expect(large?.text.split("択".repeat(160))).toHaveLength(10);
    house.desk("telegram").choose?.(id, "3");
    await house.tells(id, `✅ Answered: 3 — ${"選".repeat(79)}3 (by Eric`, 0);
  });

  test("field 29: a tap on one of them resolves every copy within seconds, each in its own way", async () => {
    const house = await aHouse();
    const id = await house.asks();
    await house.stands(id, 1);
    await house.settles();
    const began = performance.now();
    house.desk("telegram").choose?.(id, "2");
    await house.tells(id, "✅ Answered: 2 — Extend the TTL to 30 days (by Eric", 1);
    expect(performance.now() - began).toBeLessThan(10_000);
    await house.service.owlpost.take({ run: "a3f2", claim: "c" });
    await house.tells(id, "▶ Picked up by run a3f2", 2);
    // That it is closed changes what can be edited, and is no news to anybody else.
    await house.service.owlpost.confirm("c");
    await house.service.owlpost.resolve(id, "done");
    await until(
      () => house.about("telegram", id)[0]?.text ?? "",
      (text) => text.includes("closed as done"),
    );
    await house.settles();
    await house.stands(id, 3);
    expect(await house.service.store.nextJobAt()).toBeUndefined();
    const copies = await house.service.store.copies(
      (await house.service.owlpost.question(id))?.question.id ?? ("" as never),
    );
    expect(new Set(copies.map(({ revision }) => revision)).size).toBe(1);
  });

  test("wherever it is answered, the others learn of it", async () => {
    const house = await aHouse();
    const answering = house.desks.filter(({ choose }) => choose !== undefined);
    expect(answering.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["telegram", "slack", "github", "email", "ntfy"]),
    );
    for (const { id: channel, choose } of answering) {
      const task = `on-${channel}`;
      const id = await house.asks({ task, title: `What about ${task}?` });
      await house.stands(id, 1);
      house.clock.advance(minute);
      // Feishu takes five messages a second, by a clock that does not stand still.
      await new Promise((done) => setTimeout(done, 500));
      choose?.(id, "2");
      // Whoever answered in words has a receipt.
      for (const { id: other } of house.desks.filter((each) => each.id !== channel)) {
        await until(
          () => house.about(other, id).map(({ text }) => text),
          (texts) => texts.some((text) => text.includes("✅ Answered: 2 — Extend the TTL to 30 days (by ")),
        );
      }
      expect((await house.service.owlpost.question(id))?.answer).toMatchObject({ via: channel, option: "2" });
    }
  });

  test("whoever is second is told the truth, wherever the first one was", async () => {
    const house = await aHouse();
    const id = await house.asks();
    await house.stands(id, 1);
    const ack = await house.service.owlpost.decide({ verb: "choose", question: id, key: "1" }, "inbox");
    expect(ack.accepted).toBe(true);
    house.desk("telegram").choose?.(id, "2");
    const told = await until(
      () => house.desk("telegram").told?.() ?? [],
      (all) => all.length === 1,
    );
    expect(told[0]).toMatch(/already answered: option 1/i);
    await house.tells(id, "✅ Answered: 1 — Refresh-token rotation", 1);
    await house.settles();
    await house.tells(id, "✅ Answered: 1 — Refresh-token rotation", 1);
    expect(await house.events("question.answered")).toHaveLength(1);
  });

  test("fifty answers at once, from Slack, GitHub and the inbox: one counts, and everybody is told the same", async () => {
    const house = await aHouse({}, [slackDesk, githubDesk]);
    const id = await house.asks();
    await house.stands(id, 1);
    const acks = [];
    for (let n = 0; n < 50; n += 1) {
      const key = `${1 + (n % 2)}`;
      if (n % 5 === 4) {
        const command = { verb: "choose", question: id, key } as const;
        acks.push(house.service.owlpost.decide(command, "inbox"));
      } else house.desk(n % 2 === 0 ? "slack" : "github").choose?.(id, key);
    }
    await until(
      () => house.desk("slack").told?.() ?? [],
      (all) => all.length >= 20,
    );
    await house.settles();
    const [answered, ...more] = await house.events("question.answered");
    expect(more).toEqual([]);
    const { option = "" } = (await house.service.owlpost.question(id))?.answer ?? {};
    const right = new RegExp(`(?:answered|recorded): (?:option )?${option}\\b`, "i");
    expect(answered?.data).toMatchObject({ option });
    for (const ack of await Promise.all(acks)) expect(ack.text).toMatch(right);
    const told = house.desk("slack").told?.() ?? [];
    expect(told).toHaveLength(20);
    for (const text of told) expect(text).toMatch(right);
    // More than six refusals of one person within a minute are one comment.
    house.clock.advance(2 * minute);
    await house.settles();
    const comments = house.desk("github").standing();
    expect(comments.filter(({ text }) => text.includes(`✅ Answered: ${option}`)).length).toBeGreaterThan(0);
    expect(comments.length).toBeLessThan(12);
  });

  test("a deadline that nobody kept is told once everywhere, and a claim that lapsed not again", async () => {
    const house = await aHouse();
    const id = await house.asks({ default: { action: "skip_spec", at: "30m" } });
    await house.stands(id, 1);
    await house.settles();
    await house.passes(31 * minute);
    for (const { id: channel, edits } of house.desks) {
      const found = await until(
        () => house.about(channel, id),
        (all) => all.at(-1)?.text.includes("⏰ No answer by 22:10 — the spec will be skipped") === true,
      );
      expect(found).toHaveLength(edits ? 1 : 2);
    }
    await house.service.owlpost.take({ run: "a3f2", claim: "lost" });
    await house.tells(id, "⏰ No answer by 22:10 — spec skipped at 22:11", 2);
    await house.settles();
    await house.passes(11 * minute);
    await until(
      () => house.state(id),
      (state) => state === "expired",
    );
    await house.settles();
    await house.stands(id, 3);
    expect(await house.events("question.lapsed")).toHaveLength(1);
  });

  test("a question that a channel never got is not followed up there", async () => {
    const house = await aHouse();
    house.desk("feishu").fail("broken", 1);
    house.desk("webhook").fail("broken", 1);
    const id = await house.asks();
    await house.stands(id, 1, "feishu", "webhook");
    await house.service.owlpost.decide({ verb: "skip", question: id }, "cli");
    await house.passes(10 * minute);
    await until(
      () => house.service.store.nextJobAt(),
      (at) => at === undefined,
    );
    expect([house.about("feishu", id), house.about("webhook", id)]).toEqual([[], []]);
    const other = await house.asks({ title: "And the migration of `orders`?" });
    await house.stands(other, 1);
  });
});

describe("field 75: one that is out of order", () => {
  test("holds up neither the question nor its end on the others, and is asked again without a storm", async () => {
    const house = await aHouse();
    house.desk("webhook").fail("stall", 1);
    house.desk("feishu").fail("broken", 3);
    const began = performance.now();
    const id = await house.asks();
    await house.stands(id, 1, "webhook", "feishu");
    house.desk("telegram").choose?.(id, "1");
    for (const { id: channel } of house.desks.filter((each) => !["webhook", "feishu"].includes(each.id))) {
      await until(
        () => house.about(channel, id).at(-1)?.text ?? "",
        (text) => text.includes("✅ Answered: 1"),
      );
    }
    // The one that hangs is given up after five seconds.
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(house.about("webhook", id)).toEqual([]);
    const { channels } = await house.service.owlpost.status();
    expect(channels.find(({ channel }) => channel === "telegram")?.up).toBe(true);
  });

  test("does not keep what waits for the others from going out at a start", async () => {
    const house = await aHouse();
    house.desk("webhook").fail("broken", 1);
    const id = await house.asks();
    await house.stands(id, 1, "webhook");
    await until(
      () => house.service.store.nextJobAt(),
      (at) => at !== undefined,
    );
    await house.service.close();
    house.clock.advance(10 * minute);
    // Telegram takes the call and says nothing, for as long as the service waits for what came in.
    const silent: Desk = { ...house.desk("telegram"), open: () => aSilentLine() };
    const opened = await Promise.all(
      [silent, house.desk("webhook")].map(async (desk) => [desk.id, await desk.open()] as const),
    );
    let stop: (reason: string) => void = () => undefined;
    const stopped = new Promise((done) => {
      stop = done;
    });
    const starting = aService({
      home: house.service.home,
      now: house.clock.now,
      config: aConfig({ deliver: ["telegram", "webhook"] }),
      channels: new Map(opened),
      stopped,
    });
    await until(
      () => house.about("webhook", id).length,
      (count) => count === 1,
    );
    stop("seen enough");
    await starting;
  });
});

/** Polls that never come back. */
function aSilentLine() {
  return {
    id: "telegram",
    rings: true,
    destinations: [],
    post: () => Promise.reject(new Error("nothing is sent here")),
    poll: (_cursor: string | undefined, signal: AbortSignal) =>
      new Promise<never>((_done, failed) => {
        signal.addEventListener("abort", () => failed(signal.reason), { once: true });
      }),
    close: async () => undefined,
  };
}

/** Does it drop presses that nobody fetches for so long? */
function keepsLess(channel: string, ms: number): boolean {
  const { inbound, retention } = rowOf(channel);
  return inbound !== "none" && retention.pressMs !== "unlimited" && retention.pressMs < ms;
}

describe("after an outage", () => {
  test("each channel touches up its own copies, by what it keeps itself", async () => {
    const house = await aHouse();
    const id = await house.asks();
    await house.stands(id, 1);
    await house.settles();
    // Telegram keeps taps for 150 s and Slack not at all, ntfy keeps them for twelve hours and GitHub for ever; the others hear
    // nothing anyway.
    await house.sleeps(4 * minute);
    const forgetful = house.desks.map((each) => each.id).filter((each) => keepsLess(each, 4 * minute));
    expect(forgetful).toEqual(["telegram", "slack"]);
    for (const channel of forgetful) {
      await until(
        () => house.about(channel, id)[0]?.text ?? "",
        (text) => text.includes("I was away from 21:40 to 21:44"),
      );
    }
    await house.settles();
    await house.stands(id, 1);
    for (const { id: channel } of house.desks.filter((each) => !forgetful.includes(each.id)))
      expect(house.about(channel, id)[0]?.text).not.toContain("I was away");
    const told = (await house.events("channel.away")).map(({ data }) => data.channel);
    expect(told.toSorted()).toEqual(forgetful.toSorted());
  });

  test("that was longer than anything is kept, what cannot be edited gets one notice for all that is open", async () => {
    const house = await aHouse({}, [...deskMakers.filter((make) => make !== ntfyDesk), oldNtfyDesk]);
    const ids: string[] = [];
    for (const task of ["alpha", "bravo", "charlie"])
      ids.push(await house.asks({ task, title: `Why ${task}_x?` }));
    for (const id of ids) await house.stands(id, 1);
    await house.settles();
    const before = Object.fromEntries(house.desks.map(({ id, standing }) => [id, standing().length]));
    await house.sleeps(13 * hour);
    await until(
      () => house.desk("ntfy").standing().length,
      (count) => count === (before.ntfy ?? 0) + 1,
    );
    await house.settles();
    const notice = house.desk("ntfy").standing().at(-1)?.text ?? "";
    expect(notice).toMatch(
      /^From 21:40 to (?:\S+ )?10:40 nobody listened here — if you tapped or wrote, do so again:\n/,
    );
    for (const id of ids) expect(notice).toContain(id);
    const after = Object.fromEntries(house.desks.map(({ id, standing }) => [id, standing().length]));
    expect(after).toEqual({ ...before, ntfy: (before.ntfy ?? 0) + 1 });
    // Elsewhere the messages themselves say it.
    for (const id of ids)
      for (const channel of ["telegram", "slack"])
        expect(house.about(channel, id)[0]?.text).toContain("I was away from");
  });
});

test("nightfall and daybreak edit what can be edited, and send nothing that says nothing", async () => {
  const house = await aHouse({ night: someRules("22:00-08:00") });
  const consent = await house.asks();
  const held = await house.asks({
    kind: "blocked",
    task: "014-orders",
    title: "Whose is the lock on `orders`?",
  });
  for (const id of [consent, held]) await house.stands(id, 1);
  await house.settles();
  const count = () => house.desks.map(({ id, standing }) => [id, standing().length]);
  const before = count();
  await house.passes(25 * minute);
  await until(
    () => house.about("telegram", consent)[0]?.text ?? "",
    (text) => text.includes("Recommended: "),
  );
  await house.settles();
  expect(count()).toEqual(before);
  await house.passes(10 * hour);
  await until(
    () => house.about("telegram", consent)[0]?.text ?? "",
    (text) => !text.includes("Recommended: "),
  );
  await house.settles();
  for (const id of [consent, held]) await house.stands(id, 1);
});

test("field 74: a clock that spoils Feishu's signatures is told once, and nothing is lost by it", async () => {
  let feishuAheadMs = 90 * minute;
  const house = await aHouse({}, [telegramDesk, (now) => feishuDesk(now, () => now() + feishuAheadMs)]);
  const id = await house.asks();
  await house.stands(id, 1, "feishu");
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await until(
      () => house.service.store.nextJobAt(),
      (at) => at !== undefined && at > house.clock.now(),
    );
    await house.passes(7 * minute);
  }
  const line = async () =>
    (await house.service.owlpost.status()).channels.find(({ channel }) => channel === "feishu");
  expect((await line())?.detail).toContain("this machine's clock is 90 min behind Feishu's");
  expect((await house.events("channel.down")).map(({ data }) => data.channel)).toEqual(["feishu"]);
  feishuAheadMs = 0;
  await house.passes(7 * minute);
  await house.stands(id, 1);
  await until(
    async () => (await line())?.up,
    (up) => up === true,
  );
});

test("a webhook's format is that of its settings, and what must stay fits into it", async () => {
  const house = await aHouse({}, [discordDesk]);
  const tried = Array.from({ length: 900 }, (_, n) => `attempt ${n}: reset by *peer*`).join("\n");
  const id = await house.asks({ tried });
  await house.stands(id, 1);
  const text = house.about("webhook", id)[0]?.text ?? "";
  expect(text.length).toBeGreaterThan(3_500);
  expect(text).toContain("attempt 899: reset by \\*peer\\*");
  expect(text).toContain("2️⃣ **Extend the TTL to 30 days**");
  await house.service.owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
  await house.tells(id, "✅ Answered: 1 — Refresh-token rotation", 1);
});

test("field 77: a page that is open and looked at silences nobody", async () => {
  const house = await aHouse();
  const link = new URL((await house.service.owlpost.inboxLink()) ?? "");
  const ask = (path: string, init: RequestInit) => fetch(new URL(path, link.origin), init);
  const signedIn = await ask("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json", origin: link.origin },
    body: JSON.stringify({ token: link.hash.slice("#token=".length) }),
  });
  const { session } = (await signedIn.json()) as { session: string };
  const watching = new AbortController();
  const stream = await ask("/api/stream", {
    headers: { authorization: `Bearer ${session}` },
    signal: watching.signal,
  });
  expect(stream.status).toBe(200);
  const id = await house.asks();
  await house.stands(id, 1);
  watching.abort();
});
