import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChannelMessage, Receipt } from "../../src/domain/channel.ts";

/** What a person did on the phone. */
export type Press = {
  /** The same name again is the same press. */
  readonly name: string;
  readonly sender: string;
  readonly question: string;
  /** An option's key, `skip` or `retry`. */
  readonly action: string;
  /** The platform's own time of the press. */
  readonly at?: number;
};
/** What a person typed there. */
export type Said = {
  readonly name: string;
  readonly sender: string;
  readonly text: string;
  /** What the platform calls it; an edit has the name of what it changes. */
  readonly message: string;
  /** The message of ours that it replies to. */
  readonly to?: string;
  readonly edited?: true;
  /** The bot itself is the sender: platforms tell it of its own messages. */
  readonly own?: true;
};
export type Update = (Press | Said) & { readonly id: number };

export type PeerMessage = {
  readonly ref: string;
  readonly destination: string;
  readonly key: string;
  /** Theirs that it stands in reply to. */
  readonly replyTo?: string;
  /** How often this key was posted. */
  posts: number;
  /** As posted, then as each edit left it. */
  readonly versions: ChannelMessage[];
};

/** One request of that kind fails. `swallow`: it is done, but its reply never arrives. */
export type Fault = {
  readonly on: "post" | "edit" | "updates" | "receipts";
  readonly how: "swallow" | "reset" | "busy" | "broken" | "forbidden";
  times: number;
  readonly destination?: string;
  readonly retryAfterSeconds?: number;
};

export type Peer = {
  readonly url: string;
  readonly messages: readonly PeerMessage[];
  readonly updates: readonly Update[];
  readonly receipts: readonly Receipt[];
  /** Updates below this number are confirmed and will not come again. */
  confirmedBelow(): number;
  /** Is a poll held at this moment? */
  isPolled(): boolean;
  press(press: Press): Update;
  /** Somebody types; returns what the platform calls it. */
  say(said: Omit<Said, "name" | "message"> & { readonly message?: string }): string;
  /** What they typed is deleted. */
  forget(message: string): void;
  fail(fault: Fault): void;
  /** Faults that have not happened yet. */
  faults(): readonly Fault[];
  close(): Promise<void>;
};

/** The longest body that a message may have, in UTF-16 units. */
export const mostPeerUnits = 20_000;

type Reply = { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> };

/**
 * A strict chat platform on loopback, which lives in the test and so survives every kill of the service.
 * A post with a key it knows gives the same message; an update comes again until a larger offset confirms it.
 */
export async function startPeer(): Promise<Peer> {
  const messages: PeerMessage[] = [];
  const byKey = new Map<string, PeerMessage>();
  const updates: Update[] = [];
  const receipts: Receipt[] = [];
  let faults: Fault[] = [];
  let confirmed = 1;
  const waiting = new Set<() => void>();

  const typed = new Set<string>();

  function push(given: Press | Said): Update {
    const update = { ...given, id: updates.length + 1 };
    updates.push(update);
    for (const wake of [...waiting]) wake();
    return update;
  }

  function press(given: Press): Update {
    return updates.find((update) => update.name === given.name) ?? push(given);
  }

  function say(said: Parameters<Peer["say"]>[0]): string {
    const message = said.message ?? `t${updates.length + 1}`;
    typed.add(message);
    push({ ...said, message, name: `said ${updates.length + 1}` });
    return message;
  }

  function post(body: { destination: string; key: string; message: ChannelMessage }): Reply {
    if (body.message.body.length > mostPeerUnits) return { status: 413, body: { error: "too long" } };
    const known = byKey.get(`${body.destination}\n${body.key}`);
    if (known) {
      known.posts += 1;
      return { status: 200, body: { ref: known.ref } };
    }
    const { destination, key, message } = body;
    const { replyTo } = message;
    const made = {
      ref: `m${messages.length + 1}`,
      destination,
      key,
      ...(replyTo !== undefined && typed.has(replyTo) ? { replyTo } : {}),
      posts: 1,
      versions: [message],
    };
    messages.push(made);
    byKey.set(`${destination}\n${key}`, made);
    return { status: 200, body: { ref: made.ref } };
  }

  function edit(body: { destination: string; ref: string; message: ChannelMessage }): Reply {
    const found = messages.find((each) => each.ref === body.ref && each.destination === body.destination);
    if (!found) return { status: 404, body: { error: "message to edit not found" } };
    found.versions.push(body.message);
    return { status: 200, body: {} };
  }

  async function next(offset: number, waitMs: number, gone: Promise<void>): Promise<Reply> {
    confirmed = Math.max(confirmed, offset);
    const after = (): Update[] => updates.filter((update) => update.id >= confirmed);
    if (after().length === 0 && waitMs > 0) {
      await new Promise<void>((done) => {
        const end = (): void => {
          clearTimeout(timer);
          waiting.delete(end);
          done();
        };
        const timer = setTimeout(end, waitMs);
        waiting.add(end);
        void gone.then(end);
      });
    }
    return { status: 200, body: { updates: after() } };
  }

  function faultFor(on: Fault["on"], destination: string | undefined): Fault | undefined {
    const fault = faults.find(
      (each) => each.on === on && (each.destination === undefined || each.destination === destination),
    );
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times <= 0) faults = faults.filter((each) => each !== fault);
    return fault;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://peer");
    const text = await bodyOf(request);
    const body = text === "" ? {} : JSON.parse(text);
    const gone = new Promise<void>((done) => {
      response.on("close", () => done());
    });
    const doIt = async (): Promise<Reply> => {
      switch (`${request.method} ${url.pathname}`) {
        case "POST /post":
          return post(body);
        case "POST /edit":
          return edit(body);
        case "GET /updates":
          return next(Number(url.searchParams.get("offset")), Number(url.searchParams.get("wait")), gone);
        case "POST /receipts":
          receipts.push(...(body as Receipt[]));
          return { status: 200, body: { delivered: (body as Receipt[]).map((each) => each.key) } };
        // The person's side, for a child process that plays both.
        case "POST /person/press":
          return { status: 200, body: press(body) };
        case "POST /person/fault":
          faults.push(body);
          return { status: 200, body: {} };
        case "GET /person/confirmed":
          return { status: 200, body: { below: confirmed } };
        default:
          return { status: 404, body: { error: "no such method" } };
      }
    };
    const on = url.pathname.slice(1) as Fault["on"];
    const fault = faultFor(on, body.destination);
    if (fault?.how === "swallow") await doIt();
    if (fault?.how === "swallow" || fault?.how === "reset") {
      request.socket.destroy();
      return;
    }
    const reply = fault ? refusal(fault) : await doIt();
    if (response.destroyed) return;
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify(reply.body));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    messages,
    updates,
    receipts,
    confirmedBelow: () => confirmed,
    isPolled: () => waiting.size > 0,
    press,
    say,
    forget: (message) => void typed.delete(message),
    fail: (fault) => faults.push(fault),
    faults: () => faults,
    close: () =>
      new Promise<void>((closed) => {
        for (const wake of [...waiting]) wake();
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function refusal(fault: Fault): Reply {
  switch (fault.how) {
    case "busy":
      return {
        status: 429,
        body: { error: "too many requests" },
        headers: { "retry-after": String(fault.retryAfterSeconds ?? 1) },
      };
    case "forbidden":
      return { status: 403, body: { error: "blocked by the recipient" } };
    default:
      return { status: 503, body: { error: "out of order" } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
