import { type Block, type Fields, faultOf, viewFault } from "./blocks.ts";
import type { SocketMode } from "./socket-mode.ts";
import {
  app,
  botId,
  botUser,
  type Draft,
  type Message,
  type Metadata,
  type Room,
  team,
  type Workspace,
} from "./workspace.ts";

export type Answer = Fields & { readonly ok: boolean; readonly error?: string };
/** What a token may do. `revoked`: it was good once. */
export type Token = { readonly kind: "bot" | "app"; scopes: readonly string[]; revoked: boolean };
/** A form that somebody has before them. */
export type Modal = { readonly id: string; readonly user: string; readonly view: Fields; hash: number };
export type Trigger = { readonly user: string; readonly at: number; used: boolean };

const refused = (error: string, more: Fields = {}): Answer => ({ ok: false, error, ...more });
const done = (more: Fields = {}): Answer => ({ ok: true, ...more });

/** What a method needs: a scope, or one for each kind of room; `null`: none. */
const scopeOf: Readonly<Record<string, string | Readonly<Record<Room["kind"], string>> | null>> = {
  "auth.test": null,
  "apps.connections.open": "connections:write",
  "chat.postMessage": "chat:write",
  "chat.postEphemeral": "chat:write",
  "chat.update": "chat:write",
  "conversations.open": "im:write",
  "conversations.info": { channel: "channels:read", group: "groups:read", im: "im:read" },
  "conversations.history": { channel: "channels:history", group: "groups:history", im: "im:history" },
  "conversations.replies": { channel: "channels:history", group: "groups:history", im: "im:history" },
  "users.info": "users:read",
  "views.open": null,
};
/** Methods that read take a form; of a JSON body they see nothing. */
export const formOnly: ReadonlySet<string> = new Set([
  "conversations.info",
  "conversations.history",
  "conversations.replies",
  "users.info",
]);

const tsPattern = /^\d{10}\.\d{6}$/;
const mostText = 40_000;
const mostEditBytes = 4_000;
const mostMetadataBytes = 16_000;
const triggerMs = 3_000;

export type WebApi = ReturnType<typeof openWebApi>;

/** The methods of the Web API that owlpost needs, and the errors that Slack gives for each. */
export function openWebApi(given: {
  readonly workspace: Workspace;
  readonly sockets: SocketMode;
  readonly tokens: ReadonlyMap<string, Token>;
  readonly triggers: ReadonlyMap<string, Trigger>;
  readonly now: () => number;
  readonly mintUrl: () => string;
}) {
  const { workspace, sockets, tokens, triggers, now, mintUrl } = given;
  const modals: Modal[] = [];
  /** Calls that Slack takes although something is missing. */
  const warnings: string[] = [];

  function roomFor(id: unknown): Room | Answer {
    const found = workspace.rooms.get(String(id));
    if (!found || (found.kind !== "channel" && !found.members.has(botUser)))
      return refused("channel_not_found");
    return found;
  }
  const isAnswer = (value: object): value is Answer => "ok" in value;

  /** Where a post goes: a room, or the private one of a person. */
  function target(id: unknown): Room | Answer {
    const user = workspace.people.get(String(id));
    const found = user && !user.deleted ? workspace.direct(user.id) : roomFor(id);
    if (isAnswer(found)) return found;
    if (!found.members.has(botUser)) return refused("not_in_channel");
    return found.archived ? refused("is_archived") : found;
  }

  /** The content of a message, or why it cannot be one. */
  function content(params: Fields): Pick<Draft, "text" | "blocks"> | Answer {
    const text = typeof params.text === "string" ? params.text : "";
    const blocks = params.blocks === undefined || params.blocks === "" ? undefined : params.blocks;
    if (blocks !== undefined && !(Array.isArray(blocks) && blocks.length === 0)) {
      const fault = faultOf(blocks);
      if (fault) return refused(fault.error, { response_metadata: { messages: fault.messages } });
      if (text.trim() === "")
        warnings.push("blocks without a text: nobody is told anything on a lock screen");
      return { text, blocks: blocks as Block[] };
    }
    return text.trim() === "" ? refused("no_text") : { text };
  }

  function metadataOf(params: Fields): Metadata | Record<string, never> | undefined | Answer {
    const { metadata } = params;
    if (metadata === undefined || metadata === "") return undefined;
    if (typeof metadata !== "object" || metadata === null) return refused("invalid_metadata_format");
    if (Object.keys(metadata).length === 0) return {};
    const { event_type, event_payload } = metadata as Fields;
    if (typeof event_type !== "string" || typeof event_payload !== "object" || event_payload === null) {
      return refused("invalid_metadata_schema");
    }
    if (Buffer.byteLength(JSON.stringify(event_payload)) > mostMetadataBytes)
      return refused("metadata_too_large");
    return metadata as Metadata;
  }

  /** The thread that a post may hang in. */
  function threadOf(params: Fields, where: Room): string | undefined | Answer {
    const ts = params.thread_ts;
    if (ts === undefined || ts === "") return undefined;
    if (typeof ts !== "string" || !tsPattern.test(ts)) return refused("invalid_thread_ts");
    const parent = workspace.find(where.id, ts);
    // A reply has no thread of its own: its parent has.
    if (parent?.thread !== undefined && parent.thread !== ts) return refused("cannot_reply_to_message");
    return ts;
  }

  function postMessage(params: Fields): Answer {
    const where = target(params.channel);
    if (isAnswer(where)) return where;
    const said = content(params);
    if ("ok" in said) return said;
    const metadata = metadataOf(params);
    if (metadata && isAnswer(metadata)) return metadata;
    const thread = threadOf(params, where);
    if (typeof thread === "object") return thread;
    const text = said.text.slice(0, mostText);
    const message = workspace.say(where, {
      user: botUser,
      bot: botId,
      ...said,
      text,
      ...(thread === undefined ? {} : { thread }),
      ...(metadata && "event_type" in metadata ? { metadata: metadata as Metadata } : {}),
    });
    return done({
      channel: where.id,
      ts: message.ts,
      message: withMetadata(message),
      ...(text === said.text ? {} : { warning: "message_truncated" }),
    });
  }

  const withMetadata = (message: Message): Fields => ({
    ...workspace.told(message),
    ...(message.metadata ? { metadata: message.metadata } : {}),
  });

  function update(params: Fields): Answer {
    const where = roomFor(params.channel);
    if (isAnswer(where)) return where;
    if (where.archived) return refused("is_inactive");
    const message = workspace.find(where.id, String(params.ts));
    if (!message) return refused("message_not_found");
    if (message.bot !== botId) return refused("cant_update_message");
    if (Buffer.byteLength(String(params.text ?? "")) > mostEditBytes) return refused("msg_too_long");
    const said = content(params);
    if ("ok" in said) return said;
    const metadata = metadataOf(params);
    if (metadata && isAnswer(metadata)) return metadata;
    workspace.change(message, { ...said, ...(metadata ? { metadata: metadata as Metadata } : {}) }, botUser);
    return done({ channel: where.id, ts: message.ts, text: said.text, message: workspace.told(message) });
  }

  function postEphemeral(params: Fields): Answer {
    const where = roomFor(params.channel);
    if (isAnswer(where)) return where;
    if (where.archived) return refused("is_archived");
    if (!where.members.has(botUser)) return refused("not_in_channel");
    const user = workspace.people.get(String(params.user));
    if (!user || !where.members.has(user.id)) return refused("user_not_in_channel");
    const said = content(params);
    if ("ok" in said) return said;
    const thread = threadOf(params, where);
    if (typeof thread === "object") return thread;
    workspace.whisper(where, user.id, { ...said, ...(thread === undefined ? {} : { thread }) });
    return done({ message_ts: workspace.mintTs() });
  }

  function conversationsOpen(params: Fields): Answer {
    if (params.users === undefined && params.channel === undefined) return refused("users_list_not_supplied");
    const [user = "", ...others] = String(params.users).split(",");
    if (others.length > 0) return refused("missing_scope", { needed: "mpim:write" });
    if (user === botUser) return refused("cannot_dm_bot");
    const person = workspace.people.get(user);
    if (!person) return refused("user_not_found");
    if (person.deleted) return refused("user_disabled");
    const { id } = workspace.direct(user);
    return done({ channel: { id, ...(params.return_im ? { is_im: true, user } : {}) } });
  }

  function describeRoom(params: Fields): Answer {
    const where = roomFor(params.channel);
    if (isAnswer(where)) return where;
    const { id, kind, name, members, archived } = where;
    const channel =
      kind === "im"
        ? { id, is_im: true, is_archived: archived, user: [...members].find((each) => each !== botUser) }
        : {
            id,
            name,
            is_channel: kind === "channel",
            is_group: kind === "group",
            is_private: kind === "group",
            is_im: false,
            is_archived: archived,
            is_member: members.has(botUser),
          };
    return done({ channel });
  }

  /** A page of messages, in the order in which they are given. */
  function page(all: readonly Message[], params: Fields): Answer {
    const oldest = String(params.oldest ?? "0");
    const latest = String(params.latest ?? "9999999999.999999");
    const inclusive = params.inclusive === true || params.inclusive === "true";
    const inside = all.filter(({ ts }) =>
      inclusive ? ts >= oldest && ts <= latest : ts > oldest && ts < latest,
    );
    const most = Math.min(1_000, Math.max(1, Number(params.limit ?? 100)));
    const from = params.cursor ? Number(Buffer.from(String(params.cursor), "base64").toString().slice(5)) : 0;
    if (Number.isNaN(from)) return refused("invalid_cursor");
    const shownOnes = inside.slice(from, from + most);
    const isMore = from + most < inside.length;
    const detailed = params.include_all_metadata === true || params.include_all_metadata === "true";
    return done({
      messages: shownOnes.map((each) => (detailed ? withMetadata(each) : workspace.told(each))),
      has_more: isMore,
      ...(isMore
        ? { response_metadata: { next_cursor: Buffer.from(`next:${from + most}`).toString("base64") } }
        : {}),
    });
  }

  function history(params: Fields): Answer {
    const where = roomFor(params.channel);
    if (isAnswer(where)) return where;
    if (!where.members.has(botUser)) return refused("not_in_channel");
    const top = where.messages.filter(
      ({ thread, ts, subtype }) => thread === undefined || thread === ts || subtype === "thread_broadcast",
    );
    return page(top.toReversed(), params);
  }

  function replies(params: Fields): Answer {
    const where = roomFor(params.channel);
    if (isAnswer(where)) return where;
    if (!where.members.has(botUser)) return refused("not_in_channel");
    const ts = String(params.ts);
    const asked = workspace.find(where.id, ts);
    const root = asked?.thread ?? ts;
    const all = where.messages.filter((each) => each.ts === root || each.thread === root);
    if (!asked && all.length === 0) return refused("thread_not_found");
    return page(all, params);
  }

  function describeUser(params: Fields): Answer {
    const found = workspace.people.get(String(params.user));
    if (!found) return refused("user_not_found");
    const { id, name, shown, realName, team: of, deleted } = found;
    return done({
      user: {
        id,
        team_id: of,
        name,
        deleted,
        real_name: realName,
        is_bot: false,
        profile: { display_name: shown, real_name: realName },
      },
    });
  }

  function viewsOpen(params: Fields): Answer {
    const trigger = triggers.get(String(params.trigger_id));
    if (!trigger) return refused("invalid_trigger_id");
    if (trigger.used) return refused("exchanged_trigger_id");
    if (now() - trigger.at >= triggerMs) return refused("expired_trigger_id");
    const fault = viewFault(params.view);
    if (fault) return refused(fault.error, { response_metadata: { messages: fault.messages } });
    trigger.used = true;
    const modal: Modal = {
      id: workspace.mintId("V0FAKE"),
      user: trigger.user,
      view: params.view as Fields,
      hash: 1,
    };
    modals.push(modal);
    return done({ view: { id: modal.id, team_id: team, app_id: app, ...modal.view } });
  }

  function connect(): Answer {
    if (sockets.isDisabled()) return refused("access_denied");
    return done({ url: mintUrl() });
  }

  const methods: Readonly<Record<string, (params: Fields) => Answer>> = {
    "auth.test": () =>
      done({
        url: "https://nightjar-fake.slack.com/",
        team: "Nightjar",
        team_id: team,
        user: "owlpost",
        user_id: botUser,
        bot_id: botId,
        is_enterprise_install: false,
      }),
    "apps.connections.open": connect,
    "chat.postMessage": postMessage,
    "chat.postEphemeral": postEphemeral,
    "chat.update": update,
    "conversations.open": conversationsOpen,
    "conversations.info": describeRoom,
    "conversations.history": history,
    "conversations.replies": replies,
    "users.info": describeUser,
    "views.open": viewsOpen,
  };

  /** Who asks, and may they? */
  function barred(method: string, params: Fields, key: string | undefined): Answer | undefined {
    if (key === undefined) return refused("not_authed");
    const token = tokens.get(key);
    if (!token) return refused("invalid_auth");
    if (token.revoked) return refused(token.kind === "app" ? "invalid_auth" : "token_revoked");
    if ((method === "apps.connections.open") !== (token.kind === "app"))
      return refused("not_allowed_token_type");
    const wanted = scopeOf[method];
    if (wanted === null || wanted === undefined) return undefined;
    const kind = workspace.rooms.get(String(params.channel))?.kind ?? "channel";
    const needed = typeof wanted === "string" ? wanted : wanted[kind];
    if (token.scopes.includes(needed)) return undefined;
    return refused("missing_scope", { needed, provided: token.scopes.join(",") });
  }

  return {
    modals,
    warnings,
    /** One call with the token that came in its header. */
    call(method: string, params: Fields, key: string | undefined): Answer {
      const run = methods[method];
      if (!run) return refused("unknown_method", { req_method: method });
      return barred(method, params, key) ?? run(params);
    },
    scopesFor: (method: string): string => {
      const wanted = scopeOf[method];
      return typeof wanted === "string" ? wanted : Object.values(wanted ?? {}).join(",");
    },
    content,
  };
}
