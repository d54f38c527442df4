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

/** Channels where something of ours stands, so that they are read again after an outage; the latest last. */
const mostRooms = 50;

export type Places = {
  /** Opens the private chat of a person where it is not known yet. */
  find(destination: string, options: CallOptions): Promise<Room>;
  /** Somebody speaks there, or we do. */
  noted(channel: string, person?: string): void;
  /** The channels to read again. */
  rooms(): readonly string[];
};

/** `onNew` is called for a channel that is to be remembered. */
export function openPlaces(web: Pick<Web, "call">, onNew: () => void): Places {
  const chats = new Map<string, string>();
  const rooms = new Set<string>();

  function noted(channel: string, person?: string): void {
    if (person !== undefined && channel.startsWith("D")) chats.set(person, channel);
    const known = rooms.delete(channel);
    rooms.add(channel);
    const [oldest] = rooms;
    if (rooms.size > mostRooms && oldest !== undefined) rooms.delete(oldest);
    if (!known) onNew();
  }

  return {
    noted,
    rooms: () => [...rooms],
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
