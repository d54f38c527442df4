import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trackHealth } from "../../src/app/health.ts";
import { silentLog } from "../../src/app/log.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { type Sender, startSender } from "../../src/app/sender.ts";
import type { AnswerChannel } from "../../src/domain/channel.ts";
import { type QuestionId, questionId } from "../../src/domain/ids.ts";
import { type Store, StoreError } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, minute } from "../builders.ts";
import { aClock, afterwards, aHome, aService, until } from "../homes.ts";
import { peerChannel } from "../peer/peer-channel.ts";
import { type Peer, startPeer } from "../peer/peer-server.ts";

const config = aConfig({
  deliver: ["inbox", "peer"],
  channels: { inbox: { port: 0 }, peer: { allow: ["eric"] } },
});

async function aPhone(options: Parameters<typeof peerChannel>[1] = {}) {
  const peer = await startPeer();
  afterwards(() => peer.close());
  const clock = aClock();
  const home = aHome();
  const start = () =>
    aService({
      home,
      config,
      now: clock.now,
      channels: new Map([
        ["peer", peerChannel(peer.url, { waitMs: 200, ...options })],
        ["inbox", inboxChannel()],
      ]),
    });
  return { peer, clock, start };
}

function inboxChannel() {
  return {
    id: "inbox",
    rings: false,
    destinations: ["local"],
    post: async (_to: string, _message: unknown, key: string) => key,
    edit: async () => undefined,
    close: async () => undefined,
  };
}

/** The sender alone, on a store and channels of the test's own. */
function sending(store: Store, channels: readonly (readonly [string, AnswerChannel])[]): Sender {
  const sender = startSender({
    store,
    channels: new Map(channels),
    health: trackHealth(store, Date.now),
    log: silentLog,
    now: Date.now,
    random: () => 0.5,
    onCommit: () => undefined,
  });
  afterwards(() => sender.close());
  return sender;
}

type Started = Awaited<ReturnType<typeof aService>>;

async function ask(service: Started, changes: Record<string, unknown> = {}): Promise<string> {
  const asked = await service.owlpost.ask({ document: aDocument(changes) });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  return asked.id;
}

async function kinds(service: Started): Promise<string[]> {
  return (await service.owlpost.events(0, 1_000)).map((event) => event.kind);
}

const state = async (service: Started, id: string): Promise<string | undefined> =>
  (await service.owlpost.question(id))?.state;
const bodies = (peer: Peer): (string | undefined)[] =>
  peer.messages.map((message) => message.versions.at(-1)?.body.split("\n").at(-1));

describe("sending", () => {
  test("a question is posted once, and edited when it is answered, taken and closed", async () => {
    const { peer, start } = await aPhone();
    const service = await start();
    const id = await ask(service);
    await until(
      () => peer.messages.length,
      (count) => count === 1,
    );
    await until(
      () => state(service, id),
      (now) => now === "posted",
    );
    await service.owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    await until(
      () => bodies(peer)[0],
      (line) => line?.startsWith("✅ Answered: 1 — ") === true,
    );
    await service.owlpost.take({ run: "a3f2" });
    await until(
      () => bodies(peer)[0],
      (line) => line?.startsWith("▶ Picked up by run a3f2") === true,
    );
    expect(peer.messages).toHaveLength(1);
    expect(peer.messages[0]?.posts).toBe(1);
    expect((await kinds(service)).filter((kind) => kind === "question.posted")).toHaveLength(1);
  });

  test("messages of one destination keep their order, and are tried again with the same key", async () => {
    const { peer, clock, start } = await aPhone();
    peer.fail({ on: "post", how: "swallow", times: 1 });
    const service = await start();
    const first = await ask(service);
    const second = await ask(service, { title: "The second question about `src`?" });
    await until(
      () => peer.faults().length,
      (left) => left === 0,
    );
    await until(
      () => service.store.nextJobAt(),
      (at) => at !== undefined && at > clock.now(),
    );
    clock.advance(minute);
    await until(
      async () => {
        await service.settle();
        return peer.messages.length;
      },
      (count) => count === 2,
    );
    expect(peer.messages.map((message) => message.versions[0]?.headline.includes(first))).toEqual([
      true,
      false,
    ]);
    expect(peer.messages.map((message) => message.versions[0]?.headline.includes(second))).toEqual([
      false,
      true,
    ]);
    // The reply of the first post was lost after it was done: the platform saw its key twice and showed one message.
    expect(peer.messages.map((message) => message.posts)).toEqual([2, 1]);
  });

  test("the platform's own waiting time is kept", async () => {
    const { peer, clock, start } = await aPhone();
    peer.fail({ on: "post", how: "busy", times: 1, retryAfterSeconds: 600 });
    const service = await start();
    await ask(service);
    const at = await until(
      () => service.store.nextJobAt(),
      (next) => next !== undefined && next > clock.now(),
    );
    expect(at).toBeGreaterThanOrEqual(clock.now() + 600_000);
    expect(peer.messages).toHaveLength(0);
  });

  test("a permanent refusal is an event, never a lost question", async () => {
    const { peer, start } = await aPhone();
    peer.fail({ on: "post", how: "forbidden", times: 1 });
    const service = await start();
    const id = await ask(service);
    const events = await until(
      () => kinds(service),
      (seen) => seen.includes("question.post-failed"),
    );
    expect(events.filter((kind) => kind === "question.post-failed")).toHaveLength(1);
    // The inbox has taken it, so it is posted and can be answered.
    await until(
      () => state(service, id),
      (now) => now === "posted",
    );
    expect(await service.owlpost.decide({ verb: "skip", question: id }, "cli")).toMatchObject({
      accepted: true,
    });
  });

  test("a queued post whose question was decided is dropped", async () => {
    const { peer, clock, start } = await aPhone();
    peer.fail({ on: "post", how: "broken", times: 1 });
    const service = await start();
    const id = await ask(service);
    await until(
      () => service.store.nextJobAt(),
      (at) => at !== undefined && at > clock.now(),
    );
    await service.owlpost.cancel(id, "the spec was removed");
    clock.advance(minute);
    await until(
      async () => {
        await service.settle();
        return service.store.nextJobAt();
      },
      (at) => at === undefined,
    );
    expect(peer.messages).toHaveLength(0);
    expect(await kinds(service)).not.toContain("question.post-failed");
  });

  test("where a channel cannot edit, or refuses to for good, the same words follow up once", async () => {
    for (const options of [{ edits: false }, {}]) {
      const { peer, start } = await aPhone(options);
      const service = await start();
      const id = await ask(service);
      await until(
        () => peer.messages.length,
        (count) => count === 1,
      );
      if (!("edits" in options)) peer.fail({ on: "edit", how: "forbidden", times: 1 });
      await service.owlpost.decide({ verb: "choose", question: id, key: "2" }, "cli");
      await until(
        () => peer.messages.length,
        (count) => count === 2,
      );
      expect(peer.messages[1]?.versions[0]?.body).toMatch(
        new RegExp(`^\\[${id}\\] [^\n]+\n✅ Answered: 2 — `),
      );
      await service.settle();
      expect(peer.messages).toHaveLength(2);
    }
  });

  test("a dead channel is down with its reason, holds nobody up, and comes back", async () => {
    const { peer, clock, start } = await aPhone();
    peer.fail({ on: "post", how: "reset", times: 1 });
    const service = await start();
    const id = await ask(service);
    await until(
      () => state(service, id),
      (now) => now === "posted",
    );
    await until(
      () => kinds(service),
      (seen) => seen.includes("channel.down"),
    );
    clock.advance(10 * minute);
    await until(
      async () => {
        await service.settle();
        return peer.messages.length;
      },
      (count) => count === 1,
    );
    const { channels } = await service.owlpost.status();
    expect(channels.map((channel) => [channel.channel, channel.up, channel.rings])).toEqual([
      ["inbox", true, false],
      ["peer", true, true],
    ]);
  });

  test("a notice goes to every channel", async () => {
    const { peer, start } = await aPhone();
    const service = await start();
    expect(await service.owlpost.notify("run-complete", "5 of 5 specs done")).toEqual({
      channels: ["inbox", "peer"],
    });
    await until(
      () => peer.messages.length,
      (count) => count === 1,
    );
    expect(peer.messages[0]?.versions[0]?.body).toBe("5 of 5 specs done");
  });

  test("a channel that is no longer configured gives its messages up, with an event", async () => {
    const { start } = await aPhone();
    const service = await start();
    await service.store.append(
      [
        {
          type: "send",
          job: { channel: "gone", destination: "x", kind: "notice", notice: { kind: "stalled", text: "t" } },
        },
      ],
      0,
    );
    await service.settle();
    await until(
      () => kinds(service),
      (seen) => seen.includes("notice.failed"),
    );
    expect(await service.store.nextJobAt()).toBeUndefined();
  });
});

test("what was sent is recorded before anything is sent again, however long the disk refuses", async () => {
  const peer = await startPeer();
  afterwards(() => peer.close());
  const home = aHome();
  const store = await openStore(join(home, "owlpost.db"));
  afterwards(() => store.close());
  let refused = 0;
  const full = async (): Promise<void> => {
    refused += 1;
    throw new StoreError("disk-full", "the disk is full");
  };
  const owlpost = await openOwlpost({ home, config, store });
  await owlpost.ask({ document: aDocument({ default: { action: "skip_spec", at: "2d" } }) });
  const sender = sending({ ...store, sent: full, postpone: full, drop: full }, [
    ["peer", peerChannel(peer.url)],
  ]);
  sender.wake();
  await until(
    () => refused,
    (count) => count >= 2,
  );
  await new Promise((later) => setTimeout(later, 500));
  expect(peer.messages.map((message) => message.posts)).toEqual([1]);
  expect(refused).toBe(2);
  await sender.close();
});

test("edits that went out ahead are recorded together, each once, and none is sent again", async () => {
  const peer = await startPeer();
  afterwards(() => peer.close());
  const home = aHome();
  const store = await openStore(join(home, "owlpost.db"));
  afterwards(() => store.close());
  const held: (() => void)[] = [];
  let holding = false;
  const owlpost = await openOwlpost({ home, config, store });
  const sender = sending(
    {
      ...store,
      async sent(...given) {
        if (holding) await new Promise<void>((go) => void held.push(go));
        await store.sent(...given);
      },
    },
    [
      ["peer", peerChannel(peer.url)],
      ["inbox", inboxChannel()],
    ],
  );
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const asked = await owlpost.ask({ document: aDocument({ default: { action: "skip_spec", at: "2d" } }) });
    if (asked.ok) ids.push(asked.id);
  }
  await sender.settled();
  for (const id of ids) await owlpost.decide({ verb: "choose", question: id, key: "2" }, "cli");
  holding = true;
  sender.answered(ids.flatMap((id) => questionId(id) ?? []));
  const ofPhone = (jobs: readonly { channel: string }[]) => jobs.filter(({ channel }) => channel === "peer");
  await until(
    () => held.length,
    (count) => count >= 10,
  );
  // Five edits of the phone and five of the page: all are asked for before the first of them is on disk.
  expect(held).toHaveLength(10);
  expect(ofPhone(await store.nextJobs(Date.now(), 9))).toHaveLength(1);
  holding = false;
  for (const go of held) go();
  await sender.settled();
  expect(await store.nextJobAt()).toBeUndefined();
  expect(peer.messages.map(({ versions }) => versions.length)).toEqual([2, 2, 2, 2, 2]);
  for (const message of peer.messages) expect(message.versions.at(-1)?.body).toContain("Answered: 2");
});

describe("edits whose question is known", () => {
  async function aKnownAnswer() {
    const peer = await startPeer();
    afterwards(() => peer.close());
    const home = aHome();
    const store = await openStore(join(home, "owlpost.db"));
    afterwards(() => store.close());
    const owlpost = await openOwlpost({ home, config, store });
    const reads: string[] = [];
    const phone = peerChannel(peer.url);
    const holding: { posts?: Promise<void>; edits?: (() => Promise<void>) | undefined } = {};
    const sender = sending(
      {
        ...store,
        async question(id) {
          reads.push(`question ${id}`);
          return store.question(id);
        },
        async copies(id) {
          reads.push(`copies ${id}`);
          return store.copies(id);
        },
      },
      [
        [
          "peer",
          {
            ...phone,
            async post(...given: Parameters<typeof phone.post>) {
              await holding.posts;
              return phone.post(...given);
            },
            async edit(...given: Parameters<NonNullable<typeof phone.edit>>) {
              await holding.edits?.();
              await phone.edit?.(...given);
            },
          },
        ],
      ],
    );
    const asking = async (changes: Record<string, unknown> = {}) => {
      const asked = await owlpost.ask({
        document: aDocument({ default: { action: "skip_spec", at: "2d" }, ...changes }),
      });
      return questionId(asked.ok ? asked.id : "") ?? ("" as QuestionId);
    };
    const known = async (id: QuestionId) => {
      const stored = await store.question(id);
      if (!stored) throw new Error(`${id} is gone`);
      return new Map([[id, { stored, copies: await store.copies(id) }]]);
    };
    const id = await asking();
    await sender.settled();
    await owlpost.decide({ verb: "choose", question: id, key: "2" }, "cli");
    reads.length = 0;
    return { peer, store, owlpost, sender, id, reads, asking, known, holding };
  }
  const shown = (peer: Peer, at: number): string => peer.messages[at]?.versions.at(-1)?.body ?? "";

  test("go out without a look at the store", async () => {
    const { peer, sender, id, reads, known } = await aKnownAnswer();
    const standing = await known(id);
    sender.answered([id], standing);
    await until(
      () => shown(peer, 0),
      (body) => body.includes("Answered: 2"),
    );
    // Only what is recorded afterwards is looked up.
    expect(reads).toEqual([]);
    await sender.settled();
    expect(peer.messages.map(({ versions }) => versions.length)).toEqual([2]);
  });

  test("of one message go out one after the other, so that the later one stays", async () => {
    const { peer, owlpost, sender, asking, known, holding } = await aKnownAnswer();
    const [id, other] = [await asking({ task: "013" }), await asking({ task: "014" })];
    await sender.settled();
    for (const question of [id, other]) await owlpost.decide({ verb: "choose", question, key: "2" }, "cli");
    const lets: (() => void)[] = [];
    holding.edits = () => new Promise((go) => void lets.push(go));
    sender.answered([id, other], new Map([...(await known(id)), ...(await known(other))]));
    await until(
      () => lets.length,
      (count) => count === 2,
    );
    await owlpost.decide({ verb: "override", question: id, key: "1" }, "cli");
    sender.answered([id], await known(id));
    // The other one has arrived, so its worker is free; the first edit of this one is still on its way.
    lets[1]?.();
    await until(
      () => shown(peer, 2),
      (body) => body.includes("Answered: 2"),
    );
    await new Promise((later) => setTimeout(later, 50));
    expect(lets).toHaveLength(2);
    lets[0]?.();
    await until(
      () => lets.length,
      (count) => count === 3,
    );
    holding.edits = undefined;
    lets[2]?.();
    await sender.settled();
    expect(peer.messages[1]?.versions.map(({ body }) => /Answered: 2|Changed to 1/.exec(body)?.[0])).toEqual([
      undefined,
      "Answered: 2",
      "Changed to 1",
    ]);
  });

  test("are looked up all the same where the outbox is sending: it may show something later first", async () => {
    const { peer, owlpost, sender, id, asking, known, holding } = await aKnownAnswer();
    let go: () => void = () => undefined;
    holding.posts = new Promise((done) => {
      go = done;
    });
    await asking({ title: "And the other one?", task: "013" });
    // The outbox edits the first one itself, and then posts: its queue is busy with that.
    sender.wake();
    await until(
      () => shown(peer, 0),
      (body) => body.includes("Answered: 2"),
    );
    const before = await known(id);
    await owlpost.decide({ verb: "override", question: id, key: "1" }, "cli");
    sender.answered([id], before);
    go();
    await sender.settled();
    expect(shown(peer, 0)).toContain("Changed to 1");
    expect(peer.messages[0]?.versions).toHaveLength(3);
  });
});

describe("receiving", () => {
  test("a press by somebody on the list answers, and is told the truth once", async () => {
    const { peer, start } = await aPhone();
    const service = await start();
    const id = await ask(service);
    peer.press({ name: "tap", sender: "eric", question: id, action: "2" });
    await until(
      () => state(service, id),
      (now) => now === "answered",
    );
    const stored = await service.owlpost.question(id);
    expect(stored?.answer).toMatchObject({ option: "2", by: "eric", via: "peer" });
    await until(
      () => peer.receipts.length,
      (count) => count === 1,
    );
    expect(peer.receipts[0]).toMatchObject({ accepted: true, text: expect.stringContaining("Answered: 2") });
    // The platform is told with the next poll, after the commit.
    await until(
      () => peer.confirmedBelow(),
      (offset) => offset === 2,
    );
  });

  test("the edit after a press goes out once; where it fails, the outbox brings the same words later", async () => {
    for (const fault of [undefined, "broken", "swallow"] as const) {
      const { peer, clock, start } = await aPhone();
      const service = await start();
      const id = await ask(service);
      await until(
        () => state(service, id),
        (now) => now === "posted",
      );
      await service.settle();
      if (fault) peer.fail({ on: "edit", how: fault, times: 1 });
      peer.press({ name: "tap", sender: "eric", question: id, action: "2" });
      await until(
        async () => {
          await service.settle();
          if (fault) clock.advance(minute);
          return bodies(peer)[0];
        },
        (line) => line?.includes("Answered: 2 — Extend the TTL to 30 days") === true,
      );
      expect(peer.faults()).toEqual([]);
      await until(
        () => service.store.nextJobAt(),
        (at) => at === undefined,
      );
      const words = peer.messages[0]?.versions.map((version) => version.body) ?? [];
      // A swallowed reply was done all the same: the repeat says the same words once more.
      expect(words.filter((body) => body.includes("Answered: 2"))).toHaveLength(fault === "swallow" ? 2 : 1);
      expect(peer.messages).toHaveLength(1);
      await service.close();
    }
  });

  test("a stranger is not obeyed and hears nothing; the attempt is in the log", async () => {
    const { peer, start } = await aPhone();
    const service = await start();
    const id = await ask(service);
    peer.press({ name: "tap", sender: "mallory", question: id, action: "1" });
    const events = await until(
      () => service.owlpost.events(0, 100),
      (seen) => seen.some((event) => event.kind === "reply.refused"),
    );
    expect(events.find((event) => event.kind === "reply.refused")?.data).toEqual({
      reason: "unknown-sender",
      via: "peer",
    });
    expect(await state(service, id)).not.toBe("answered");
    expect(peer.receipts).toEqual([]);
  });

  test("replies that came while nothing ran are applied at the start, before deadlines run out", async () => {
    const { peer, clock, start } = await aPhone();
    const service = await start();
    const id = await ask(service);
    await until(
      () => peer.messages.length,
      (count) => count === 1,
    );
    await service.close();
    peer.press({ name: "tap", sender: "eric", question: id, action: "1", at: clock.now() + minute });
    clock.advance(8 * 60 * minute);
    const later = await start();
    await until(
      () => state(later, id),
      (now) => now === "answered",
    );
    const stored = await later.owlpost.question(questionId(id) ?? "");
    expect(stored?.outcome).toBe("answered");
    expect((await kinds(later)).filter((kind) => kind === "question.answered")).toHaveLength(1);
  });
});

describe("field 75: one dead channel", () => {
  /** Takes everything, and never answers. */
  const hanging = (id: string, destinations: readonly string[]) => ({
    id,
    rings: true,
    destinations,
    post: (_to: string, _message: unknown, _key: string, signal: AbortSignal) =>
      new Promise<string>((_done, failed) => {
        signal.addEventListener("abort", () => failed(signal.reason), { once: true });
      }),
    close: async () => undefined,
  });

  async function aSender(dead: ReturnType<typeof hanging>) {
    const peer = await startPeer();
    afterwards(() => peer.close());
    const store = await openStore(join(aHome(), "owlpost.db"));
    afterwards(() => store.close());
    const sender = sending(store, [
      [dead.id, dead],
      ["peer", peerChannel(peer.url)],
    ]);
    const send = (channel: string, destination: string) =>
      ({ channel, destination, kind: "notice", notice: { kind: "stalled", text: "t" } }) as const;
    return { peer, store, sender, send };
  }

  test("holds up no other, however many wait there", async () => {
    const people = Array.from({ length: 70 }, (_, n) => `person ${n}`);
    const { peer, store, sender, send } = await aSender(hanging("dead", people));
    const jobs = [...people.map((each) => send("dead", each)), send("peer", "default")];
    await store.append(
      jobs.map((job) => ({ type: "send", job })),
      Date.now(),
    );
    sender.wake();
    await until(
      () => peer.messages.length,
      (count) => count === 1,
    );
    expect(await store.nextJobs(Date.now(), 100)).toHaveLength(70);
  });

  test("does not hide when another is due again", async () => {
    const { peer, store, sender, send } = await aSender(hanging("dead", ["x"]));
    peer.fail({ on: "post", how: "broken", times: 1 });
    await store.append(
      [send("dead", "x"), send("peer", "default")].map((job) => ({ type: "send", job })),
      Date.now(),
    );
    sender.wake();
    const began = performance.now();
    await until(
      () => peer.messages.length,
      (count) => count === 1,
    );
    // The dead one is given up after 30 s only.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
