import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How long messages are kept, what a visitor may send, and when the stream gives a sign of life. */
const keptSeconds = 12 * 3_600;
const mostMessageBytes = 4_096;
const mostJsonBytes = 2 * mostMessageBytes;
const burst = 60;
const topicShape = /^[-_A-Za-z0-9]{1,64}$/;

type Fields = Readonly<Record<string, unknown>>;
export type Action = {
  readonly action: string;
  readonly label: string;
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly clear?: boolean;
};
/** As the platform sends it. */
export type Message = {
  readonly id: string;
  readonly time: number;
  readonly expires?: number;
  readonly event: string;
  readonly topic: string;
  readonly message?: string;
  readonly title?: string;
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly click?: string;
  readonly actions?: readonly Action[];
  readonly sequence_id?: string;
  readonly encoding?: string;
  readonly attachment?: Fields;
};
type Kept = Message & { readonly row: number; readonly scheduled: boolean };
type Right = "rw" | "ro" | "wo" | "deny";
type Refusal = { readonly http: number; readonly code: number; readonly error: string };

const refusals = {
  delayUnread: [400, 40004, "invalid delay parameter: unable to parse delay"],
  delaySmall: [400, 40005, "invalid delay parameter: too small, please refer to the docs"],
  delayLarge: [400, 40006, "invalid delay parameter: too large, please refer to the docs"],
  priority: [400, 40007, "invalid priority parameter"],
  since: [400, 40008, "invalid since parameter"],
  topic: [400, 40009, "invalid request: topic invalid"],
  noFiles: [400, 40014, "invalid request: attachments not allowed"],
  actions: [400, 40018, "invalid request: actions invalid"],
  json: [400, 40024, "invalid request: request body must be valid JSON"],
  sequence: [400, 40049, "invalid request: sequence ID invalid"],
  unauthorized: [401, 40101, "unauthorized"],
  forbidden: [403, 40301, "forbidden"],
  notFound: [404, 40401, "page not found"],
  tooLarge: [413, 41303, "JSON body too large"],
  requests: [429, 42901, "limit reached: too many requests"],
  quota: [429, 42908, "limit reached: daily message quota reached"],
} as const satisfies Record<string, readonly [number, number, string]>;

class Refused extends Error {
  readonly refusal: Refusal;
  constructor([http, code, error]: readonly [number, number, string], more = "") {
    super(error);
    this.refusal = { http, code, error: `${error}${more}` };
  }
}

export type NtfyOptions = {
  /** `2.11` knows no sequence ids: it takes them and says nothing of them. */
  readonly version?: "2.16" | "2.11";
  readonly now?: () => number;
  /** What nobody's token opens: by name of the topic, `*` for the rest. */
  readonly everybody?: Readonly<Record<string, Right>>;
  /** By token, then by topic. */
  readonly tokens?: Readonly<Record<string, Readonly<Record<string, Right>>>>;
  readonly messagesPerDay?: number;
  /** Files may be kept; without that a long message is refused. */
  readonly files?: boolean;
  readonly messageBytes?: number;
  readonly keepaliveMs?: number;
};

export type NtfyServer = Awaited<ReturnType<typeof startNtfy>>;

/**
 * An ntfy server on loopback. It says no where ntfy says no: the words, codes and order are those of the real one. `now` ages
 * its cache and what is scheduled; its signs of life are real time.
 */
export async function startNtfy(options: NtfyOptions = {}) {
  const { version = "2.16", now = Date.now, tokens = {}, everybody = { "*": "rw" }, files = true } = options;
  const { messagesPerDay = 17_280, messageBytes = mostMessageBytes, keepaliveMs = 45_000 } = options;
  const knowsSequences = version === "2.16";
  let rows: Kept[] = [];
  const everTold: Message[] = [];
  let made = 0;
  let sent = 0;
  let tokensLeft = Number.POSITIVE_INFINITY;
  const streams = new Set<{ readonly topics: readonly string[]; write(event: Message): void }>();

  const seconds = (): number => Math.floor(now() / 1_000);
  /** As the server's own: letters and digits, 12 of them. */
  const nextId = (): string => {
    made += 1;
    return `m${String(made).padStart(11, "0")}`;
  };

  // ---- what is kept ----------------------------------------------------------------------------------------------

  function age(): void {
    rows = rows.filter(({ expires = 0, scheduled }) => scheduled || expires > seconds());
    for (const due of rows.filter(({ scheduled, time }) => scheduled && time <= seconds())) {
      rows[rows.indexOf(due)] = { ...due, scheduled: false };
      tell(due);
    }
  }

  function tell(message: Kept): void {
    const event = shown(message);
    everTold.push(event);
    for (const stream of streams) if (stream.topics.includes(message.topic)) stream.write(event);
  }

  function shown({ row: _row, scheduled: _scheduled, ...message }: Kept): Message {
    return message;
  }

  function keep(message: Message, delaySeconds: number | undefined, cached: boolean): Message {
    const scheduled = delaySeconds !== undefined;
    const time = seconds() + (delaySeconds ?? 0);
    if (knowsSequences && message.sequence_id !== undefined) {
      // What waits under that id gives up its place, whatever comes.
      rows = rows.filter(
        (each) =>
          !(each.scheduled && each.topic === message.topic && each.sequence_id === message.sequence_id),
      );
    }
    const kept: Kept = {
      ...message,
      time,
      ...(cached ? { expires: time + keptSeconds } : {}),
      row: made,
      scheduled,
    };
    if (cached) rows.push(kept);
    if (!scheduled) tell(kept);
    return shown(kept);
  }

  function since(topics: readonly string[], from: string, scheduled: boolean): readonly Message[] {
    age();
    const there = rows.filter(({ topic }) => topics.includes(topic));
    const byTime = (least: number) => there.filter(({ time }) => time >= least);
    const pick = (): readonly Kept[] => {
      if (from === "all") return there;
      if (from === "none") return [];
      if (/^\d+$/.test(from)) return byTime(Number(from));
      const span = spanOf(from);
      if (span !== undefined) return byTime(seconds() - span);
      if (!topicShape.test(from)) throw new Refused(refusals.since);
      const known = rows.find(({ id }) => id === from);
      // A message that it does not know is older than all: the whole cache comes.
      return known ? there.filter(({ row }) => row > known.row) : there;
    };
    return pick()
      .filter((each) => !each.scheduled || scheduled)
      .toSorted((one, other) => one.time - other.time)
      .map(shown);
  }

  // ---- who may ---------------------------------------------------------------------------------------------------

  function rights(request: IncomingMessage): Readonly<Record<string, Right>> {
    const { authorization } = request.headers;
    if (authorization === undefined) return everybody;
    const [, bearer] = /^Bearer (\S+)$/.exec(authorization) ?? [];
    const [, basic] = /^Basic (\S+)$/.exec(authorization) ?? [];
    // A token is a password, too, for any user name.
    const token =
      bearer ??
      Buffer.from(basic ?? "", "base64")
        .toString("utf8")
        .split(":")[1];
    const known = token === undefined ? undefined : tokens[token];
    if (!known) throw new Refused(refusals.unauthorized);
    return known;
  }

  function must(request: IncomingMessage, topic: string, what: "read" | "write"): void {
    const theirs = rights(request);
    const right = theirs[topic] ?? theirs["*"] ?? everybody[topic] ?? everybody["*"] ?? "deny";
    if (right === "rw" || right === (what === "read" ? "ro" : "wo")) return;
    throw new Refused(refusals.forbidden);
  }

  // ---- publishing ------------------------------------------------------------------------------------------------

  type Given = {
    readonly topic: string;
    readonly text: Buffer;
    readonly title?: string;
    readonly priority?: unknown;
    readonly tags?: readonly string[];
    readonly click?: string;
    readonly actions?: unknown;
    readonly delay?: string;
    readonly cache?: string;
    readonly sequence?: string;
  };

  function publish(request: IncomingMessage, given: Given): Message {
    const { topic, text, title, tags, click, delay, sequence } = given;
    if (!topicShape.test(topic)) throw new Refused(refusals.topic);
    must(request, topic, "write");
    const priority = Number(given.priority ?? 3);
    if (!Number.isInteger(priority) || priority < 0 || priority > 5) throw new Refused(refusals.priority);
    if (knowsSequences && sequence !== undefined && !topicShape.test(sequence))
      throw new Refused(refusals.sequence);
    const delaySeconds = delay === undefined ? undefined : delayOf(delay);
    const actions = actionsOf(given.actions);
    if (sent >= messagesPerDay) throw new Refused(refusals.quota);
    sent += 1;
    const id = nextId();
    const isFile = text.length >= messageBytes;
    if (isFile && !files) throw new Refused(refusals.noFiles);
    const url = `${address}/file/${id}.txt`;
    const type = "text/plain; charset=utf-8";
    return keep(
      {
        id,
        time: 0,
        event: "message",
        topic,
        ...(knowsSequences && sequence !== undefined ? { sequence_id: sequence } : {}),
        ...(title === undefined || title === "" ? {} : { title }),
        message: isFile ? "You received a file: attachment.txt" : text.toString("utf8").trim() || "triggered",
        ...(priority === 3 || priority === 0 ? {} : { priority }),
        ...(tags && tags.length > 0 ? { tags } : {}),
        ...(click === undefined ? {} : { click }),
        ...(actions.length > 0 ? { actions } : {}),
        ...(isFile ? { attachment: { name: "attachment.txt", type, size: text.length, url } } : {}),
      },
      delaySeconds,
      given.cache !== "no",
    );
  }

  function delayOf(delay: string): number {
    const ahead = /^\d{9,}$/.test(delay) ? Number(delay) - seconds() : spanOf(delay);
    if (ahead === undefined) throw new Refused(refusals.delayUnread);
    if (ahead < 10) throw new Refused(refusals.delaySmall);
    if (ahead > 3 * 86_400) throw new Refused(refusals.delayLarge);
    return ahead;
  }

  function actionsOf(given: unknown): readonly Action[] {
    const actions = (given ?? []) as readonly Action[];
    if (actions.length > 3) throw new Refused(refusals.actions, "; only 3 actions allowed");
    for (const { action, label, url, method = "POST", body } of actions) {
      if (!["view", "broadcast", "http"].includes(action))
        throw new Refused(refusals.actions, `; parameter 'action' cannot be '${action}'`);
      if (typeof label !== "string" || label === "")
        throw new Refused(refusals.actions, "; parameter 'label' is required");
      if (action !== "broadcast" && !/^https?:/.test(url ?? ""))
        throw new Refused(refusals.actions, `; parameter 'url' is required for action '${action}'`);
      if (body !== undefined && ["GET", "HEAD"].includes(method))
        throw new Refused(refusals.actions, "; parameter 'body' cannot be set if method is GET or HEAD");
    }
    return actions;
  }

  function publishJson(request: IncomingMessage, body: Buffer): Message {
    if (body.length > mostJsonBytes) throw new Refused(refusals.tooLarge);
    let told: Fields;
    try {
      told = JSON.parse(body.toString("utf8")) as Fields;
    } catch {
      throw new Refused(refusals.json);
    }
    const text = (name: string): string | undefined =>
      typeof told[name] === "string" ? (told[name] as string) : undefined;
    return publish(request, {
      topic: text("topic") ?? "",
      text: Buffer.from(text("message") ?? ""),
      ...optional({ title: text("title"), click: text("click"), delay: text("delay"), cache: text("cache") }),
      ...optional({ sequence: text("sequence_id"), priority: told.priority, actions: told.actions }),
      ...(Array.isArray(told.tags) ? { tags: told.tags as string[] } : {}),
    });
  }

  function publishRaw(
    request: IncomingMessage,
    topic: string,
    sequence: string | undefined,
    body: Buffer,
  ): Message {
    const header = (name: string): string | undefined => {
      const value = request.headers[name] ?? request.headers[`x-${name}`];
      return typeof value === "string" ? value : undefined;
    };
    const delay = header("delay") ?? header("in") ?? header("at");
    return publish(request, {
      topic,
      text: body,
      ...optional({ title: header("title"), priority: header("priority"), cache: header("cache"), delay }),
      ...optional({ sequence: sequence ?? header("sequence-id"), tags: header("tags")?.split(",") }),
    });
  }

  // ---- listening -------------------------------------------------------------------------------------------------

  function subscribe(
    request: IncomingMessage,
    response: ServerResponse,
    topics: readonly string[],
    query: URLSearchParams,
  ): void {
    for (const topic of topics) must(request, topic, "read");
    const isPoll = query.get("poll") === "1";
    const old = since(
      topics,
      query.get("since") ?? (isPoll ? "all" : "none"),
      query.get("scheduled") === "1",
    );
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
    response.flushHeaders();
    const write = (event: Message): void => void response.write(`${JSON.stringify(event)}\n`);
    if (isPoll) {
      for (const event of old) write(event);
      response.end();
      return;
    }
    const sign = (event: string): void =>
      write({ id: nextId(), time: seconds(), event, topic: topics.join(",") });
    const stream = { topics, write };
    streams.add(stream);
    sign("open");
    for (const event of old) write(event);
    const beat = setInterval(() => sign("keepalive"), keepaliveMs);
    response.once("close", () => {
      clearInterval(beat);
      streams.delete(stream);
    });
  }

  // ---- the door --------------------------------------------------------------------------------------------------

  function route(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ): Fields | Message | undefined {
    age();
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://ntfy");
    const { method = "GET" } = request;
    if (pathname === "/v1/health") return { healthy: true };
    if (tokensLeft <= 0) throw new Refused(refusals.requests);
    tokensLeft -= 1;
    if (pathname === "/v1/account" && method === "GET") {
      rights(request);
      return {
        username: "somebody",
        role: "user",
        limits: { basis: "ip", messages: messagesPerDay, messages_expiry_duration: keptSeconds },
        stats: { messages: sent, messages_remaining: Math.max(0, messagesPerDay - sent) },
      };
    }
    if (pathname === "/" && (method === "POST" || method === "PUT")) return publishJson(request, body);
    const [topics = "", verb, more] = pathname.slice(1).split("/");
    const names = topics.split(",");
    const isTopic = names.every((name) => topicShape.test(name)) && more === undefined;
    if (isTopic && method === "GET" && verb === "json") {
      subscribe(request, response, names, searchParams);
      return undefined;
    }
    if (isTopic && method === "GET" && verb === "auth") {
      for (const name of names) must(request, name, "read");
      return { success: true };
    }
    const isPublish = isTopic && names.length === 1 && (method === "POST" || method === "PUT");
    if (isPublish && (verb === undefined || knowsSequences)) return publishRaw(request, topics, verb, body);
    if (isTopic && method === "DELETE" && verb !== undefined && knowsSequences) {
      must(request, topics, "write");
      const event = { id: nextId(), time: 0, event: "message_delete", topic: topics, sequence_id: verb };
      return keep(event, undefined, true);
    }
    throw new Refused(refusals.notFound);
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const json = { "content-type": "application/json", date: new Date(now()).toUTCString() };
      try {
        const told = route(request, response, Buffer.concat(chunks));
        if (told) response.writeHead(200, json).end(`${JSON.stringify(told)}\n`);
      } catch (error) {
        if (!(error instanceof Refused)) {
          response.writeHead(500, json).end(JSON.stringify({ code: 50001, http: 500, error: String(error) }));
          return;
        }
        const { http, code, error: words } = error.refusal;
        response.writeHead(http, json).end(`${JSON.stringify({ code, http, error: words })}\n`);
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: address,
    /** Everything that the server keeps of a topic, the oldest first. */
    kept(topic: string): readonly Message[] {
      age();
      return rows.filter((each) => each.topic === topic && !each.scheduled).map(shown);
    },
    /** Everything that whoever subscribes was told: a phone forgets nothing when the server does. */
    told: (topic: string): readonly Message[] => everTold.filter((each) => each.topic === topic),
    /** What it holds until its time. */
    scheduled: (topic: string): readonly Message[] =>
      rows.filter((each) => each.topic === topic && each.scheduled).map(shown),
    /** What is due is told now. */
    age,
    /** Somebody else publishes, as whoever has every right. */
    push(message: Partial<Message> & { readonly topic: string }): Message {
      return keep({ id: nextId(), time: 0, event: "message", ...message }, undefined, true);
    },
    /** Only so many more requests are answered. */
    limit(requests = burst): void {
      tokensLeft = requests;
    },
    unlimit(): void {
      tokensLeft = Number.POSITIVE_INFINITY;
    },
    streams: (): number => streams.size,
    /** The cache is lost, as when it is kept in memory and the server starts anew. */
    forget(): void {
      rows = [];
    },
    sent: (): number => sent,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** `15m`, in seconds. */
function spanOf(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d+)\s*(s|m|h|d)$/.exec(text) ?? [];
  const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
  return count === undefined ? undefined : Number(count) * (units[unit] ?? 1);
}

function optional<Value extends Readonly<Record<string, unknown>>>(fields: Value) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Value]?: Exclude<Value[Name], undefined>;
  };
}
