import { type Fault, type SlackServer, startSlack } from "../slack/slack-server.ts";
import type { Envelope } from "../slack/socket-mode.ts";
import { appToken, botToken, eric, inTeam, mara, ops, settle } from "../slack/team.ts";
import type { Message } from "../slack/workspace.ts";
import { openDoor } from "./door.ts";

/** What a person does in Slack; the same name again is the same deed. */
export type Deed = {
  readonly name: string;
  readonly from: string;
  /** The question whose button is tapped, or in whose thread it is typed. */
  readonly question?: string;
  /** An option's key or `/skip`. */
  readonly action?: string;
  readonly text?: string;
  /** The name of what was typed before and is changed. */
  readonly edit?: string;
};
/** `missing`: what it is about is not there yet. `lost`: Slack shows the small sign, and a careful person does it again. */
export type DeedState = "missing" | "waiting" | "acked" | "lost";

export type Done = {
  readonly deed: Deed;
  readonly message: Message;
  /** Every attempt: a tap that got lost is made again. */
  readonly envelopes: Envelope[];
};

export type SlackDesk = {
  readonly url: string;
  readonly slack: SlackServer;
  readonly deeds: ReadonlyMap<string, Done>;
  close(): Promise<void>;
};

/** So that a kill costs no run its time; Slack itself waits for three seconds, and then for minutes. */
const shortAckMs = 400;
const shortRetriesMs = [0, ...Array.from({ length: 40 }, () => 250)];

/**
 * Slack and the people of a team, in the process that survives every kill: the strict server with a clock that the scene
 * moves, and a door through which the child plays the people.
 */
export async function startSlackDesk(): Promise<SlackDesk> {
  let aheadMs = 0;
  const slack = await startSlack({
    now: () => Date.now() + aheadMs,
    random: Math.random,
    ackMs: shortAckMs,
    retriesMs: shortRetriesMs,
    drainMs: 50,
  });
  settle(slack);
  const deeds = new Map<string, Done>();

  const buttonOf = ({ question, action }: Deed): string => `o1|${question}|${action}`;
  const copyOf = (question: string | undefined): Message | undefined =>
    slack.workspace
      .room(ops)
      .messages.find(({ everyButton }) =>
        everyButton.some(({ value }) => value.startsWith(`o1|${question}|`)),
      );

  /** Of an event, the envelope that brought it; the server hands it over again by itself. */
  const envelopeOf = (ts: string): Envelope | undefined =>
    slack.sockets.envelopes.findLast(({ payload }) => {
      const event = payload.event as { ts?: string; message?: { ts?: string } } | undefined;
      return event?.ts === ts || event?.message?.ts === ts;
    });

  function stateOf({ envelopes }: Done): DeedState {
    const envelope = envelopes.at(-1);
    if (!envelope || envelope.state === "acked") return "acked";
    if (envelope.state === "failed") return "lost";
    // The sign would come in three seconds; the line that it went over is gone for good.
    const isGone = envelope.kind !== "events_api" && envelope.socket?.isOpen === false;
    return isGone ? "lost" : "waiting";
  }

  function tap(deed: Deed): DeedState {
    const known = deeds.get(deed.name);
    const message = known?.message ?? copyOf(deed.question);
    if (!message?.everyButton.some(({ value }) => value === buttonOf(deed))) return "missing";
    const { envelope } = slack.people.taps(deed.from, message, ({ value }) => value === buttonOf(deed));
    const done = known ?? { deed, message, envelopes: [] };
    done.envelopes.push(envelope);
    deeds.set(deed.name, done);
    return stateOf(done);
  }

  function type(deed: Deed): DeedState {
    const { name, from, text = "", question, edit } = deed;
    const before = edit === undefined ? undefined : deeds.get(edit)?.message;
    const parent = question === undefined ? undefined : copyOf(question);
    if ((edit !== undefined && !before) || (question !== undefined && !parent)) return "missing";
    const message = before
      ? slack.people.edits(from, before.channel, before.ts, text)
      : slack.people.says(from, text, parent ? { in: ops, thread: parent.ts } : {});
    const envelope = envelopeOf(message.ts);
    const done = { deed, message, envelopes: envelope ? [envelope] : [] };
    deeds.set(name, done);
    return stateOf(done);
  }

  function act(deed: Deed): DeedState {
    const known = deeds.get(deed.name);
    const isTap = deed.action !== undefined;
    if (known && !(isTap && stateOf(known) === "lost")) return stateOf(known);
    return isTap ? tap(deed) : type(deed);
  }

  const door = await openDoor((path, body) => {
    switch (path) {
      case "/person/act":
        return { state: act(body as Deed) };
      case "/person/fault":
        return slack.fail(body as Fault);
      case "/person/clock":
        aheadMs = (body as { ms: number }).ms;
        return {};
      case "/line": {
        const { how } = body as { how: "cut" | "recycle" };
        if (how === "cut") slack.sockets.cut();
        else slack.sockets.disconnect("refresh_requested");
        return {};
      }
      case "/lines":
        return { live: slack.sockets.live() };
      case "/api":
        return {
          bot_token: botToken,
          app_token: appToken,
          channel: ops,
          allow: [inTeam(eric), inTeam(mara)],
          api_url: slack.url,
        };
      case "/texts":
        return slack.workspace.room(ops).messages.map(({ versions }) => versions.at(-1));
      default:
        throw new Error(`no door ${path}`);
    }
  });

  return {
    url: door.url,
    slack,
    deeds,
    async close() {
      await door.close();
      await slack.close();
    },
  };
}
