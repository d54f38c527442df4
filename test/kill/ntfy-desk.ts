import { type Front, type How, type Kind, startFront } from "../ntfy/front.ts";
import { type Message, type NtfyServer, startNtfy } from "../ntfy/server.ts";
import { openDoor } from "./door.ts";

export const askTopic = "nightjar-ask-7c1e9Fake";
export const replyTopic = "nightjar-reply-4b82dFake";
export const botToken = "tk_botFAKEbotFAKEbotFAKE";
export const buttonToken = "tk_buttonFAKEbuttonFAKE";

/** A button is pressed on a phone, or something is published that looks like it. */
export type NtfyTap = {
  /** The same name again is the same tap. */
  readonly name: string;
  readonly question: string;
  /** An option's key or a verb with its mark, as it stands in the button's body. */
  readonly action: string;
  /** Somebody who has no token makes one up. */
  readonly forged?: boolean;
};
export type NtfyFault = { readonly on: Kind; readonly how: How };
export type NtfyTapped = { readonly id: string | undefined };

export type NtfyDesk = {
  readonly url: string;
  readonly server: NtfyServer;
  readonly front: Front;
  /** Everything that was pressed, and the message that it made. */
  readonly taps: ReadonlyMap<string, { readonly tap: NtfyTap; readonly message: Message }>;
  close(): Promise<void>;
};

/**
 * ntfy and whoever reads it, in the process that survives every kill: the strict server with a clock that the scene moves, a
 * front that lets lines fail, and a door through which the child plays the person.
 */
export async function startNtfyDesk(): Promise<NtfyDesk> {
  let aheadMs = 0;
  const server = await startNtfy({
    now: () => Date.now() + aheadMs,
    everybody: { "*": "deny" },
    tokens: {
      [botToken]: { [askTopic]: "rw", [replyTopic]: "rw" },
      [buttonToken]: { [replyTopic]: "wo" },
    },
  });
  const front = await startFront(server.url, { ask: askTopic, reply: replyTopic });
  const taps = new Map<string, { readonly tap: NtfyTap; readonly message: Message }>();

  function tapIt(tap: NtfyTap): NtfyTapped {
    const known = taps.get(tap.name);
    if (known) return { id: known.message.id };
    const start = `${tap.question} ${tap.action} `;
    // Whatever ever stood there can still be pressed: a phone that was offline shows an old version.
    const bodies = server.kept(askTopic).flatMap(({ actions = [] }) => actions.map(({ body = "" }) => body));
    const body = bodies.find((each) => each.startsWith(start));
    if (body === undefined && !tap.forged) return { id: undefined };
    const text = tap.forged ? `${start}${"a".repeat(26)}` : body;
    const message = server.push({ topic: replyTopic, message: text ?? "" });
    taps.set(tap.name, { tap, message });
    return { id: message.id };
  }

  const door = await openDoor((path, body) => {
    switch (path) {
      case "/person/tap":
        return tapIt(body as NtfyTap);
      case "/person/fault": {
        const { on, how } = body as NtfyFault;
        front.fail(on, how);
        return {};
      }
      case "/person/cut":
        front.cut();
        return {};
      case "/person/clock":
        aheadMs = (body as { readonly ms: number }).ms;
        server.age();
        return {};
      case "/api":
        return { url: front.url };
      case "/left":
        return front.left();
      case "/kept":
        return server.kept(askTopic);
      default:
        throw new Error(`no door ${path}`);
    }
  });

  return {
    url: door.url,
    server,
    front,
    taps,
    async close() {
      await door.close();
      await front.close();
      await server.close();
    },
  };
}
