import type { Ack } from "../domain/command.ts";
import type { ChannelId, Instant } from "../domain/ids.ts";
import type { PairingCode, Person, Speaker } from "../domain/person.ts";
import type { Decision, Effect, PeopleSnapshot, SenderCounter, TurnSnapshot } from "../domain/store.ts";
import { notice } from "./notice.ts";
import { markOf, pairedNews, revoked, told } from "./pairing-effects.ts";
import { isAllowed, ownerRoutes, type Place, routesFor } from "./people.ts";
import { postsFor } from "./reached.ts";

export { type CodeRequest, type CodeValue, codeMs, decideCode } from "./pairing-code.ts";
export { decideLogin, type LoginRequest, type LoginValue } from "./pairing-login.ts";
export { decideRevoke, decideUnpair, type Leaver, type RevokeValue } from "./unpairing.ts";

/** Wrong attempts of one sender, after which nothing of theirs is heard for a day. */
export const mostFailuresOfSender = 5;
const lockMs = 24 * 3_600_000;
/** Wrong attempts while a code is live, after which it is worth nothing any more. */
export const mostFailuresOfCode = 20;

/** What became of comparing a code that was said: the code that it is, or not; `unchecked`: nobody looked, so it counts as wrong. */
export type Proof = PairingCode["id"] | "wrong" | "unchecked";

export type Attempt = {
  readonly channel: ChannelId;
  readonly sender: string;
  /** Did nobody else read along? */
  readonly private: boolean;
  readonly proof: Proof;
  /** Who it is, where they are known already. */
  readonly speaker?: Speaker;
};

/** Is nothing of this sender heard at present? */
export function isLockedOut(counters: readonly SenderCounter[], now: Instant): boolean {
  return failuresOf(counters, now) >= mostFailuresOfSender;
}

/** Wrong codes of a sender; each day without one forgets them. */
export function failuresOf(counters: readonly SenderCounter[], now: Instant): number {
  const counter = counters.find(({ name }) => name === "pairing");
  return counter && now < counter.sinceAt + lockMs ? counter.value : 0;
}

/** `open`: what waits for an answer, with its copies, so that whoever comes in is asked, too. */
export type AttemptSnapshot = PeopleSnapshot & Partial<Pick<TurnSnapshot, "open" | "copies">>;

/**
 * Somebody says a code. Strangers hear nothing unless it is the right one and was said in private; every wrong one counts
 * against its sender and against every live code of the channel.
 *
 * @param counters those of the sender
 * @param places where the owners are told
 */
export function decideAttempt(
  snapshot: AttemptSnapshot,
  counters: readonly SenderCounter[],
  attempt: Attempt,
  now: Instant,
  places: readonly Place[],
): Decision<Ack> {
  const { channel, sender, proof, speaker } = attempt;
  const live = snapshot.codes.filter((code) => code.channel === channel && code.expiresAt > now);
  const code = live.find(({ id, address }) => id === proof && (address === undefined || address === sender));
  const at = { snapshot, counters, attempt, now, places, live };
  // Whoever said it, everybody there has read it.
  if (!attempt.private && code) return saidAloud(at, code);
  if (isLockedOut(counters, now)) {
    return told(speaker, "not-allowed", "There were too many wrong codes: for a day none is looked at.");
  }
  if (!attempt.private) return failed(at);
  const bound = snapshot.bindings.find((each) => each.channel === channel && each.address === sender);
  if (bound) {
    const { name, role } = bound.person;
    const mark = markOf(places, channel);
    return told(
      speaker,
      "not-allowed",
      `Already paired here, as ${name} (${role}); no code was used up. To be somebody else here, send ${mark}unpair first.`,
    );
  }
  return code ? paired(at, code) : failed(at);
}

type Scene = {
  readonly snapshot: AttemptSnapshot;
  readonly counters: readonly SenderCounter[];
  readonly attempt: Attempt;
  readonly now: Instant;
  readonly places: readonly Place[];
  /** Codes of the channel that can still be used. */
  readonly live: readonly PairingCode[];
};

function paired({ snapshot, counters, attempt, now, places }: Scene, code: PairingCode): Decision<Ack> {
  const { channel, sender } = attempt;
  const { person, id } = code;
  // The configuration makes some ids owners, whatever a code says.
  const role = isAllowed(places, channel, sender) ? "owner" : person.role;
  const earlier = snapshot.bindings.filter(
    (each) => each.channel === channel && each.person.name === person.name,
  );
  const others = ownerRoutes(places, snapshot.bindings).filter(
    (route) => route.channel !== channel || route.destination !== sender,
  );
  const binding = { id, person, channel, address: sender, createdAt: now };
  const bindings = [...snapshot.bindings.filter((each) => !earlier.includes(each)), binding];
  const { open = [], copies = new Map() } = snapshot;
  const news = pairedNews({ name: person.name, role }, channel, `id ${sender}`, id);
  return {
    effects: [
      ...earlier.map((each): Effect => ({ type: "unbind", binding: each.id })),
      { type: "bind", person, channel, address: sender, code: id },
      ...(failuresOf(counters, now) > 0 ? [countFailures(attempt, 0, now)] : []),
      { type: "log", event: { kind: "person.paired", data: { ...person, via: channel, binding: id } } },
      ...notice("pairing", news, others),
      ...postsFor(
        { channel, destination: sender },
        open,
        copies,
        (answerableBy) => routesFor(places, bindings, answerableBy),
        now,
      ),
    ],
    value: {
      accepted: true,
      state: "paired",
      text: welcome({ name: person.name, role }, markOf(places, channel)),
    },
  };
}

function welcome({ name, role }: Person, mark: string): string {
  const may = {
    owner: "an owner here: answer, skip, retry and steer, change any answer, and see what is open",
    member:
      "a member here: answer, skip, retry and steer, change an answer of your own, and see what is open",
    viewer: `a viewer here: see what is open (${mark}pending, ${mark}status); answering is for owners and members`,
  }[role];
  return `Welcome, ${name}. You are ${may}. ${mark}help shows how, ${mark}unpair leaves.`;
}

/** Everybody there has read it, so it is worth nothing any more. */
function saidAloud({ snapshot, attempt, places }: Scene, code: PairingCode): Decision<Ack> {
  const { channel, speaker } = attempt;
  const news = `The pairing code of ${code.person.name} was said in a group on ${channel}, so it is revoked. Make a new one (owlpost pair), and send it to the bot in a private chat.`;
  return {
    effects: [
      ...revoked([code], channel, "said-in-a-group"),
      ...notice("pairing", news, ownerRoutes(places, snapshot.bindings)),
    ],
    value: told(
      speaker,
      "not-allowed",
      "A code is for a private chat with the bot: this one was read by everybody here, so it is revoked.",
    ).value,
  };
}

function failed({ snapshot, counters, attempt, now, places, live }: Scene): Decision<Ack> {
  const { channel, sender, speaker } = attempt;
  const failures = failuresOf(counters, now) + 1;
  const isOver = Math.max(-1, ...live.map((code) => code.failures)) + 1 >= mostFailuresOfCode;
  const news = `${mostFailuresOfCode} wrong pairing codes were tried on ${channel}, so every code that was live there is revoked. Nobody came in. Make a new one when it is needed: owlpost pair`;
  const rest = failures < mostFailuresOfSender ? "" : " That was one too many: for a day none is looked at.";
  return {
    effects: [
      countFailures(attempt, failures, now),
      ...(live.length > 0 ? [{ type: "fail-codes", channel } as const] : []),
      { type: "log", event: { kind: "pairing.failed", data: { via: channel, sender, failures } } },
      ...(isOver
        ? [
            ...revoked(live, channel, "too-many-attempts"),
            ...notice("pairing", news, ownerRoutes(places, snapshot.bindings)),
          ]
        : []),
    ],
    value: told(
      speaker,
      "bad-command",
      `That code cannot be used here: one works once, for 10 minutes. A new one: owlpost pair, on the machine.${rest}`,
    ).value,
  };
}

function countFailures({ channel, sender }: Attempt, value: number, now: Instant): Effect {
  return { type: "count", counter: { channel, sender, name: "pairing", value, sinceAt: now } };
}
