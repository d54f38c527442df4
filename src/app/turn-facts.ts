import { rowOf } from "../../renderers/matrix.ts";
import { readSaid } from "../core/grammar.ts";
import type { Heard } from "../core/heard.ts";
import type { StatusFacts } from "../core/listing.ts";
import type { NightRules } from "../core/night.ts";
import { decideAttempt, decideUnpair, type Proof } from "../core/pairing.ts";
import { type Place, routesFor } from "../core/people.ts";
import { reached } from "../core/reached.ts";
import type { ReceiveSettings } from "../core/receive.ts";
import type { Reply } from "../domain/channel.ts";
import type { ChannelId, Instant, RunId } from "../domain/ids.ts";
import type { Store, TurnSnapshot } from "../domain/store.ts";
import { type Claimed, proveCodes } from "./pairing.ts";

/** A run that asked within this time may still be steered or stopped. */
const aliveMs = 24 * 3_600_000;

/** What the replies of a batch need beside the rows of their transaction. */
export type TurnFacts = {
  readonly status: StatusFacts;
  readonly runs: readonly RunId[];
  readonly pair: (snapshot: TurnSnapshot, heard: Heard, key: string) => ReceiveSettings["pair"];
};

const noStatus: StatusFacts = { channels: [], waiting: 0, ringing: [] };
const nobody = { bindings: [], codes: [] };

export type FactsOptions = {
  readonly store: Store;
  readonly places: readonly Place[];
  readonly night?: NightRules | undefined;
};

/**
 * Read before the transaction: what may be a little older than it (health, runs), and what takes long (comparing pairing
 * codes). Presses need none of it.
 */
export async function factsFor(
  channel: ChannelId,
  replies: readonly Reply[],
  { store, places, night }: FactsOptions,
  now: Instant,
): Promise<TurnFacts> {
  const typed = replies.filter((reply) => reply.press === undefined);
  const speaks = (words: RegExp): boolean => typed.some(({ text = "" }) => words.test(text));
  const status = speaks(/status/i) ? await statusFacts({ store, places, night }) : noStatus;
  const runs = speaks(/steer|abort/i) ? await store.runs(now - aliveMs) : [];
  const claimed = typed.flatMap((reply): Claimed[] => {
    const text = codeIn(reply);
    const { key, sender } = reply;
    return text === undefined ? [] : [{ key, channel, sender, private: reply.private === true, text }];
  });
  const proofs = await proveCodes(store, claimed, now);
  return {
    status,
    runs,
    pair:
      ({ people = nobody, counters = [], open = [], copies }, { sender, speaker, said }, key) =>
      (reading) => {
        const who = { channel, sender, ...(speaker ? { speaker } : {}) };
        if (reading.kind === "unpair") return decideUnpair(people, who, places);
        const proof: Proof = proofs.get(key) ?? "unchecked";
        const attempt = { ...who, private: said.chat === "direct", proof };
        return decideAttempt({ ...people, open, copies }, counters, attempt, now, places);
      },
  };
}

async function statusFacts({ store, places, night }: FactsOptions): Promise<StatusFacts> {
  const [channels, counts, bindings] = await Promise.all([store.health(), store.counts(), store.bindings()]);
  const routes = routesFor(places, bindings);
  const ringing = places.map(({ channel }) => channel).filter((channel) => rowOf(channel).rings);
  return {
    channels: channels.map((each) => reached(each, routes)),
    waiting: counts.answered,
    ringing,
    night,
  };
}

/** The pairing code that is said, whoever says it. */
function codeIn({ text = "", mentions = [] }: Reply): string | undefined {
  const said = { text, mentions, chat: "direct", addressed: true, role: undefined } as const;
  const reading = readSaid(said, { open: [], question: () => undefined, runs: [] });
  return reading.kind === "pair" ? reading.code : undefined;
}
