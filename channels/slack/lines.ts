import { setTimeout as sleep } from "node:timers/promises";
import { ChannelError } from "../../src/domain/channel.ts";
import { refusalOf } from "./refusals.ts";
import { lineLost, openSocket, type Socket, type SocketEvents, type SocketTiming } from "./socket.ts";
import type { Web } from "./web.ts";

export type LinesTiming = SocketTiming & {
  readonly callMs: number;
  /** How long an open line may bring nothing before a fresh one takes its place, in case Slack has forgotten it. */
  readonly freshMs: number;
  /** The same while something is sure to come: what we post comes back as an event. */
  readonly echoMs: number;
  /** How long a line that was replaced may still bring and take what is under way. */
  readonly farewellMs: number;
  /** A line that Slack ends so soon after its greeting is no reason to ask for the next one at once. */
  readonly shortMs: number;
};

export type LinesEvents = Pick<SocketEvents, "onEnvelope"> & {
  /** A line greeted while no other was open: what was said before may not have come. */
  onUp(): void;
  onDown(): void;
};

/**
 * The lines to Slack: one, and for a moment two while one takes the place of another. Where there is none, the next `up`
 * opens it, so that whoever waits decides how often that is tried.
 */
export type Lines = {
  isUp(): boolean;
  /** Resolves when a line is open. Rejects with a `ChannelError` where none can be. */
  up(signal: AbortSignal): Promise<void>;
  /** Has anything, if only a sign of life, come over the line lately? */
  isHeard(): boolean;
  /** Something was done that Slack tells us of, too. */
  expectEcho(): void;
  close(): void;
};

const firstWaitMs = 1_000;
const longestWaitMs = 15_000;
const tooManyMs = 60_000;
/** An app that is told of nothing has no echo, either: its line is not replaced for every message. */
const mostRenewalsMs = 10 * 60_000;

export async function openLines(web: Web, events: LinesEvents, timing: LinesTiming): Promise<Lines> {
  const undici = await import("undici");
  const closing = new AbortController();
  const all = new Set<Socket>();
  let current: Socket | undefined;
  let greetedAt = 0;
  /** Why there is no line; told to the next who asks for one. */
  let refused: ChannelError | undefined;
  let opening: Promise<void> | undefined;
  let renewing = false;
  let lastEnvelopeAt = performance.now();
  let renewedAt = Number.NEGATIVE_INFINITY;
  let echo: NodeJS.Timeout | undefined;

  const socketEvents: SocketEvents = {
    onEnvelope(envelope, socket) {
      lastEnvelopeAt = performance.now();
      clearTimeout(echo);
      echo = undefined;
      events.onEnvelope(envelope, socket);
    },
    onDisconnect(reason, socket) {
      const why = refusalFor(reason);
      if (why) {
        if (reason === "link_disabled") for (const each of all) each.close(why);
        socket.close(why);
        // While another line is open nobody needs to know.
        if (!current) refused = why;
      } else if (!socket.isOpen()) socket.close();
      // A line whose place is taken says its farewells, however often Slack names the reason.
      else if (socket === current) void replace(socket);
    },
    onClosed(socket) {
      all.delete(socket);
      if (socket !== current) return;
      current = [...all].find((each) => each.isOpen());
      if (current) return;
      if (performance.now() - greetedAt < timing.shortMs) refused ??= lineLost("Slack ended it right away");
      events.onDown();
    },
  };

  async function open(signal: AbortSignal): Promise<Socket> {
    const url = await web.connectUrl({ signal, withinMs: timing.callMs });
    if (closing.signal.aborted) throw stopped();
    const socket = openSocket(url, undici, socketEvents, timing);
    all.add(socket);
    const stop = (): void => socket.close();
    signal.addEventListener("abort", stop, { once: true });
    try {
      if (signal.aborted) stop();
      await socket.greeted;
    } catch (error) {
      throw signal.aborted ? stopped() : error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
    return socket;
  }

  function takeRefusal(): ChannelError | undefined {
    const why = refused;
    refused = undefined;
    return why;
  }

  function greeted(socket: Socket): void {
    const others = [...all].some((each) => each !== socket && each.isOpen());
    current = socket;
    greetedAt = performance.now();
    lastEnvelopeAt = greetedAt;
    refused = undefined;
    if (!others) events.onUp();
  }

  /** The new line is open before the old one ends, so nobody's tap falls between them. */
  async function replace(old: Socket): Promise<void> {
    if (renewing || closing.signal.aborted) return;
    renewing = true;
    try {
      for (let waitMs = firstWaitMs; old.isOpen() && !closing.signal.aborted; waitMs *= 2) {
        try {
          greeted(await open(closing.signal));
          setTimeout(() => old.close(), timing.farewellMs).unref();
          return;
        } catch (error) {
          const asked = error instanceof ChannelError ? (error.retryAfterMs ?? 0) : 0;
          await pause(Math.max(Math.min(waitMs, longestWaitMs), asked), closing.signal);
        }
      }
    } finally {
      renewing = false;
    }
  }

  function renew(): void {
    lastEnvelopeAt = performance.now();
    if (current) void replace(current);
  }

  const looking = setInterval(
    () => {
      if (performance.now() - lastEnvelopeAt >= timing.freshMs) renew();
    },
    Math.max(1, Math.min(timing.freshMs, 60_000)),
  );
  looking.unref();

  return {
    isUp: () => current?.isOpen() === true,
    async up(signal) {
      if (closing.signal.aborted || signal.aborted) throw stopped();
      if (current?.isOpen()) return;
      const why = takeRefusal();
      if (why) throw why;
      opening ??= open(signal)
        .then(greeted)
        .finally(() => {
          opening = undefined;
        });
      await opening;
    },
    isHeard: () => current?.isHeard() === true,
    expectEcho() {
      if (echo || performance.now() - renewedAt < mostRenewalsMs) return;
      echo = setTimeout(() => {
        echo = undefined;
        renewedAt = performance.now();
        renew();
      }, timing.echoMs);
      echo.unref();
    },
    close() {
      closing.abort();
      clearInterval(looking);
      clearTimeout(echo);
      for (const each of all) each.close();
    },
  };
}

/** What ends a line for good, or for a while; a routine end is none of it. */
function refusalFor(reason: string): ChannelError | undefined {
  if (reason === "link_disabled") return refusalOf("link_disabled");
  if (reason !== "too_many_websockets") return undefined;
  return new ChannelError(
    "too-many-lines",
    "Slack: too many programs are connected with this app token. Stop the others, or give owlpost an app of its own",
    { delivered: "no", retryAfterMs: tooManyMs },
  );
}

export function stopped(): ChannelError {
  return new ChannelError("stopped", "the call to Slack was stopped");
}

/** Waits, at most until the signal aborts; never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
