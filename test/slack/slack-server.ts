import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Block, Fields } from "./blocks.ts";
import { openPeople, type ResponseUrl } from "./people.ts";
import { type Envelope, openSocketMode, ordinaryAckMs, ordinaryRetriesMs } from "./socket-mode.ts";
import { type Answer, formOnly, openWebApi, type Token, type Trigger } from "./web-api.ts";
import { app, botId, botUser, openWorkspace, type Person, type Room, team } from "./workspace.ts";

/**
 * The next calls of that method (`*`: of any) fail. `swallow`: it is done, but its reply never arrives; `reset`: it is not
 * even read; `hang`: nothing comes back at all; `busy`: a pause of that many seconds is asked for; `page`: something in
 * between answers with that status; `error`: what Slack would say.
 */
export type Fault = {
  readonly method: string;
  readonly how:
    | "swallow"
    | "reset"
    | "hang"
    | { readonly busy: number }
    | { readonly page: number }
    | { readonly error: string };
  times: number;
  /** Only of calls for that room or person. */
  readonly channel?: string;
};
export type Call = {
  readonly method: string;
  readonly params: Fields;
  readonly ok: boolean;
  readonly answer: Answer;
  /** Nobody was told: the connection was cut instead of answering. */
  readonly lost?: true;
};

export type SlackServer = Awaited<ReturnType<typeof startSlack>>;

const responseUrlMs = 30 * 60_000;
const mostResponses = 5;

/** The kinds of events to which an app can subscribe, and the scope that each needs. */
const scopeOfEvent: Readonly<Record<string, string>> = {
  "message.channels": "channels:history",
  "message.groups": "groups:history",
  "message.im": "im:history",
  app_mention: "app_mentions:read",
};
const eventOfRoom = { channel: "message.channels", group: "message.groups", im: "message.im" } as const;

/**
 * Slack on loopback, as far as owlpost uses it: Web API, Socket Mode, answers to commands, and the people of one team. It
 * lives in the test, and says no where Slack says no. `now` runs what Slack measures in seconds: acks, retries, triggers.
 */
export async function startSlack(
  options: {
    readonly now?: () => number;
    readonly random?: () => number;
    readonly ackMs?: number;
    readonly retriesMs?: readonly number[];
    readonly pingMs?: number;
    readonly drainMs?: number;
    readonly patient?: boolean;
  } = {},
) {
  const {
    now = Date.now,
    random = () => 0,
    ackMs = ordinaryAckMs,
    retriesMs = ordinaryRetriesMs,
    pingMs = 5_000,
    drainMs = 300,
    patient = false,
  } = options;
  const tokens = new Map<string, Token>();
  const triggers = new Map<string, Trigger>();
  const tickets = new Set<string>();
  const responseUrls = new Map<string, ResponseUrl>();
  const calls: Call[] = [];
  let subscribed: readonly string[] = Object.keys(scopeOfEvent);
  let faults: Fault[] = [];
  let port = 0;
  const origin = (): string => `http://127.0.0.1:${port}`;

  const sockets = openSocketMode({ now, random, ackMs, retriesMs, pingMs, drainMs, patient });
  const workspace = openWorkspace(now, tellApp);
  const mintUrl = (): string => {
    const ticket = randomBytes(12).toString("hex");
    tickets.add(ticket);
    return `ws://127.0.0.1:${port}/link/?ticket=${ticket}&app_id=${app}`;
  };
  const api = openWebApi({ workspace, sockets, tokens, triggers, now, mintUrl });
  const people = openPeople({
    workspace,
    sockets,
    api,
    triggers,
    now,
    mintResponseUrl(kind, to) {
      const path = `/${kind}/${team}/${responseUrls.size + 1}/${randomBytes(12).toString("hex")}`;
      responseUrls.set(path, { ...to, uses: 0 });
      return `${origin()}${path}`;
    },
  });

  // ---- what happened, told to the app --------------------------------------------------------------------------

  function hears(event: string): boolean {
    const bot = [...tokens.values()].find(({ kind, revoked }) => kind === "bot" && !revoked);
    return subscribed.includes(event) && bot?.scopes.includes(scopeOfEvent[event] ?? "") === true;
  }

  function tellApp(event: Fields, room: Room): void {
    if (!room.members.has(botUser)) return;
    if (hears(eventOfRoom[room.kind])) envelop(event);
    const { channel_type: _, subtype, ...mention } = event;
    const isTalk = subtype === undefined || subtype === "file_share" || subtype === "thread_broadcast";
    const isMine = event.user === botUser;
    if (room.kind === "im" || !isTalk || isMine || !String(event.text).includes(`<@${botUser}>`)) return;
    if (hears("app_mention")) envelop({ ...mention, type: "app_mention" });
  }

  function envelop(event: Fields): Envelope {
    return sockets.deliver("events_api", {
      token: "FAKEverificationtoken000",
      team_id: team,
      context_team_id: team,
      context_enterprise_id: null,
      api_app_id: app,
      event,
      type: "event_callback",
      event_id: workspace.mintId("Ev0FAKE"),
      event_time: workspace.seconds(),
      authorizations: [
        { enterprise_id: null, team_id: team, user_id: botUser, is_bot: true, is_enterprise_install: false },
      ],
      is_ext_shared_channel: false,
      event_context: "4-FAKEeventcontext",
    });
  }

  // ---- the app's calls -----------------------------------------------------------------------------------------

  function isMeant({ method, channel }: Fault, called: string, params: Fields): boolean {
    if (method !== "*" && method !== called) return false;
    if (channel === undefined) return true;
    const to = String(params.channel ?? params.users);
    return to === channel || (workspace.people.has(channel) && to === workspace.direct(channel).id);
  }

  function faultFor(method: string, params: Fields): Fault | undefined {
    const found = faults.find((each) => isMeant(each, method, params));
    if (!found) return undefined;
    found.times -= 1;
    if (found.times <= 0) faults = faults.filter((each) => each !== found);
    return found;
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse, method: string): Promise<void> {
    const { params, key } = await read(request, method);
    const fault = faultFor(method, params);
    const how = fault?.how;
    if (how === "hang") return;
    const note = (answer: Answer, lost = false): void => {
      calls.push({ method, params, ok: answer.ok, answer, ...(lost ? { lost: true as const } : {}) });
    };
    if (how === "reset") {
      note({ ok: false, error: "reset" }, true);
      request.socket.resetAndDestroy();
      return;
    }
    if (typeof how === "object" && "page" in how) {
      note({ ok: false, error: `page ${how.page}` });
      response.writeHead(how.page, { "content-type": "text/html" });
      response.end(`<html><title>${how.page}</title></html>`);
      return;
    }
    if (typeof how === "object") {
      const answer = { ok: false, error: "busy" in how ? "ratelimited" : how.error };
      note(answer);
      return send(response, answer, method, key, "busy" in how ? how.busy : undefined);
    }
    const answer = api.call(method, params, key);
    note(answer, how === "swallow");
    if (how === "swallow") return void request.socket.destroy();
    send(response, answer, method, key);
  }

  function send(
    response: ServerResponse,
    answer: Answer,
    method: string,
    key: string | undefined,
    busySeconds?: number,
  ): void {
    const token = tokens.get(key ?? "");
    response.writeHead(busySeconds === undefined ? 200 : 429, {
      "content-type": "application/json; charset=utf-8",
      date: new Date(now()).toUTCString(),
      ...(token && !token.revoked
        ? { "x-oauth-scopes": token.scopes.join(","), "x-accepted-oauth-scopes": api.scopesFor(method) }
        : {}),
      ...(busySeconds === undefined ? {} : { "retry-after": String(busySeconds) }),
    });
    response.end(JSON.stringify(answer));
  }

  /** An answer to a tap or a command, to the address that came with it. */
  async function serveAnswer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    const body = await bodyOf(request);
    const to = responseUrls.get(path);
    const fault = faultFor("response_url", {});
    if (fault?.how === "hang") return;
    if (fault?.how === "reset") return void request.socket.resetAndDestroy();
    const say = (status: number, answer: Answer): void => {
      calls.push({ method: "response_url", params: JSON.parse(body || "{}"), ok: answer.ok, answer });
      if (fault?.how === "swallow") return void request.socket.destroy();
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    };
    if (typeof fault?.how === "object" && "page" in fault.how)
      return say(fault.how.page, { ok: false, error: "page" });
    if (!to) return say(404, { ok: false, error: "no_such_url" });
    if (now() - to.at >= responseUrlMs) return say(404, { ok: false, error: "expired_url" });
    if (to.uses >= mostResponses) return say(404, { ok: false, error: "used_url" });
    const params = JSON.parse(body) as Fields;
    const said = api.content(params);
    if ("ok" in said) return say(400, said);
    to.uses += 1;
    const room = workspace.room(to.channel);
    const original = to.message === undefined ? undefined : workspace.find(to.channel, to.message);
    const thread = typeof params.thread_ts === "string" ? { thread: params.thread_ts } : {};
    if (params.replace_original === true && original) {
      workspace.change(original, said as { text: string; blocks?: readonly Block[] }, botUser);
    } else if (params.response_type === "in_channel") {
      workspace.say(room, { user: botUser, bot: botId, ...said, ...thread });
    } else {
      // What one person alone is shown stands in the channel, whatever thread is named.
      workspace.whisper(room, to.user, said);
    }
    say(200, { ok: true });
  }

  async function read(request: IncomingMessage, method: string) {
    const body = await bodyOf(request);
    const url = new URL(request.url ?? "/", origin());
    const isJson = /json/.test(request.headers["content-type"] ?? "");
    const header = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const given: Fields = isJson
      ? formOnly.has(method)
        ? {}
        : JSON.parse(body || "{}")
      : Object.fromEntries([...url.searchParams, ...new URLSearchParams(body)]);
    const { token, ...params } = given;
    // Only a header will do where a socket is asked for.
    const inBody = method === "apps.connections.open" || typeof token !== "string" ? undefined : token;
    return { params: isJson ? params : parsed(params), key: header ?? inBody };
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", origin());
    const [, method] = /^\/api\/([\w.]+)$/.exec(pathname) ?? [];
    const served =
      method === undefined ? serveAnswer(request, response, pathname) : serveApi(request, response, method);
    served.catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.keepAliveTimeout = 60_000;

  // ---- Socket Mode on the wire -----------------------------------------------------------------------------------

  // The socket answers pings itself, for one that is half open answers none.
  const wss = new WebSocketServer({ noServer: true, autoPong: false });
  let refusedUpgrades: number[] = [];
  server.on("upgrade", (request: IncomingMessage, tcp: Socket, head: Buffer) => {
    const url = new URL(request.url ?? "/", origin());
    const refuse = (status: number): void => {
      tcp.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    };
    tcp.on("error", () => undefined);
    const [status, ...rest] = refusedUpgrades;
    refusedUpgrades = rest;
    if (status !== undefined) return refuse(status);
    // An address is good for one socket.
    if (url.pathname !== "/link/" || !tickets.delete(url.searchParams.get("ticket") ?? ""))
      return refuse(403);
    wss.handleUpgrade(request, tcp, head, (ws: WebSocket) => sockets.join(ws, tcp));
  });

  const listen = (at: number): Promise<void> =>
    new Promise((listening, failed) => {
      server.once("error", failed);
      server.listen(at, "127.0.0.1", () => listening());
    });
  const shut = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed());
      sockets.cut();
      server.closeAllConnections();
    });
  await listen(0);
  port = (server.address() as AddressInfo).port;

  return {
    get url(): string {
      return `${origin()}/api/`;
    },
    workspace,
    sockets,
    people,
    api,
    calls,
    /** What was sent by mistake, or in a form that no client of Slack's would choose. */
    misuses: (): readonly string[] => [...sockets.misuses, ...api.warnings],
    addToken(key: string, kind: Token["kind"], scopes: readonly string[]): void {
      tokens.set(key, { kind, scopes, revoked: false });
    },
    setScopes(key: string, scopes: readonly string[]): void {
      const token = tokens.get(key);
      if (token) token.scopes = scopes;
    },
    /** From now on that token is worth nothing; where it is the app's, its sockets go, too. */
    revoke(key: string): void {
      const token = tokens.get(key);
      if (token) token.revoked = true;
      if (token?.kind === "app") sockets.cut();
    },
    restore(key: string): void {
      const token = tokens.get(key);
      if (token) token.revoked = false;
    },
    subscribe(events: readonly string[]): void {
      subscribed = events;
    },
    addPerson(id: string, name: string, more: Partial<Person> = {}): void {
      workspace.people.set(id, { id, name, shown: name, realName: name, team, deleted: false, ...more });
    },
    addChannel(id: string, name: string, members: readonly string[], kind: Room["kind"] = "channel"): void {
      workspace.addRoom(id, kind, name, members);
    },
    /** Any event at all. */
    envelop,
    /** Envelopes that came of people and that nobody has acked; our own echoes are not among them. */
    unacked: (): number => sockets.envelopes.filter((each) => isPending(each) && !isEcho(each)).length,
    /** Envelopes of any kind that nobody has acked yet. */
    pending: (): number => sockets.envelopes.filter(isPending).length,
    fail: (fault: Fault): number => faults.push(fault),
    faults: (): readonly Fault[] => faults,
    heal(): void {
      faults = [];
    },
    /** The next attempts to open a socket are answered with these statuses. */
    refuseUpgrades(...statuses: readonly number[]): void {
      refusedUpgrades.push(...statuses);
    },
    /** Nothing answers at that address any more; `up` is the same Slack again. */
    down: shut,
    up: (): Promise<void> => listen(port),
    async close(): Promise<void> {
      sockets.close();
      if (server.listening) await shut();
    },
  };
}

const isPending = ({ state }: Envelope): boolean => state === "sent" || state === "due";

function isEcho({ kind, payload }: Envelope): boolean {
  if (kind !== "events_api") return false;
  const event = payload.event as Fields & { readonly message?: Fields; readonly previous_message?: Fields };
  return [event, event.message, event.previous_message].some((each) => each?.bot_id === botId);
}

/** A form's values are texts: what is no text stands there as JSON. */
function parsed(params: Fields): Fields {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      if (value === "true" || value === "false") return [name, value === "true"];
      if (!["blocks", "metadata", "view", "attachments"].includes(name) || value === "") return [name, value];
      try {
        return [name, JSON.parse(String(value))];
      } catch {
        return [name, String(value)];
      }
    }),
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
