import {
  type Block,
  type BlockButton,
  buttonsIn,
  type Fields,
  kept,
  pingsInBlocks,
  readBlocks,
} from "./blocks.ts";
import { type Ping, pingsIn, richElements, shown } from "./mrkdwn.ts";

export const team = "T0FAKEOWL1";
export const app = "A0FAKEOWL1";
export const botUser = "U0FAKEBOT1";
export const botId = "B0FAKEOWL1";

export type Person = {
  readonly id: string;
  /** What stands behind an `@` when somebody types a mention. */
  readonly name: string;
  /** `profile.display_name`; may be empty. */
  readonly shown: string;
  readonly realName: string;
  readonly team: string;
  deleted: boolean;
};

export type Metadata = { readonly event_type: string; readonly event_payload: Fields };

export type Message = {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  /** A program wrote it. */
  readonly bot?: string;
  readonly subtype?: string;
  /** The message that its thread hangs from; its own where it has replies. */
  thread?: string;
  text: string;
  blocks: readonly Block[];
  metadata?: Metadata;
  edited?: { readonly user: string; readonly ts: string };
  /** What a person reads there, as it was posted and then as each edit left it. */
  readonly versions: string[];
  /** Every button that ever stood there: old screens keep old buttons. */
  readonly everyButton: BlockButton[];
  /** Whom it rang, by text or by blocks, now or in an earlier form. */
  readonly pings: Ping[];
  readonly extra: Fields;
};

/** What one person alone is shown, until they reload. */
export type Ephemeral = {
  readonly channel: string;
  readonly user: string;
  readonly thread?: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly reads: string;
  /** Slack shows one in a thread only where somebody has replied there. */
  readonly isShown: boolean;
};

export type Room = {
  readonly id: string;
  readonly kind: "channel" | "group" | "im";
  readonly name: string;
  readonly members: Set<string>;
  archived: boolean;
  /** The oldest first, replies among them. */
  readonly messages: Message[];
  /** What was deleted: of those with replies a stub stands on. */
  readonly gone: Set<string>;
};

/** What somebody posts, ours or theirs. */
export type Draft = {
  readonly user: string;
  readonly bot?: string;
  readonly subtype?: string;
  readonly text: string;
  readonly blocks?: readonly Block[];
  readonly thread?: string;
  readonly metadata?: Metadata;
  readonly extra?: Fields;
};

export type Workspace = ReturnType<typeof openWorkspace>;

/**
 * One Slack team: who is there, which rooms there are, and what was said in them. Every change of a message is told to
 * `onEvent` with the event that Slack would make of it.
 */
export function openWorkspace(now: () => number, onEvent: (event: Fields, room: Room) => void) {
  const people = new Map<string, Person>();
  const rooms = new Map<string, Room>();
  const ephemerals: Ephemeral[] = [];
  let count = 0;

  const seconds = (): number => Math.floor(now() / 1_000);
  /** Time and a counter: unique, and in the order of the posts. */
  function mintTs(): string {
    count += 1;
    return `${seconds()}.${String(count * 100).padStart(6, "0")}`;
  }
  function mintId(prefix: string): string {
    count += 1;
    return `${prefix}${String(count).padStart(6, "0")}`;
  }

  function person(id: string): Person {
    const found = people.get(id);
    if (!found) throw new Error(`nobody is called ${id}: addPerson first`);
    return found;
  }
  function room(id: string): Room {
    const found = rooms.get(id);
    if (!found) throw new Error(`no room ${id}: addChannel first`);
    return found;
  }
  function find(channel: string, ts: string): Message | undefined {
    return rooms.get(channel)?.messages.find((each) => each.ts === ts);
  }
  const nameOf = (id: string): string => (id === botUser ? "owlpost" : (people.get(id)?.shown ?? id));

  /** What a person reads: the blocks where there are any, else the text. */
  function reads(text: string, blocks: readonly Block[]): string {
    if (blocks.length === 0) return shown(text, nameOf);
    return readBlocks(blocks, nameOf)
      .filter((each) => each !== "")
      .join("\n\n");
  }

  const repliesTo = (where: Room, ts: string): Message[] =>
    where.messages.filter(({ thread, ts: own }) => thread === ts && own !== ts);

  /** As Slack tells it, in events and in histories. */
  function told(message: Message): Fields {
    const { ts, user, bot, text, blocks, thread, subtype, edited, extra } = message;
    const replies = repliesTo(room(message.channel), ts);
    const parent = thread === undefined || thread === ts ? undefined : find(message.channel, thread);
    return {
      type: "message",
      ...(subtype === undefined ? {} : { subtype }),
      user,
      ts,
      text,
      team: people.get(user)?.team ?? team,
      ...(bot === undefined
        ? { client_msg_id: `00000000-fa4e-4000-8000-${ts.replace(/\D/g, "").slice(-12)}` }
        : {
            bot_id: bot,
            app_id: app,
            bot_profile: { id: bot, app_id: app, name: "owlpost", deleted: false, team_id: team },
          }),
      blocks: blocks.length > 0 ? blocks : richText(text),
      ...(thread === undefined ? {} : { thread_ts: thread }),
      ...(parent ? { parent_user_id: parent.user } : {}),
      ...(thread === ts
        ? {
            reply_count: replies.length,
            reply_users: [...new Set(replies.map((each) => each.user))],
            latest_reply: replies.at(-1)?.ts,
          }
        : {}),
      ...(edited ? { edited } : {}),
      ...extra,
    };
  }

  function event(message: Fields, where: Room): void {
    onEvent({ ...message, channel: where.id, channel_type: where.kind }, where);
  }

  function say(where: Room, draft: Draft): Message {
    const blocks = kept(draft.blocks ?? [], () => mintId("fAkE"));
    // A reply to what is gone without a trace comes out of its thread, and nobody says so.
    const root = draft.thread === undefined ? undefined : find(where.id, draft.thread);
    const stub = draft.thread !== undefined && repliesTo(where, draft.thread).length > 0;
    const thread = root || stub ? draft.thread : undefined;
    if (root) root.thread ??= root.ts;
    const { user, bot, subtype, text, metadata } = draft;
    const message: Message = {
      ts: mintTs(),
      channel: where.id,
      user,
      ...(bot === undefined ? {} : { bot }),
      ...(subtype === undefined ? {} : { subtype }),
      ...(thread === undefined ? {} : { thread }),
      text,
      blocks,
      ...(metadata ? { metadata } : {}),
      versions: [reads(text, blocks)],
      everyButton: buttonsIn(blocks),
      pings: [...pingsIn(text), ...pingsInBlocks(blocks)],
      extra: draft.extra ?? {},
    };
    where.messages.push(message);
    event({ ...told(message), event_ts: message.ts }, where);
    return message;
  }

  /** `text` alone takes the blocks away. */
  function change(
    message: Message,
    to: {
      readonly text: string;
      readonly blocks?: readonly Block[];
      readonly metadata?: Metadata | Record<string, never>;
    },
    by: string,
  ): void {
    const before = told(message);
    message.text = to.text;
    message.blocks = kept(to.blocks ?? [], () => mintId("fAkE"));
    if (to.metadata && "event_type" in to.metadata) message.metadata = to.metadata as Metadata;
    else if (to.metadata) delete message.metadata;
    const ts = mintTs();
    message.edited = { user: by, ts };
    message.versions.push(reads(message.text, message.blocks));
    message.everyButton.push(...buttonsIn(message.blocks));
    message.pings.push(...pingsIn(message.text), ...pingsInBlocks(message.blocks));
    const changed = { message: told(message), previous_message: before, hidden: true, ts, event_ts: ts };
    event({ type: "message", subtype: "message_changed", ...changed }, room(message.channel));
  }

  function remove(message: Message): void {
    const where = room(message.channel);
    const before = told(message);
    where.messages.splice(where.messages.indexOf(message), 1);
    where.gone.add(message.ts);
    const ts = mintTs();
    const deleted = { deleted_ts: message.ts, previous_message: before, hidden: true, ts, event_ts: ts };
    event({ type: "message", subtype: "message_deleted", ...deleted }, where);
  }

  function whisper(where: Room, user: string, draft: Pick<Draft, "text" | "blocks" | "thread">): Ephemeral {
    const blocks = kept(draft.blocks ?? [], () => mintId("fAkE"));
    const { text, thread } = draft;
    const isShown = thread === undefined || repliesTo(where, thread).length > 0;
    const given: Ephemeral = {
      channel: where.id,
      user,
      ...(thread === undefined ? {} : { thread }),
      text,
      blocks,
      reads: reads(text, blocks),
      isShown,
    };
    ephemerals.push(given);
    return given;
  }

  return {
    people,
    rooms,
    ephemerals,
    seconds,
    mintTs,
    mintId,
    person,
    room,
    find,
    repliesTo,
    told,
    reads,
    say,
    change,
    remove,
    whisper,
    /** The room of that person and the bot, made where there was none. */
    direct(user: string): Room {
      const id = user.replace(/^./, "D");
      const known = rooms.get(id);
      if (known) return known;
      const made = openRoom(id, "im", person(user).name, [user, botUser]);
      rooms.set(id, made);
      return made;
    },
    addRoom(id: string, kind: Room["kind"], name: string, members: readonly string[]): void {
      rooms.set(id, openRoom(id, kind, name, members));
    },
    idOf: (name: string): string | undefined =>
      name === "owlpost" ? botUser : [...people.values()].find((each) => each.name === name)?.id,
  };
}

function openRoom(id: string, kind: Room["kind"], name: string, members: readonly string[]): Room {
  return { id, kind, name, members: new Set(members), archived: false, messages: [], gone: new Set() };
}

/** Clients send what somebody types as rich text besides; nothing in it says more than the text does. */
function richText(text: string): Block[] {
  const elements = [{ type: "rich_text_section", elements: richElements(text) }];
  return [{ type: "rich_text", block_id: "fAkE1", elements }];
}
