import { channel } from "node:diagnostics_channel";
import type { Socket as NetSocket } from "node:net";
import type * as undici from "undici";
import { ChannelError } from "../../src/domain/channel.ts";
import type { Envelope, Frame } from "./frames.ts";

export type SocketTiming = {
  /** How often the other end is asked whether it is still there. */
  readonly pingMs: number;
  /** How long nothing at all may come before the line counts as dead. */
  readonly deafMs: number;
  /** How long a greeting may take. */
  readonly helloMs: number;
};

export type SocketEvents = {
  onEnvelope(envelope: Envelope, socket: Socket): void;
  /** Slack says that it will end this line, and why. */
  onDisconnect(reason: string, socket: Socket): void;
  onClosed(socket: Socket): void;
};

/** One Socket Mode line. It never throws by itself and never opens another one. */
export type Socket = {
  /** Resolves with the greeting; rejects with a `ChannelError` where none came. */
  readonly greeted: Promise<void>;
  /** False where the line is gone: Slack will send that envelope again. */
  ack(envelopeId: string, payload?: object): boolean;
  isOpen(): boolean;
  /** Has anything come lately, a pong included? */
  isHeard(): boolean;
  /** `why` is what whoever waits for its greeting hears. */
  close(why?: ChannelError): void;
};

type Undici = Pick<typeof undici, "WebSocket" | "Agent" | "buildConnector" | "ping">;

const closeMs = 2_000;

export function openSocket(url: string, library: Undici, events: SocketEvents, timing: SocketTiming): Socket {
  const { WebSocket, Agent, buildConnector, ping } = library;
  let raw: NetSocket | undefined;
  // By both clocks: one stands still while the machine sleeps, the other may be set.
  let last = performance.now();
  let lastByDate = Date.now();
  let greetedAlready = false;
  let closed = false;
  let greet: () => void = () => undefined;
  let fail: (error: ChannelError) => void = () => undefined;
  const greeted = new Promise<void>((resolve, reject) => {
    greet = resolve;
    fail = reject;
  });
  // Whoever opened it may look later, or not at all.
  greeted.catch(() => undefined);

  // undici hides the line itself; a peer that says nothing any more is only got rid of by that.
  const connector = buildConnector({ allowH2: false, timeout: timing.helloMs });
  const dispatcher = new Agent({
    connect: (options, callback) =>
      connector(options, (error, line) => {
        if (!line) return callback(error ?? new Error("no line"), null);
        raw = line;
        if (closed) line.destroy();
        callback(null, line);
      }),
  });
  const socket = new WebSocket(url, { dispatcher });
  const heard = (): void => {
    last = performance.now();
    lastByDate = Date.now();
  };
  const isHeard = (): boolean =>
    performance.now() - last <= timing.deafMs && Date.now() - lastByDate <= timing.deafMs;
  const beats = [channel("undici:websocket:ping"), channel("undici:websocket:pong")];
  const onBeat = (message: unknown): void => {
    if ((message as { websocket?: unknown }).websocket === socket) heard();
  };
  for (const beat of beats) beat.subscribe(onBeat);
  const greeting = setTimeout(() => end(lineLost("it did not greet in time")), timing.helloMs);
  const beating = setInterval(() => {
    if (!isHeard()) return end(lineLost("nothing came over it any more"));
    if (socket.readyState !== WebSocket.OPEN) return;
    try {
      ping(socket);
    } catch {
      end(lineLost("it could not be written to"));
    }
  }, timing.pingMs);

  socket.addEventListener("message", ({ data }) => {
    heard();
    const frame = frameOf(data);
    if (closed || !frame) return;
    if (frame.type === "hello") {
      clearTimeout(greeting);
      greetedAlready = true;
      greet();
    } else if (frame.type === "disconnect") events.onDisconnect(String(frame.reason), self);
    else if (isEnvelope(frame)) events.onEnvelope(frame, self);
  });
  socket.addEventListener("error", () => end(lineLost("it broke")));
  socket.addEventListener("close", () => end(lineLost("Slack ended it")));

  function end(why: ChannelError): void {
    if (closed) return;
    closed = true;
    clearTimeout(greeting);
    clearInterval(beating);
    for (const beat of beats) beat.unsubscribe(onBeat);
    if (!greetedAlready) fail(why);
    try {
      socket.close(1000);
    } catch {
      // It was never opened.
    }
    // The other end has a moment to say farewell, or to notice that it should.
    const grace = setTimeout(
      () => {
        raw?.destroy();
        dispatcher.destroy().catch(() => undefined);
      },
      raw === undefined || raw.destroyed ? 0 : closeMs,
    );
    grace.unref();
    events.onClosed(self);
  }

  const self: Socket = {
    greeted,
    ack(envelopeId, payload) {
      if (closed || socket.readyState !== WebSocket.OPEN) return false;
      try {
        socket.send(JSON.stringify({ envelope_id: envelopeId, ...(payload ? { payload } : {}) }));
        return true;
      } catch {
        return false;
      }
    },
    isOpen: () => !closed && greetedAlready,
    isHeard: () => !closed && isHeard(),
    close: (why = lineLost("it was closed")) => end(why),
  };
  return self;
}

export function lineLost(why: string): ChannelError {
  return new ChannelError("line-lost", `the line to Slack was lost: ${why}`);
}

function isEnvelope(frame: Frame): frame is Envelope {
  return typeof frame.envelope_id === "string";
}

function frameOf(data: unknown): Frame | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return typeof frame === "object" && frame !== null ? frame : undefined;
  } catch {
    return undefined;
  }
}
