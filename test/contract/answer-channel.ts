import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { receiptsOf, takeIn } from "../../src/app/inbox-turn.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";
import {
  type AnswerChannel,
  type Batch,
  ChannelError,
  type ChannelMessage,
} from "../../src/domain/channel.ts";
import type { MessageRef } from "../../src/domain/ids.ts";
import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, aQuestionId, evening } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";

/** What a test hands in: a platform on loopback, seen from outside, and the adapter that talks to it. */
export type ContractPeer = {
  readonly row: Pick<Capabilities, "body" | "buttons" | "edit" | "inbound" | "freeText" | "correlation">;
  readonly destination: string;
  /** Who taps, or nobody where a token speaks for `recipient`; absent where nothing comes in. */
  readonly sender?: string;
  readonly recipient?: string;
  /** Texts that no error, log or cause may hold. */
  readonly secrets: readonly string[];
  /** Does the platform know the same post again by its key? */
  readonly idempotent: boolean;
  /** Can it, as it is now, change a message? Absent: as its row says. */
  readonly edits?: false;
  /** What pause an adapter makes when it is asked for one; absent: 3 s, as it was said. */
  readonly pauseMs?: number;
  open(): Promise<AnswerChannel> | AnswerChannel;
  /** What stands on the phone, the oldest first. */
  messages(): readonly Shown[] | Promise<readonly Shown[]>;
  /** Absent where nobody can answer in words. */
  readonly typed?: Typed;
  /**
   * Somebody taps that option on the latest message or, where there are no buttons, says its question and its key. Absent, as
   * the next three, where nothing comes in.
   */
  tap?(key: string): void | Promise<void>;
  toasts?(): readonly string[];
  /** How many replies the platform would give again; absent, too, where it gives all of them for a while. */
  unconfirmed?(): number;
  /** Is a poll held at this moment? */
  isPolled?(): boolean;
  /**
   * The next call of that kind fails. `busy`: a pause of 3 s is asked for; `forbidden`: for good; `swallow`: it is done,
   * but its reply is lost; `reset`: the line breaks before it is read; `broken`: the platform is out of order.
   */
  fail(
    on: "post" | "edit" | "poll" | "settle",
    how: "busy" | "forbidden" | "swallow" | "reset" | "broken",
  ): void;
};

/** A message as it stands on the phone. */
export type Shown = {
  readonly text: string;
  readonly versions: number;
  readonly buttons: number;
  /** Theirs that it stands in reply to, as the adapter names it. */
  readonly replyTo?: MessageRef;
};

/** Somebody who types where `destination` is, and speaks to nobody else there. */
export type Typed = {
  /**
   * `to: "latest"`: in reply to our latest message; `edit`: it changes that message of theirs. Returns what the adapter calls
   * their message.
   */
  say(text: string, ways?: { readonly to?: "latest"; readonly edit?: MessageRef }): MessageRef;
  /** How the adapter hands on what was said, where a person has to call the bot by name; absent: as it was said. */
  heard?(text: string): string;
  /** The platform tells the bot of a message of its own. */
  echo(text: string): void;
  /** What they typed is deleted. */
  forget(message: MessageRef): void;
};

/** A text that counts that many units, whatever the unit is. */
const ofSize = (size: number): string => "a".repeat(size);

function message(changes: Partial<ChannelMessage> = {}): ChannelMessage {
  const text = changes.body ?? "Which way?";
  const buttons = ["1", "2"].map((key) => ({
    label: `${key} Go`,
    question: aQuestionId,
    action: { key },
    primary: false,
  }));
  return {
    headline: "Which way?",
    parts: [{ name: "header", text }],
    body: text,
    plain: text,
    buttons,
    degraded: [],
    silent: false,
    ...changes,
  };
}

/** Everything that every channel promises, over a platform that speaks its protocol. */
export function answerChannelContract(name: string, makePeer: () => Promise<ContractPeer>): void {
  describe(`${name}: the contract of a channel`, () => {
    let peer: ContractPeer;
    let channel: AnswerChannel;
    const never = new AbortController().signal;

    beforeEach(async () => {
      peer = await makePeer();
      channel = await peer.open();
      afterwards(() => channel.close());
    });

    const post = (key: string, changes: Partial<ChannelMessage> = {}) =>
      channel.post(peer.destination, message(changes), key, never);

    async function failure(work: Promise<unknown> | undefined): Promise<ChannelError> {
      const reason: unknown = await Promise.resolve(work).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!(reason instanceof ChannelError)) throw new Error(`no ChannelError: ${String(reason)}`);
      expect(reason.message).not.toBe("");
      expect(reason.reason).toMatch(/^[a-z0-9-]+$/);
      for (const secret of peer.secrets) expect(everythingIn(reason)).not.toContain(secret);
      return reason;
    }

    const edits = (): boolean => peer.row.edit === "yes" && peer.edits !== false;
    const hears = (): boolean => peer.row.inbound !== "none";
    const deaf = (): void => {
      expect([channel.poll, peer.tap, peer.typed]).toEqual([undefined, undefined, undefined]);
    };

    /** What is known of those who answer. */
    function heard() {
      const { sender, tap, toasts, unconfirmed, isPolled } = peer;
      if (sender === undefined || !tap || !toasts || !isPolled)
        throw new Error("nothing comes in on this channel");
      return { sender, tap, toasts, unconfirmed, isPolled };
    }

    async function polled(cursor?: string): Promise<Batch> {
      if (!channel.poll) throw new Error("nothing comes in on this channel");
      return channel.poll(cursor, never);
    }

    async function aStore(): Promise<Store> {
      const home = aHome();
      const store = await openStore(join(home, "owlpost.db"));
      afterwards(() => store.close());
      const owlpost = await openOwlpost({ home, config: aConfig(), store, now: () => evening });
      await owlpost.ask({ document: aDocument() });
      return store;
    }

    const taking = async (store: Store, batch: Batch) => {
      const { acks } = await takeIn(channel.id, batch, {
        store,
        now: () => evening + 60_000,
        project: "default",
        places: [
          {
            channel: channel.id,
            chats: "one",
            allow: peer.recipient === undefined ? [heard().sender] : [],
            mark: "/",
            isPublic: false,
            ...(peer.recipient === undefined ? {} : { recipient: peer.recipient }),
          },
        ],
      });
      return acks;
    };
    /** Presses are shown in passing; words get a message, and so does a tap that only begins a mail. */
    const hasTaps = () => peer.row.buttons !== "none" && !isLetter();
    const hasToasts = () => hasTaps() && peer.row.buttons !== "none" && peer.row.buttons.kind !== "publish";
    const isLetter = () => peer.row.buttons !== "none" && peer.row.buttons.kind === "mailto";
    const answers = async (store: Store): Promise<number> =>
      (await store.events(0, 1_000)).filter((event) => event.kind === "question.answered").length;

    test("posts arrive in order, each with a reference of its own", async () => {
      const refs = [
        await post("k1", { body: "first" }),
        await post("k2", { body: "second" }),
        await post("k3", { body: "third" }),
      ];
      expect((await peer.messages()).map(({ text }) => text)).toEqual(["first", "second", "third"]);
      expect(new Set(refs).size).toBe(3);
      expect(refs.every((ref) => ref !== "")).toBe(true);
    });

    test("a destination that is configured is one of its destinations", () => {
      expect(channel.destinations).toContain(peer.destination);
    });

    test("the same key twice is one message where the platform knows keys", async () => {
      const first = await post("k1");
      const second = await post("k1");
      expect(await peer.messages()).toHaveLength(peer.idempotent ? 1 : 2);
      expect(first === second).toBe(peer.idempotent);
    });

    test("buttons stand below the message where the row has them", async () => {
      await post("k1");
      expect((await peer.messages())[0]?.buttons).toBe(peer.row.buttons === "none" ? 0 : 2);
    });

    test("an edit changes that message, and only where the row says so", async () => {
      const ref = await post("k1", { body: "before" });
      await post("k2", { body: "another" });
      expect(channel.edit !== undefined).toBe(peer.row.edit === "yes");
      if (channel.edits) expect(await channel.edits(never)).toBe(edits());
      const edited = channel.edit?.(peer.destination, ref, message({ body: "after", buttons: [] }), never);
      if (edits()) await edited;
      else if (edited) expect(await failure(edited)).toMatchObject({ permanent: true, stands: true });
      const texts = edits() ? ["after", "another"] : ["before", "another"];
      expect((await peer.messages()).map(({ text }) => text)).toEqual(texts);
      if (edits()) expect((await peer.messages())[0]?.buttons).toBe(0);
    });

    test("an edit that changes nothing is a success and posts nothing", async () => {
      const ref = await post("k1");
      const edited = channel.edit?.(peer.destination, ref, message(), never);
      if (edits()) await edited;
      else if (edited) await failure(edited);
      expect(await peer.messages()).toHaveLength(1);
    });

    test("an edit that is refused is refused for good", async () => {
      const ref = await post("k1");
      if (!channel.edit) return expect(peer.row.edit).toBe("none");
      peer.fail("edit", "forbidden");
      expect(await failure(channel.edit(peer.destination, ref, message({ body: "b" }), never))).toMatchObject(
        { permanent: true },
      );
    });

    test("a pause that was asked for is passed on", async () => {
      peer.fail("post", "busy");
      expect(await failure(post("k1"))).toMatchObject({
        permanent: false,
        delivered: "no",
        retryAfterMs: peer.pauseMs ?? 3_000,
      });
      expect(await peer.messages()).toHaveLength(0);
    });

    test("a refusal is for good", async () => {
      peer.fail("post", "forbidden");
      expect(await failure(post("k1"))).toMatchObject({ permanent: true, delivered: "no" });
    });

    test("where the reply is lost, nobody claims to know whether it arrived", async () => {
      peer.fail("post", "swallow");
      expect(await failure(post("k1"))).toMatchObject({ permanent: false, delivered: "unknown" });
      expect(await peer.messages()).toHaveLength(1);
      await post("k1");
      expect(await peer.messages()).toHaveLength(peer.idempotent ? 1 : 2);
    });

    test.each(["reset", "broken"] as const)(
      "after a failure that passes (%s) the same call works",
      async (how) => {
        peer.fail("post", how);
        expect(await failure(post("k1"))).toMatchObject({ permanent: false, delivered: "unknown" });
        await post("k1");
        expect(await peer.messages()).toHaveLength(1);
      },
    );

    test("a call that was stopped before it began says nothing to anybody", async () => {
      const stopped = new AbortController();
      stopped.abort();
      await failure(channel.post(peer.destination, message(), "k1", stopped.signal));
      expect(await peer.messages()).toHaveLength(0);
    });

    test("a body at the row's limit is taken, and the platform refuses one more", async () => {
      await post("k1", { body: ofSize(peer.row.body.max), buttons: [] });
      expect((await peer.messages())[0]?.text).toHaveLength(peer.row.body.max);
      // Where the request as a whole is limited, a longer body may still fit.
      const { max, wire } = peer.row.body;
      const more = post("k2", { body: ofSize(wire?.maxBytes ?? max + 1), buttons: [] });
      expect(await failure(more)).toMatchObject({ permanent: true, delivered: "no" });
    });

    test("a tap comes in with its question, its option and who tapped", async () => {
      if (!hears()) return deaf();
      await post("k1");
      await heard().tap("2");
      const batch = await polled();
      const written = isLetter() ? { text: "2", token: aQuestionId } : { text: `${aQuestionId} 2` };
      const said = hasTaps() ? { press: { question: aQuestionId, action: "2" } } : written;
      expect(batch.replies).toMatchObject([{ sender: heard().sender, ...said }]);
      expect(batch.replies[0]?.key).not.toBe("");
      expect(batch.cursor).not.toBe("");
    });

    test("nothing is acked before the turn is committed", async () => {
      if (!hears()) return deaf();
      const store = await aStore();
      await post("k1");
      await heard().tap("2");
      const batch = await polled();
      const nothing = [0, peer.unconfirmed && 1];
      expect([heard().toasts().length, heard().unconfirmed?.()]).toEqual(nothing);
      const acks = await taking(store, batch);
      expect(acks).toMatchObject([{ accepted: true, state: "answered" }]);
      expect([heard().toasts().length, heard().unconfirmed?.()]).toEqual(nothing);
      const told = await batch.settle?.(receiptsOf(batch.replies, acks));
      expect(told ?? []).toEqual(hasToasts() ? batch.replies.map(({ key }) => key) : []);
      expect(heard().toasts()).toEqual(hasToasts() ? [expect.stringContaining("Answered: 2")] : []);
      const stop = new AbortController();
      const held = channel.poll?.(await store.cursor(channel.id), stop.signal);
      await until(
        () => heard().unconfirmed?.() ?? 0,
        (left) => left === 0,
      );
      stop.abort();
      await Promise.resolve(held).catch((error: unknown) => expect(error).toBeInstanceOf(ChannelError));
    });

    test("field 3: what was not committed comes again, and a batch that comes again has no second effect", async () => {
      if (!hears()) return deaf();
      const store = await aStore();
      await post("k1");
      await heard().tap("1");
      const lost = await polled();
      const again = await polled();
      expect(again.replies).toEqual(lost.replies);
      const first = await taking(store, again);
      const second = await taking(store, lost);
      expect(second.map(({ accepted, text }) => [accepted, text])).toEqual(
        first.map(({ accepted, text }) => [accepted, text]),
      );
      expect(await answers(store)).toBe(1);
    });

    test("a toast that fails undoes nothing, and the next tap is heard", async () => {
      if (!hears()) return deaf();
      const store = await aStore();
      await post("k1");
      await heard().tap("1");
      const batch = await polled();
      const acks = await taking(store, batch);
      if (hasToasts()) peer.fail("settle", "broken");
      await Promise.resolve(batch.settle?.(receiptsOf(batch.replies, acks))).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ChannelError);
      });
      expect(await answers(store)).toBe(1);
      await heard().tap("2");
      const next = await polled(await store.cursor(channel.id));
      expect(await taking(store, next)).toMatchObject([{ accepted: false, reason: "not-open" }]);
      expect(await answers(store)).toBe(1);
    });

    test.each(["reset", "broken", "busy"] as const)(
      "a poll that fails (%s) is named and loses nothing",
      async (how) => {
        if (!hears()) return deaf();
        await post("k1");
        await heard().tap("1");
        peer.fail("poll", how);
        expect(await failure(polled())).toMatchObject({ permanent: false });
        expect((await polled()).replies).toHaveLength(1);
      },
    );

    describe("what is typed", () => {
      function typed(): Typed {
        if (!peer.typed) throw new Error("nobody types on this channel");
        return peer.typed;
      }
      const asHeard = (text: string): string => typed().heard?.(text) ?? text;
      const hasWords = () => peer.row.freeText !== "none" && peer.row.freeText !== "page";

      test("is offered exactly where the row has free text", () => {
        expect(peer.typed !== undefined).toBe(hasWords());
      });

      test("comes in with who typed, where, to whom, and what the platform calls it", async () => {
        if (!hasWords()) return expect(peer.typed).toBeUndefined();
        await post("k1");
        const message = typed().say("2 looks better to me");
        const { replies, cursor } = await polled();
        expect(replies).toMatchObject([
          { sender: heard().sender, text: asHeard("2 looks better to me"), chat: peer.destination, message },
        ]);
        const [reply] = replies;
        expect(reply?.private === true || reply?.addressed === true).toBe(true);
        expect(reply?.press).toBeUndefined();
        expect(reply?.to).toBeUndefined();
        expect(reply?.edited).toBeUndefined();
        expect(reply?.key).not.toBe("");
        expect(cursor).not.toBe("");
      });

      test("a reply to a message of ours names it", async () => {
        if (!hasWords() || peer.row.correlation !== "thread") return expect(peer.row).toBeDefined();
        await post("k1", { body: "first" });
        const ref = await post("k2", { body: "second" });
        typed().say("1", { to: "latest" });
        expect((await polled()).replies).toMatchObject([{ text: "1", to: ref }]);
      });

      test("an edit comes as another reply, with the same message", async () => {
        // What was sent as a mail stays as it is.
        if (!hasWords() || isLetter()) return expect(peer.row.freeText).not.toBe("comment");
        const message = typed().say("9");
        const first = await polled();
        // As after its commit: a socket gives again what nobody has acked.
        await first.settle?.([]);
        typed().say("1", { edit: message });
        const replies = [...first.replies, ...(await polled(first.cursor)).replies];
        expect(replies).toMatchObject([
          { text: asHeard("9"), message },
          { text: asHeard("1"), message, edited: true },
        ]);
        expect(replies[0]?.edited).toBeUndefined();
        expect(new Set(replies.map(({ key }) => key)).size).toBe(2);
      });

      test("the platform's own messages are no replies", async () => {
        if (!hasWords()) return expect(peer.typed).toBeUndefined();
        typed().echo("1");
        typed().say("2");
        expect((await polled()).replies.map(({ text }) => text)).toEqual([asHeard("2")]);
      });

      test("it has no toast: its receipt waits in the outbox, in reply to it", async () => {
        if (!hasWords()) return expect(peer.typed).toBeUndefined();
        const store = await aStore();
        // A mail without the reply address of its question is a hint and no answer.
        if (isLetter()) await post("k1", { question: aQuestionId });
        const message = typed().say(`${aQuestionId} 2`, isLetter() ? { to: "latest" } : {});
        const batch = await polled();
        const acks = await taking(store, batch);
        expect(acks).toMatchObject([{ accepted: true, state: "answered" }]);
        expect((await batch.settle?.(receiptsOf(batch.replies, acks))) ?? []).toEqual([]);
        expect(heard().toasts()).toEqual([]);
        const receipts = async () =>
          (await store.queue(channel.id, peer.destination, 10)).filter(({ kind }) => kind === "receipt");
        expect(await receipts()).toMatchObject([
          { kind: "receipt", replyTo: message, notice: { text: expect.stringContaining("Answered: 2") } },
        ]);
        await taking(store, batch);
        expect(await receipts()).toHaveLength(1);
      });

      test("a receipt stands in reply to it", async () => {
        if (!hasWords()) return expect(peer.typed).toBeUndefined();
        const replyTo = typed().say("2");
        await post("k1", { body: "Answered: 2", buttons: [], replyTo });
        expect((await peer.messages()).at(-1)).toMatchObject({ text: "Answered: 2", replyTo });
      });

      test("a receipt for what is gone stands alone", async () => {
        if (!hasWords()) return expect(peer.typed).toBeUndefined();
        const replyTo = typed().say("2");
        typed().forget(replyTo);
        await post("k1", { body: "Answered: 2", buttons: [], replyTo });
        const [message] = await peer.messages();
        expect(message?.text).toBe("Answered: 2");
        expect(message?.replyTo).toBeUndefined();
      });
    });

    test("a poll that is stopped ends at once", async () => {
      if (!hears()) return deaf();
      const { cursor } = await polled();
      const stop = new AbortController();
      const held = channel.poll?.(cursor, stop.signal);
      await until(
        () => heard().isPolled(),
        (is) => is,
      );
      const began = performance.now();
      stop.abort();
      await failure(held);
      expect(performance.now() - began).toBeLessThan(1_000);
    });

    test("after close nothing is held, and closing again is harmless", async () => {
      await channel.close();
      await channel.close();
      if (hears()) {
        await until(
          () => heard().isPolled(),
          (is) => !is,
        );
      }
      expect(await peer.messages()).toEqual([]);
    });
  });
}

/** All the text that an error carries, down its chain of causes. */
function everythingIn(error: unknown, depth = 0): string {
  if (typeof error !== "object" || error === null || depth > 6) return String(error);
  return Object.getOwnPropertyNames(error)
    .map((name) => `${name}=${everythingIn((error as Record<string, unknown>)[name], depth + 1)}`)
    .join("\n");
}
