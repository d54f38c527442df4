import type { Instant, MessageRef } from "../../src/domain/ids.ts";

/** What comes over a Socket Mode line, as far as it is read here. Nothing of it is trusted to be there. */
export type Frame = {
  readonly type?: string;
  /** Of `disconnect`. */
  readonly reason?: string;
  readonly envelope_id?: string;
  readonly payload?: Payload;
};

/** A frame that waits for an ack. */
export type Envelope = Frame & { readonly envelope_id: string };

type Person = {
  readonly id?: string;
  readonly team_id?: string;
  readonly name?: string;
  readonly username?: string;
};

export type Message = {
  readonly type?: string;
  readonly subtype?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly team?: string;
  readonly user_team?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly parent_user_id?: string;
  readonly edited?: { readonly user?: string; readonly ts?: string };
  readonly blocks?: readonly unknown[];
  /** Of a message that began a thread. */
  readonly latest_reply?: string;
  readonly reply_count?: number;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: unknown };
};

export type View = {
  readonly id?: string;
  readonly hash?: string;
  readonly callback_id?: string;
  readonly private_metadata?: string;
  readonly state?: {
    readonly values?: Readonly<Record<string, Readonly<Record<string, { readonly value?: string | null }>>>>;
  };
};

export type Payload = {
  readonly type?: string;
  readonly team_id?: string;
  readonly event_id?: string;
  readonly event?: Message & {
    readonly channel?: string;
    readonly message?: Message;
    readonly previous_message?: Message;
  };
  readonly team?: { readonly id?: string } | null;
  readonly user?: Person;
  readonly channel?: { readonly id?: string };
  readonly container?: {
    readonly channel_id?: string;
    readonly message_ts?: string;
    readonly thread_ts?: string;
  };
  readonly message?: Message;
  readonly actions?: readonly {
    readonly type?: string;
    readonly action_id?: string;
    readonly value?: string;
    readonly action_ts?: string;
  }[];
  readonly view?: View;
  readonly trigger_id?: string;
  readonly response_url?: string;
  readonly user_id?: string;
  readonly user_name?: string;
  readonly channel_id?: string;
  readonly text?: string;
};

/** A person: ids of people are unique in a team, and a shared channel has people of several. */
export const whoOf = (team: string, user: string): string => `${team}/${user}`;
export const userOf = (sender: string): string => sender.split("/")[1] ?? "";

/** Times are unique in a channel: only both together name a message. */
export const refOf = (channel: string, ts: string): MessageRef => `${channel}:${ts}`;

export function refParts(ref: MessageRef): { readonly channel: string; readonly ts: string } {
  const [channel = "", ts = ""] = ref.split(":");
  return { channel, ts };
}

/** `1764445600.001200`: seconds, and six digits that make it unique. */
export function timeOf(ts: string): Instant {
  const [seconds = "0", rest = ""] = ts.split(".");
  return Number(seconds) * 1_000 + Number(rest.padEnd(3, "0").slice(0, 3));
}

/** The time of an instant, for asking what came after it. */
export function tsOf(at: Instant): string {
  return (Math.max(0, at) / 1_000).toFixed(6);
}
