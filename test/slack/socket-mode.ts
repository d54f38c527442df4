import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Fields } from "./blocks.ts";
import { app } from "./workspace.ts";

export type DisconnectReason = "warning" | "refresh_requested" | "link_disabled" | "too_many_websockets";
/** How the next socket is greeted: with a frame of its own instead of `hello`, with nothing at all, or with a reset. */
export type Greeting = { readonly disconnect: DisconnectReason } | "nothing" | "reset" | "binary";

export const mostSockets = 10;
const mostDrains = 10;
/** So many pings without an answer, and Slack takes a line for lost. */
const mostUnanswered = 6;
/** How long Slack waits for an ack, and when it tries an event again after each failure. In milliseconds. */
export const ordinaryAckMs = 3_000;
export const ordinaryRetriesMs: readonly number[] = [0, 60_000, 300_000];

type Kind = "events_api" | "interactive" | "slash_commands";
export type Envelope = {
  readonly kind: Kind;
  readonly payload: Fields;
  /** Every attempt has an id of its own. */
  id: string;
  attempt: number;
  reason: string;
  state: "due" | "sent" | "acked" | "failed";
  /** When it was sent, or is to be sent again. */
  at: number;
  socket?: Line;
  /** What came back with the ack. */
  response?: Fields;
  /** How long the last attempt took to be acked, in real milliseconds. */
  tookMs?: number;
  sentAtMs: number;
  readonly onEnd?: (envelope: Envelope) => void;
};

export type Line = {
  readonly ws: WebSocket;
  readonly tcp: Socket;
  readonly number: number;
  /** Slack has greeted it and not ended it. */
  isOpen: boolean;
  /** It will be ended in a moment: it is chosen only where there is no other. */
  isLeaving: boolean;
  /** Nothing goes through any more, and neither side hears of it. */
  isFrozen: boolean;
};

export type SocketMode = ReturnType<typeof openSocketMode>;

/** Slack's end of every socket of the app. `now` runs the acks and retries; pings and closes are in real time. */
export function openSocketMode(given: {
  readonly now: () => number;
  readonly random: () => number;
  readonly ackMs: number;
  readonly retriesMs: readonly number[];
  /** How often Slack pings each socket. */
  readonly pingMs: number;
  /** How long a socket lives on after it was asked to be refreshed. */
  readonly drainMs: number;
  /** Envelopes wait for a socket instead of failing: for tests that do not care when it is opened. */
  readonly patient: boolean;
}) {
  const { now, random, ackMs, retriesMs, pingMs, drainMs, patient } = given;
  const lines = new Set<Line>();
  const greetings: Greeting[] = [];
  const envelopes: Envelope[] = [];
  /** By every id that it ever had. */
  const byId = new Map<string, Envelope>();
  const pending = new Set<Envelope>();
  /** What no client that knows the protocol does. */
  const misuses: string[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let opened = 0;
  let isDisabled = false;

  const live = (): Line[] => [...lines].filter(({ isOpen }) => isOpen);

  function write(line: Line, frame: Fields): void {
    if (!line.isFrozen) line.ws.send(JSON.stringify(frame));
  }

  function later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  }

  function goodbye(line: Line, reason: DisconnectReason): void {
    write(line, { type: "disconnect", reason, debug_info: { host: "applink-fake-1" } });
    if (reason === "warning") return;
    const close = (): void => {
      line.isOpen = false;
      line.ws.close(1000);
    };
    /** What is under way is waited for, a while. */
    const drain = (roundsLeft: number): void => {
      const isBusy = [...pending].some(({ socket, state }) => socket === line && state === "sent");
      if (isBusy && roundsLeft > 0) later(drainMs, () => drain(roundsLeft - 1));
      else close();
    };
    if (reason === "refresh_requested") {
      line.isLeaving = true;
      later(drainMs, () => drain(mostDrains));
    } else close();
  }

  /** The handshake is done on the wire. */
  function join(ws: WebSocket, tcp: Socket): void {
    opened += 1;
    const line: Line = { ws, tcp, number: opened, isOpen: false, isLeaving: false, isFrozen: false };
    lines.add(line);
    let unanswered = 0;
    const pings = setInterval(() => {
      unanswered += 1;
      // Nobody is there any more.
      if (unanswered > mostUnanswered) {
        ws.resume();
        tcp.destroy();
      } else if (!line.isFrozen) ws.ping("Ping from applink-fake-1");
    }, pingMs);
    pings.unref();
    ws.on("pong", () => {
      unanswered = 0;
    });
    ws.on("ping", (data) => {
      if (!line.isFrozen) ws.pong(data);
    });
    ws.on("message", (data, isBinary) => {
      if (!line.isFrozen) hear(line, isBinary ? "" : String(data));
    });
    ws.on("error", () => undefined);
    ws.on("close", () => {
      clearInterval(pings);
      line.isOpen = false;
      lines.delete(line);
    });
    const greeting = greetings.shift();
    if (greeting === "reset") {
      tcp.resetAndDestroy();
      return;
    }
    if (greeting === "nothing") return;
    if (greeting === "binary") ws.send(Buffer.from([1, 2, 3]));
    const isFull = live().length >= mostSockets;
    const refusal =
      typeof greeting === "object"
        ? greeting.disconnect
        : isDisabled
          ? "link_disabled"
          : isFull
            ? "too_many_websockets"
            : undefined;
    if (refusal) {
      goodbye(line, refusal);
      return;
    }
    line.isOpen = true;
    write(line, {
      type: "hello",
      num_connections: live().length,
      debug_info: { host: "applink-fake-1", build_number: 99, approximate_connection_time: 18_060 },
      connection_info: { app_id: app },
    });
    tick();
  }

  function hear(line: Line, text: string): void {
    let frame: { envelope_id?: unknown; payload?: Fields } = {};
    try {
      frame = JSON.parse(text);
    } catch {
      misuses.push("a frame that is no JSON");
      return;
    }
    const envelope = byId.get(String(frame.envelope_id));
    if (!envelope) {
      misuses.push(`an ack of ${String(frame.envelope_id)}, which was never sent`);
      return;
    }
    // Too late: it was given up, or has another id by now.
    if (envelope.id !== frame.envelope_id || envelope.state !== "sent") return;
    if (envelope.socket !== line) misuses.push(`an ack of ${envelope.id} over another socket`);
    else {
      const response = frame.payload ?? {};
      if (envelope.kind === "events_api" && Object.keys(response).length > 0) {
        misuses.push(`an ack of the event ${envelope.id} with a payload`);
      }
      envelope.response = response;
      envelope.tookMs = performance.now() - envelope.sentAtMs;
      end(envelope, "acked");
    }
  }

  /** Each envelope goes to one socket, whichever. */
  function send(envelope: Envelope): void {
    const staying = live().filter(({ isLeaving }) => !isLeaving);
    const to = staying.length > 0 ? staying : live();
    const line = to[Math.floor(random() * to.length)];
    if (!line) {
      if (!patient) fail(envelope, "no_connection");
      return;
    }
    envelope.state = "sent";
    envelope.at = now();
    envelope.sentAtMs = performance.now();
    envelope.socket = line;
    const { id, kind, payload, attempt, reason } = envelope;
    write(line, {
      envelope_id: id,
      payload,
      type: kind,
      accepts_response_payload: kind !== "events_api",
      ...(kind === "events_api" ? { retry_attempt: attempt, retry_reason: reason } : {}),
    });
  }

  /** An event comes again, in an envelope of its own, until Slack gives up; whatever a person waits for does not. */
  function fail(envelope: Envelope, reason: string): void {
    const wait = retriesMs[envelope.attempt];
    if (envelope.kind !== "events_api" || wait === undefined) {
      envelope.reason = reason;
      end(envelope, "failed");
      return;
    }
    envelope.id = randomUUID();
    byId.set(envelope.id, envelope);
    envelope.attempt += 1;
    envelope.reason = reason;
    envelope.state = "due";
    envelope.at = now() + wait;
  }

  function end(envelope: Envelope, state: "acked" | "failed"): void {
    envelope.state = state;
    pending.delete(envelope);
    envelope.onEnd?.(envelope);
  }

  function tick(): void {
    for (const envelope of [...pending]) {
      if (envelope.state === "sent" && now() - envelope.at >= ackMs) fail(envelope, "timeout");
      if (envelope.state === "due" && now() >= envelope.at) send(envelope);
    }
  }
  const clock = setInterval(tick, 20);
  clock.unref();

  return {
    envelopes,
    misuses,
    greetings,
    join,
    tick,
    sockets: (): readonly Line[] => [...lines],
    live: (): number => live().length,
    opened: (): number => opened,
    isDisabled: (): boolean => isDisabled,
    deliver(kind: Kind, payload: Fields, onEnd?: (envelope: Envelope) => void): Envelope {
      const envelope: Envelope = {
        kind,
        payload,
        id: randomUUID(),
        attempt: 0,
        reason: "",
        state: "due",
        at: now(),
        sentAtMs: 0,
        ...(onEnd ? { onEnd } : {}),
      };
      envelopes.push(envelope);
      byId.set(envelope.id, envelope);
      pending.add(envelope);
      send(envelope);
      return envelope;
    },
    /** To every socket, or to that one. */
    disconnect(reason: DisconnectReason, number?: number): void {
      if (reason === "link_disabled") isDisabled = true;
      for (const line of [...lines])
        if (number === undefined || line.number === number) goodbye(line, reason);
    },
    /** Socket Mode is switched on again. */
    enable(): void {
      isDisabled = false;
    },
    /** From now on nothing goes through the sockets that are there, in either direction. */
    freeze(): void {
      for (const line of lines) {
        line.isFrozen = true;
        line.ws.pause();
      }
    },
    /** The line breaks, without a goodbye. */
    cut(): void {
      for (const { tcp } of lines) tcp.resetAndDestroy();
    },
    close(): void {
      clearInterval(clock);
      for (const timer of timers) clearTimeout(timer);
      for (const { ws } of lines) ws.terminate();
    },
  };
}
