import { rowOf } from "../../renderers/matrix.ts";
import { aliveMs } from "../core/abort.ts";
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

/** What the replies of a batch need beside the rows of their transaction. */
export type TurnFacts = {
  readonly status: StatusFacts;
  readonly runs: readonly RunId[];
  readonly pair: (snapshot: TurnSnapshot, heard: Heard, key: string) => ReceiveSettings["pair"];
};

const nobody = { bindings: [], codes: [] };

export type FactsOptions = {
  readonly store: Store;
  readonly places: readonly Place[];
  readonly night?: NightRules | undefined;
  /** IANA, of the times that are told; absent: UTC. */
  readonly zone?: string;
};

/**
 * Read before the transaction: what may be a little older than it (health, runs), and what takes long (comparing pairing
 * codes). Presses need none of it.
 */
export async function factsFor(
  channel: ChannelId,
  replies: readonly Reply[],
  options: FactsOptions,
  now: Instant,
): Promise<TurnFacts> {
  const { store, places, zone = "UTC" } = options;
  const typed = replies.filter(({ press, quarantined }) => press === undefined && quarantined === undefined);
  const speaks = (words: RegExp): boolean => typed.some(({ text = "" }) => words.test(text));
  const status = speaks(/status/i) ? await statusFacts(options) : { channels: [], waiting: 0, ringing: [] };
  const runs = typed.some(isMarked) ? await store.runs(now - aliveMs) : [];
  const claimed = typed.flatMap((reply): Claimed[] => {
    const text = codeIn(reply);
    const { key, sender } = reply;
    return text === undefined ? [] : [{ key, channel, sender, private: reply.private === true, text }];
  });
  const proofs = await proveCodes(store, claimed, now);
  return {
    status: { ...status, zone },
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

async function statusFacts({ store, places, night }: FactsOptions): Promise<Omit<StatusFacts, "zone">> {
  const [channels, counts, bindings, aborts] = await Promise.all([
    store.health(),
    store.counts(),
    store.bindings(),
    store.aborts(),
  ]);
  const routes = routesFor(places, bindings);
  const ringing = places.map(({ channel }) => channel).filter((channel) => rowOf(channel).rings);
  return {
    channels: channels.map((each) => reached(each, routes)),
    waiting: counts.answered,
    stopping: [...new Set(aborts.map(({ run }) => run))],
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

/**
 * Might it be a verb? Not told by the verb's letters: what nobody sees may stand between them. Reading people and runs for
 * nothing costs little.
 */
export function isMarked({ text = "", mentions = [] }: Reply): boolean {
  return mentions.length > 0 || /[/!]/.test(text);
}
