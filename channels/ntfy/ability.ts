import { probeText } from "./decode.ts";
import type { Answered, Line } from "./line.ts";
import type { Settings } from "./settings.ts";

/** Asked for in the probe alone. */
const probeSequence = "owlpost-probe";

/** What the server can do, as its answers tell. */
export type Ability = {
  /** Does it update messages in place (2.16 and later)? Undefined while nobody knows. */
  updates(): boolean | undefined;
  /** It answered a message that had this sequence id. */
  learn(answered: Answered, sequence: string): void;
  /** It stored a message as a file. */
  makesFiles(): boolean;
};

export function abilityOf(): Ability {
  let updates: boolean | undefined;
  let files = false;
  return {
    updates: () => updates,
    learn({ fields }, sequence) {
      updates = fields.sequence_id === sequence;
      files ||= fields.attachment !== undefined;
    },
    makesFiles: () => files,
  };
}

/**
 * Publishes to the reply topic, as a button does, what nobody keeps and everybody passes over: its echo tells whether the
 * server knows sequence ids. No phone subscribes to that topic.
 */
export async function probe(
  line: Line,
  given: Settings,
  ability: Ability,
  signal: AbortSignal,
  callMs: number,
): Promise<boolean> {
  const body = JSON.stringify({
    topic: given.reply_topic,
    message: probeText,
    priority: 1,
    cache: "no",
    firebase: "no",
    sequence_id: probeSequence,
  });
  const headers = { "content-type": "application/json" };
  const may = "write to the reply topic";
  const ask = { method: "POST", path: "/", token: given.button_token, headers, body, may } as const;
  ability.learn(await line.call(ask, signal, callMs), probeSequence);
  return ability.updates() === true;
}
