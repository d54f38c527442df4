import type { CallOptions, Web } from "./web.ts";

/** A destination: `C0123`, `C0123/1764445268.000200` for a thread there, or `T01/U02` for a person, with a thread behind it, too. */
export type Place = { readonly person?: string; readonly channel?: string; readonly thread?: string };

export function placeOf(destination: string): Place {
  const [first = "", second, third] = destination.split("/");
  if (second !== undefined && /^[UW]/.test(second)) {
    return { person: second, ...(third === undefined ? {} : { thread: third }) };
  }
  return { channel: first, ...(second === undefined ? {} : { thread: second }) };
}

export type Room = { readonly channel: string; readonly thread?: string };

/** Channels of each kind that are read again after an outage. */
const mostRooms = 50;

export type Places = {
  /** Opens the private chat of a person where it is not known yet. */
  find(destination: string, options: CallOptions): Promise<Room>;
  /** Something of ours stands there. */
  stands(channel: string, person?: string): void;
  /** Somebody speaks to us there: anybody, so that it drives no channel out where something of ours stands. */
  spoken(channel: string, person?: string): void;
  /** The channels to read again, those that matter most last. */
  rooms(): readonly string[];
};

/** `onNew` is called for a channel that is to be remembered. */
export function openPlaces(web: Pick<Web, "call">, onNew: () => void): Places {
  const chats = new Map<string, string>();
  const ours = new Set<string>();
  const others = new Set<string>();

  function noted(rooms: Set<string>, channel: string, person?: string): void {
    if (person !== undefined && channel.startsWith("D")) chats.set(person, channel);
    const known = ours.has(channel) || others.has(channel);
    // The latest last.
    rooms.delete(channel);
    rooms.add(channel);
    const [oldest] = rooms;
    if (rooms.size > mostRooms && oldest !== undefined) rooms.delete(oldest);
    if (!known) onNew();
  }

  return {
    stands(channel, person) {
      others.delete(channel);
      noted(ours, channel, person);
    },
    spoken: (channel, person) => noted(ours.has(channel) ? ours : others, channel, person),
    rooms: () => [...others, ...ours],
    async find(destination, options) {
      const { person, channel = "", thread } = placeOf(destination);
      const there = thread === undefined ? {} : { thread };
      if (person === undefined) return { channel, ...there };
      let chat = chats.get(person);
      if (chat === undefined) {
        const opened = await web.call<{ channel?: { id?: string } }>(
          "conversations.open",
          { users: person },
          options,
        );
        chat = opened.channel?.id ?? person;
        chats.set(person, chat);
      }
      return { channel: chat, ...there };
    },
  };
}
