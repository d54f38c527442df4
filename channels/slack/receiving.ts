import { setMaxListeners } from "node:events";
import type { Batch, Receipt, Reply } from "../../src/domain/channel.ts";
import type { Cursor, Instant } from "../../src/domain/ids.ts";
import { type Acked, type Arrival, openArrivals } from "./arrivals.ts";
import { patiently, readAgain } from "./catch-up.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { type Decoded, decode, type Me } from "./envelope.ts";
import { formView, type OpenedForm } from "./form.ts";
import { type Envelope, userOf } from "./frames.ts";
import { type Lines, type LinesTiming, openLines, pause, stopped } from "./lines.ts";
import { openNames } from "./names.ts";
import { openPlaces, type Places, placeOf } from "./places.ts";
import type { Socket } from "./socket.ts";
import { show } from "./toasts.ts";
import type { Web } from "./web.ts";

export type Timing = LinesTiming & {
  /** How long a poll that has nothing to tell is held. */
  readonly waitMs: number;
  /** How long the first poll waits for what Slack has kept. */
  readonly graceMs: number;
  /** How long a batch waits for display names. */
  readonly nameMs: number;
  /** How long a receipt may take that its sender alone sees. */
  readonly toastMs: number;
};

export const ordinaryTiming: Timing = {
  waitMs: 25_000,
  graceMs: 250,
  callMs: 15_000,
  nameMs: 150,
  toastMs: 5_000,
  pingMs: 5_000,
  deafMs: 15_000,
  helloMs: 10_000,
  // Slack ends a line some ten seconds after its warning, and then everything on its way has arrived; sooner, a tap might not.
  farewellMs: 30_000,
  shortMs: 5_000,
  freshMs: 30 * 60_000,
  echoMs: 60_000,
};

export type ReceivingOptions = {
  readonly web: Web;
  readonly now: () => Instant;
  readonly timing: Timing;
  /** Where questions go, or owners whose private chats are read again. */
  readonly destinations: readonly string[];
};

/** Slack tries for about six minutes to hand over an event; what came within them may not have been acked. */
const overlapMs = 10 * 60_000;
/** How far the cursor may lag behind: each step of it is a commit. */
const cursorEveryMs = 60_000;
const mostReplies = 100;

export type Receiving = {
  readonly places: Places;
  poll(cursor: Cursor | undefined, signal: AbortSignal): Promise<Batch>;
  /** A message of ours was shown, of which Slack tells us, too. */
  shown(): void;
  close(): void;
};

export function openReceiving({ web, now, timing, destinations }: ReceivingOptions): Receiving {
  const closing = new AbortController();
  // Every call under way listens; Node would print a warning at the eleventh.
  setMaxListeners(0, closing.signal);
  const { signal: closed } = closing;
  const arrivals = openArrivals();
  let roomsChanged = false;
  const places = openPlaces(web, () => {
    roomsChanged = true;
    // So that it is remembered before this process can die.
    arrivals.wake();
  });
  const names = openNames(web, closed, timing.toastMs);
  const threads = new Set<string>();
  for (const { channel, thread } of destinations.map(placeOf)) {
    if (channel !== undefined && thread !== undefined) threads.add(`${channel}/${thread}`);
  }
  let me: Me | undefined;
  let lines: Promise<Lines> | undefined;
  /** Up to then everything was handed over. */
  let soundAt: Instant | undefined;
  let givenAt: Instant | undefined;
  let catchingUp: Promise<void> | undefined;
  let again = false;
  /** The last batch said that there is more. */
  let owes = false;
  let first = true;

  const within = (signal: AbortSignal, withinMs: number) => ({ signal, withinMs });

  function onEnvelope(envelope: Envelope, socket: Socket): void {
    const decoded = safely(envelope);
    const { reply, way, answer, form } = decoded;
    if (!reply) {
      // Nothing is to be stored, so nothing can be lost.
      socket.ack(envelope.envelope_id, answer);
      if (form) void openForm(form, decoded);
      return;
    }
    const [channel] = (reply.message ?? reply.to ?? "").split(":");
    if (channel) places.spoken(channel, userOf(reply.sender));
    arrivals.add({ reply, ...(way ? { way } : {}), line: { envelope, socket } });
  }

  /** An envelope that nobody foresaw must not come again for ever. */
  function safely(envelope: Envelope): Decoded {
    try {
      return me ? decode(envelope, me, threads) : { reply: null };
    } catch {
      return { reply: null };
    }
  }

  async function openForm(form: OpenedForm, { way }: Decoded): Promise<void> {
    try {
      const params = { trigger_id: form.trigger, view: formView(form) };
      await web.call("views.open", params, within(closed, timing.toastMs));
    } catch {
      const text = "The form could not be opened. Answer in the thread of the question instead.";
      const receipt = { key: "", text, accepted: false };
      if (way) await show(way, receipt, web, within(closed, timing.toastMs)).catch(() => undefined);
    }
  }

  async function identify(signal: AbortSignal): Promise<Me> {
    const { team_id: team = "", user_id: user = "" } = await web.call<{ team_id?: string; user_id?: string }>(
      "auth.test",
      {},
      within(signal, timing.callMs),
    );
    return { team, user };
  }

  /** Reads again what was said while nobody listened; until that is done there is more to come. */
  function catchUp(): void {
    if (catchingUp) {
      again = true;
      return;
    }
    const since = soundAt;
    const bot = me;
    if (since === undefined || !bot) return;
    // A clock that was ahead for a while must not hide what came since.
    const from = Math.min(since, now()) - overlapMs;
    catchingUp = (async () => {
      const signal = closed;
      for (const destination of destinations) {
        const { person } = placeOf(destination);
        if (person === undefined) continue;
        // With somebody who has left there is no chat any more.
        const found = await patiently(() => places.find(destination, within(signal, timing.callMs)), signal);
        if (found) places.stands(found.channel, person);
      }
    })()
      .then(() =>
        readAgain({
          web,
          me: bot,
          rooms: places.rooms(),
          threads,
          since: from,
          signal: closed,
          callMs: timing.callMs,
        }),
      )
      .then((replies) => {
        for (const reply of replies) arrivals.add({ reply });
      })
      .catch(() => undefined)
      .finally(() => {
        catchingUp = undefined;
        arrivals.wake();
        if (!again || closed.aborted) return;
        again = false;
        catchUp();
      });
  }

  async function begin(cursor: Cursor | undefined, signal: AbortSignal): Promise<Lines> {
    if (!me) {
      me = await identify(signal);
      const heard = readCursor(cursor, me.team);
      for (const room of heard?.rooms ?? []) places.stands(room);
      for (const { channel } of destinations.map(placeOf)) if (channel !== undefined) places.stands(channel);
      roomsChanged = places.rooms().some((room) => !heard?.rooms.includes(room));
      soundAt = heard?.at;
      givenAt = soundAt;
    }
    lines ??= openLines(web, { onEnvelope, onUp: catchUp, onDown: arrivals.wake }, timing);
    const opened = await lines;
    await opened.up(signal);
    return opened;
  }

  async function poll(cursor: Cursor | undefined, signal: AbortSignal): Promise<Batch> {
    if (signal.aborted || closed.aborted) throw stopped();
    const both = new AbortController();
    const stop = (): void => both.abort();
    signal.addEventListener("abort", stop, { once: true });
    closed.addEventListener("abort", stop, { once: true });
    try {
      return await held(await begin(cursor, both.signal), both.signal);
    } catch (error) {
      if (both.signal.aborted) throw stopped();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      closed.removeEventListener("abort", stop);
    }
  }

  async function held(line: Lines, signal: AbortSignal): Promise<Batch> {
    if (first) await pause(timing.graceMs, signal);
    const until = performance.now() + (first ? 0 : timing.waitMs);
    // Whoever was told that there is more waits for the end of it, also of one that came in between.
    const wasCatchingUp = owes || catchingUp !== undefined;
    for (;;) {
      if (signal.aborted) throw stopped();
      // What comes after a line was lost comes over the next one.
      if (!line.isUp()) await line.up(signal);
      const leftMs = until - performance.now();
      const caughtUp = wasCatchingUp && catchingUp === undefined;
      if (arrivals.count > 0 || leftMs <= 0 || caughtUp || (roomsChanged && soundAt !== undefined)) break;
      await arrivals.wait(leftMs, signal);
    }
    // What lies in the same packet belongs into the same transaction.
    await new Promise((done) => setImmediate(done));
    first = false;
    return batchOf(line, signal);
  }

  async function batchOf(line: Lines, signal: AbortSignal): Promise<Batch> {
    const taken = arrivals.first(mostReplies);
    await nameAll(taken, signal);
    const left = arrivals.count > taken.length;
    owes = left || catchingUp !== undefined;
    if (!catchingUp && !left && line.isHeard()) soundAt = now();
    const isDue = soundAt !== undefined && Math.abs(soundAt - (givenAt ?? 0)) >= cursorEveryMs;
    const moves = soundAt !== undefined && me !== undefined && (isDue || roomsChanged);
    if (moves) {
      givenAt = soundAt;
      roomsChanged = false;
    }
    return {
      replies: taken.map(({ reply }) => named(reply)),
      ...(moves && me
        ? { cursor: writeCursor({ team: me.team, at: soundAt ?? 0, rooms: places.rooms() }) }
        : {}),
      ...(owes ? { more: true } : {}),
      settle: (receipts) => settle(taken, receipts),
    };
  }

  async function nameAll(taken: readonly Arrival[], signal: AbortSignal): Promise<void> {
    const looks = [...new Set(taken.map(({ reply }) => userOf(reply.sender)))].flatMap((user) => {
      const looked = names.look(user);
      return names.known(user) === undefined ? [looked] : [];
    });
    if (looks.length > 0) await Promise.race([Promise.all(looks), pause(timing.nameMs, signal)]);
  }

  function named(reply: Reply): Reply {
    const name = names.known(userOf(reply.sender));
    return name === undefined ? reply : { ...reply, name };
  }

  /** All acks first: Slack waits for them, and a receipt that is slow to show holds up none. */
  async function settle(taken: readonly Arrival[], receipts: readonly Receipt[]): Promise<readonly string[]> {
    const acked = arrivals.ack(taken, receipts);
    return (await Promise.all(acked.map(shownTo))).flat();
  }

  async function shownTo({ arrival: { reply, way }, receipt, told }: Acked): Promise<readonly string[]> {
    if (!way || !receipt) return [];
    if (told) return [reply.key];
    return show(way, receipt, web, within(closed, timing.toastMs)).then(
      () => [reply.key],
      () => [],
    );
  }

  return {
    places,
    poll,
    shown: () => {
      void lines?.then((opened) => opened.expectEcho()).catch(() => undefined);
    },
    close() {
      closing.abort();
      arrivals.wake();
      void lines?.then((opened) => opened.close()).catch(() => undefined);
    },
  };
}
