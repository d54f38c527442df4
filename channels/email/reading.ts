import { ChannelError, type ChannelTools, type ChatChange, type Reply } from "../../src/domain/channel.ts";
import { type Instant, questionId } from "../../src/domain/ids.ts";
import type { Place, Waiting } from "./cursor.ts";
import type { Cover, FoundMail, Mailbox } from "./mailbox.ts";
import { isOwnMail, refAmong, theirRef } from "./message-id.ts";
import { type MailRead, type Resolver, readMail } from "./read.ts";
import type { Settings } from "./settings.ts";

/** In one batch. */
const mostMails = 40;
/** A batch that has taken so long is handed over as it is: a starting service waits for it. */
const batchMs = 15_000;
/** So many proofs are looked up at a time, and none may take longer: strangers choose which names are asked for. */
const mostAtOnce = 4;
const readMs = 10_000;
/** What is larger was not typed: its beginning is read, which holds the answer but not its proof. */
const wholeBytes = 8 * 1_048_576;
const beginningBytes = 256 * 1_024;
/** Mail that came just before we listened for the first time may be an answer all the same. */
const beforeMs = 3_600_000;
/** Days are all that a server can look for; and its clock is another one. */
const overlapMs = 24 * 3_600_000;

/** As long as a line of a mail may be. */
const mostIdUnits = 998;

const mostWaiting = 64;
const mostTries = 12;
const firstWaitMs = 60_000;
const longestWaitMs = 15 * 60_000;

export type Look = {
  readonly replies: readonly Reply[];
  readonly chats: readonly ChatChange[];
  readonly place: Place;
  readonly more: boolean;
};

type Outcome =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "bounce"; readonly chat: string }
  | { readonly kind: "nothing" }
  /** It cannot be read now. */
  | { readonly kind: "later"; readonly mail?: FoundMail };

export type ReadingOptions = {
  readonly settings: Settings;
  readonly tools: ChannelTools;
  /** Whose numbers they are. */
  readonly account: string;
  readonly resolver?: Resolver | undefined;
};

/**
 * Reads what has come in since a place in the mailbox. Whatever one mail does (it ends the line, or its proof cannot be
 * looked up), those behind it are read: it waits, and is tried again for two hours.
 */
export function reading({ settings, tools, account, resolver }: ReadingOptions) {
  /** How often the line was lost over a mail. */
  const strikes = new Map<number, number>();

  async function look(box: Mailbox, known: Place | undefined, signal: AbortSignal): Promise<Look> {
    const began = performance.now();
    const place = placeIn(box, known, tools.now());
    const listed = await box.list(place.uid, place.since, signal);
    const due = place.waiting.filter(({ at }) => at <= tools.now());
    const uids = [...due.map(({ uid }) => uid), ...listed.slice(0, mostMails)];
    const covers = await box.covers(uids, signal);
    const outcomes = new Map<number, Promise<Outcome>>();
    const active = new Set<Promise<unknown>>();
    for (const uid of uids) {
      if (performance.now() - began > batchMs && outcomes.size > 0) break;
      const cover = covers.get(uid);
      const isOld = !cover || cover.at < place.since;
      const mail = isOld ? undefined : await fetched(box, uid, cover, signal);
      const outcome = mail && "kind" in mail ? Promise.resolve(mail) : read(mail, place);
      outcomes.set(uid, outcome);
      const ended = outcome.finally(() => active.delete(ended));
      active.add(ended);
      if (active.size >= mostAtOnce) await Promise.race(active);
    }
    return settle(place, listed, outcomes);
  }

  async function settle(
    place: Place,
    listed: readonly number[],
    outcomes: ReadonlyMap<number, Promise<Outcome>>,
  ): Promise<Look> {
    const replies: Reply[] = [];
    const chats: ChatChange[] = [];
    const waiting = new Map(place.waiting.map((each) => [each.uid, each]));
    let { uid: last, newest } = place;
    for (const [uid, pending] of outcomes) {
      const before = waiting.get(uid);
      let outcome = await pending;
      waiting.delete(uid);
      if (outcome.kind === "later") {
        const tries = (before?.tries ?? 0) + 1;
        if (tries <= mostTries && waiting.size < mostWaiting) waiting.set(uid, laterOf(uid, tries));
        else outcome = unreadable(place, uid, outcome.mail);
      }
      if (outcome.kind === "reply") replies.push(outcome.reply);
      if (outcome.kind === "bounce") chats.push(shutOut(outcome.chat));
      last = Math.max(last, uid);
      newest = Math.max(newest, Math.min(times.get(uid) ?? 0, tools.now()));
      times.delete(uid);
    }
    const left = listed.some((uid) => uid > last);
    return {
      replies,
      chats,
      place: { ...place, uid: last, newest, waiting: [...waiting.values()] },
      more: left,
    };
  }

  /** When each mail of this look came in. */
  const times = new Map<number, Instant>();

  function laterOf(uid: number, tries: number): Waiting {
    // At its next turn one lost line is enough to let it wait again.
    if (strikes.has(uid)) strikes.set(uid, 1);
    return { uid, tries, at: tools.now() + waitMs(tries) };
  }

  /** It may have come long before we looked; the waits alone tell how long it is tried, and no less is. */
  function firstReadAt(uid: number, { waiting }: Place): Instant {
    const before = waiting.find((each) => each.uid === uid);
    const waits = Array.from({ length: before?.tries ?? 0 }, (_, index) => waitMs(index + 1));
    return waits.reduce((at, ms) => at - ms, before?.at ?? tools.now());
  }

  async function fetched(
    box: Mailbox,
    uid: number,
    { sizeBytes }: Cover,
    signal: AbortSignal,
  ): Promise<FoundMail | undefined | Outcome> {
    if ((strikes.get(uid) ?? 0) >= 2) return { kind: "later" };
    try {
      const mail = await box.fetch(uid, sizeBytes > wholeBytes ? beginningBytes : wholeBytes, signal);
      strikes.delete(uid);
      if (mail) times.set(uid, mail.at);
      return mail;
    } catch (error) {
      if (signal.aborted) throw error;
      if (box.isOpen()) return { kind: "later" };
      strikes.set(uid, (strikes.get(uid) ?? 0) + 1);
      throw error;
    }
  }

  async function read(mail: FoundMail | undefined, place: Place): Promise<Outcome> {
    if (!mail) return { kind: "nothing" };
    const facts = {
      ours: settings.from,
      ...(settings.authserv_id === undefined ? {} : { authservId: settings.authserv_id }),
      sign: tools.sign,
      ...(resolver ? { resolver } : {}),
      receivedAt: mail.at,
      firstReadAt: firstReadAt(mail.uid, place),
      now: tools.now(),
    };
    try {
      const found = await within(readMs, readMail(mail.raw, facts));
      return found === undefined ? { kind: "later", mail } : outcomeOf(found, mail);
    } catch (error) {
      if (error instanceof ChannelError) return { kind: "later", mail };
      // A mail that nobody foresaw must not come again for ever.
      return unreadable(place, mail.uid, mail);
    }
  }

  function outcomeOf(found: MailRead, mail: FoundMail): Outcome {
    if (found.kind === "reply") {
      const isSetAside = found.reply.quarantined !== undefined;
      return { kind: "reply", reply: isSetAside ? found.reply : completed(found.reply, mail) };
    }
    const { bounceOf, failed } = found;
    const chat = failed?.toLowerCase() ?? "";
    // Anybody can write such a report; nobody else knows what we call our mails.
    const isOurs = bounceOf !== undefined && isOwnMail(bounceOf, chat, settings.from, tools);
    return isOurs ? { kind: "bounce", chat } : { kind: "nothing" };
  }

  /** With what its receipt needs to stand below it. */
  function completed({ to: _named, ...reply }: Reply, mail: FoundMail): Reply {
    const to = refAmong(idsIn(mail.raw), settings.from);
    const id = (mail.messageId ?? reply.message)?.slice(0, mostIdUnits);
    return {
      ...reply,
      ...(to === undefined ? {} : { to }),
      ...(id === undefined
        ? {}
        : { message: theirRef({ id, to, question: questionId(reply.token ?? ""), subject: mail.subject }) }),
    };
  }

  function unreadable(place: Place, uid: number, mail: FoundMail | undefined): Outcome {
    if (!mail || mail.from === "") return { kind: "nothing" };
    const key = `${account}:${place.validity}:${uid}`;
    return { kind: "reply", reply: { key, sender: mail.from, at: mail.at, quarantined: "unreadable" } };
  }

  return { look };
}

const waitMs = (tries: number): number => Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - 1));

/** Where reading begins: the first time, and where the server counts anew, with what came lately. */
function placeIn(box: Mailbox, known: Place | undefined, now: Instant): Place {
  const { validity } = box;
  if (!known) return { validity, uid: 0, since: now - beforeMs, newest: now - beforeMs, waiting: [] };
  if (known.validity === validity) return known;
  // What was read already is known by its Message-ID and has no second effect.
  const since = Math.max(known.since, known.newest - overlapMs);
  return { validity, uid: 0, since, newest: known.newest, waiting: [] };
}

const shutOut = (chat: string): ChatChange => ({
  chat,
  open: false,
  detail: `Mail: ${chat} takes no mail: it came back. Correct the address, or look at its mailbox`,
});

/** What stands in References and In-Reply-To, the root of the thread first. */
function idsIn(raw: Uint8Array): readonly string[] {
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, 65_536)).toString("latin1");
  const head = text.slice(0, /\r?\n\r?\n/.exec(text)?.index ?? text.length).replace(/\r?\n[ \t]+/g, " ");
  return ["references", "in-reply-to"].flatMap((name) =>
    [...head.matchAll(new RegExp(`^${name}:(.*)$`, "gim"))].flatMap(
      ([, value = ""]) => value.match(/<[^<>\s]+>/g) ?? [],
    ),
  );
}

/** Undefined when that takes longer. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(done, ms, undefined);
  });
  // What it says later is nobody's business any more.
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
