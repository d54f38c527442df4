import type { Ack } from "../domain/command.ts";
import type { Instant } from "../domain/ids.ts";
import type { Effect, SenderCounter, TurnSnapshot } from "../domain/store.ts";
import { nobody } from "../domain/store-snapshots.ts";
import { oneLine, shorten } from "../domain/text.ts";
import type { Heard } from "./heard.ts";
import { log } from "./moves.ts";
import { notice } from "./notice.ts";
import { ownerRoutes, type Place } from "./people.ts";
import { readableText } from "./steering.ts";
import { timeWords } from "./wording.ts";

/** However much comes in of which nobody knows who said it, the owners are told once in this time. */
const tellMs = 3_600_000;

export type QuarantineSettings = {
  readonly now: Instant;
  /** IANA, of the times that are told. */
  readonly zone: string;
  readonly places: readonly Place[];
};

type Quarantined = { readonly effects: readonly Effect[]; readonly value: Ack };

/**
 * A reply of which nobody knows who said it: it does nothing and gets no answer. Where it claims to be somebody whom we know,
 * the owners are told on their other channels, once an hour with a number. What claims to be a stranger is none of our
 * business.
 */
export function decideQuarantined(
  snapshot: TurnSnapshot,
  heard: Heard & { readonly quarantined: string },
  settings: QuarantineSettings,
): Quarantined {
  const { channel, sender, speaker, about, quarantined: reason } = heard;
  const silence: Ack = { accepted: false, reason: "unknown-sender", text: "" };
  if (!speaker && reason !== "not-one-author") {
    const data = { reason: "unknown-sender", via: channel };
    return { effects: [{ type: "log", event: { kind: "reply.refused", data } }], value: silence };
  }
  const stored = about && snapshot.questions.get(about);
  const data = { reason, channel, sender: shownSender(sender) };
  const event: Effect = stored
    ? log(stored, "reply.quarantined", data)
    : { type: "log", event: { kind: "reply.quarantined", data } };
  return { effects: [event, ...tellOwners(snapshot, heard, settings)], value: silence };
}

function tellOwners(
  { counters = [], people }: TurnSnapshot,
  heard: Heard & { readonly quarantined: string },
  { now, zone, places }: QuarantineSettings,
): readonly Effect[] {
  const { channel } = heard;
  const before = counters.find(({ name }) => name === "stranger");
  const told = before !== undefined && before.sinceAt <= now && now - before.sinceAt < tellMs;
  const counter = (value: number, sinceAt: Instant): Effect => {
    const one: SenderCounter = { channel, sender: nobody, name: "stranger", value, sinceAt };
    return { type: "count", counter: one };
  };
  if (told) return [counter(before.value + 1, before.sinceAt)];
  const more = before?.value ?? 0;
  const since =
    more === 0 ? "" : ` ${moreWords(more)} since ${timeWords(before?.sinceAt ?? now, zone, now)}.`;
  // On the channel itself it would be told to whoever can write there.
  const routes = ownerRoutes(places, people?.bindings ?? []).filter((route) => route.channel !== channel);
  const text = `Put aside on ${channel}: ${whyWords(heard)} Nothing was done, and nobody was answered.${since}`;
  return [counter(0, now), ...notice("quarantine", text, routes)];
}

function moreWords(count: number): string {
  return count === 1 ? "1 more was put aside" : `${count} more were put aside`;
}

function whyWords({ quarantined, sender }: Heard & { readonly quarantined: string }): string {
  const who = shownSender(sender);
  switch (quarantined) {
    case "not-one-author":
      return `a message names no single author (${who}).`;
    case "wrong-token":
      return `a message of ${who} came to a reply address that was never given to them.`;
    case "not-proven":
      return `a message says that it is from ${who}, and nothing proves it: it has no valid signature of that domain. If it was really theirs, another channel takes the answer.`;
    default:
      return `a message that says it is from ${who} cannot be trusted (${shownSender(quarantined)}).`;
  }
}

/** Anybody may call themselves anything. */
function shownSender(sender: string): string {
  return shorten(oneLine(readableText(sender)), 80);
}

/** How the reasons are called in a report. */
export function quarantineWords(reason: string, count: number): string {
  const many = count === 1 ? "1 message" : `${count} messages`;
  const why: Readonly<Record<string, string>> = {
    "not-one-author": "without a single author",
    "wrong-token": "to a reply address of somebody else",
    "not-proven": "whose author nothing proves",
    malformed: "that can be read in more than one way",
  };
  return `${many} ${why[reason] ?? `that cannot be trusted (${shownSender(reason)})`}`;
}
