import { rowOf } from "../../renderers/matrix.ts";
import { idsIn, runsIn } from "../core/grammar.ts";
import type { Heard } from "../core/heard.ts";
import { moved as afterMove } from "../core/moves.ts";
import type { NightRules } from "../core/night.ts";
import { isAllowed, type Place, recipientAt, speakerOf } from "../core/people.ts";
import { decideReceived, type ReceiveSettings } from "../core/receive.ts";
import type { Capabilities } from "../domain/capabilities.ts";
import type { Batch, Receipt, Reply } from "../domain/channel.ts";
import type { Ack } from "../domain/command.ts";
import { type ChannelId, type Instant, type QuestionId, questionId, type RunId } from "../domain/ids.ts";
import type { Current } from "../domain/question.ts";
import type { Decision, Effect, Store, TurnInput, TurnNeed, TurnSnapshot } from "../domain/store.ts";
import { nobody } from "../domain/store-snapshots.ts";
import { factsFor, isMarked } from "./turn-facts.ts";

export type InboxTurnOptions = {
  readonly store: Store;
  readonly now: () => Instant;
  readonly project: string;
  /** IANA, of the times that are told; absent: UTC. */
  readonly zone?: string;
  /** Where questions go, and whom the configuration allows: nobody, where there is no list. */
  readonly places: readonly Place[];
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
};

type Input = TurnInput & { readonly reply: Reply };

export type TakenIn = {
  /** One for each reply, in their order. */
  readonly acks: readonly Ack[];
  /** What the replies have moved, as it stands since that commit: whoever shows it need not read it. Not always all of it. */
  readonly moved: ReadonlyMap<QuestionId, Current>;
};

/**
 * One received batch, one transaction: every reply is stored under its key, decided and acked, and the cursor moves.
 * Only after that commit the platform may be told that we have them.
 */
export async function takeIn(channel: ChannelId, batch: Batch, options: InboxTurnOptions): Promise<TakenIn> {
  const { store, now } = options;
  const inputs = batch.replies.map((reply): Input => {
    // What a platform shows for somebody may be another when it brings the same reply again.
    const { key, twin, name: _shown, ...said } = reply;
    return { key, ...(twin === undefined ? {} : { twin }), payload: { key, ...said }, reply };
  });
  const at = now();
  const facts = await factsFor(channel, batch.replies, options, at);
  const skips = options.night !== undefined && batch.replies.some(({ press }) => press?.action === "skip");
  const beforeMorning = skips && (await store.nightState()).mark?.phase === "night";
  const moving = openMoving();
  const acks = await store.turn(
    { channel, inputs, ...(batch.cursor === undefined ? {} : { cursor: batch.cursor }) },
    (input) => {
      // A transaction that is repeated begins with what each needs.
      if (input === inputs[0]) moving.begin();
      return needOf(input.reply, facts.runs);
    },
    (snapshot, { reply }): Decision<Ack> => {
      const heard = heardOf(channel, reply, snapshot, options);
      const settings: ReceiveSettings = {
        now: at,
        mark: rowOf(channel).verbMark,
        ...(rowOf(channel).freeText === "comment" ? { byId: true as const } : {}),
        night: options.night,
        beforeMorning,
        project: options.project,
        places: options.places,
        followsUp: rowOf(channel).edit === "none",
        status: facts.status,
        runs: facts.runs,
        pair: facts.pair(snapshot, heard, reply.key),
      };
      const { effects, value } = decideReceived(snapshot, heard, settings);
      const all = [...effects, ...(heard.speaker ? adopt(snapshot, channel, reply) : [])];
      moving.note(snapshot, all);
      return { effects: all, value };
    },
    at,
  );
  return { acks, moved: moving.moved };
}

/** Follows what the effects of a batch make of the questions that they move. */
function openMoving() {
  const moved = new Map<QuestionId, Current>();
  /** Changed in another way than by a move. */
  const unsure = new Set<QuestionId>();
  const doubt = (id: QuestionId): void => {
    unsure.add(id);
    moved.delete(id);
  };
  return {
    moved: moved as ReadonlyMap<QuestionId, Current>,
    begin(): void {
      moved.clear();
      unsure.clear();
    },
    note({ questions, copies }: TurnSnapshot, effects: readonly Effect[]): void {
      for (const effect of effects) {
        if (effect.type === "adopt-copy") doubt(effect.question);
        if (effect.type === "renew-question") doubt(effect.id);
        if (effect.type !== "move-question" || unsure.has(effect.id)) continue;
        const before = moved.get(effect.id)?.stored ?? questions.get(effect.id);
        const shown = copies.get(effect.id);
        if (before && shown) moved.set(effect.id, { stored: afterMove(before, effect), copies: shown });
      }
    },
  };
}

/** What must be read before a reply can be understood. A press names its question; text may mean any that is open. */
function needOf(reply: Reply, alive: readonly RunId[]): TurnNeed {
  const { press, text = "", sender, to, edited, message, quarantined } = reply;
  const [about, tokened] = [questionId(reply.about ?? ""), questionId(reply.token ?? "")];
  if (quarantined !== undefined) {
    return { sender, counted: nobody, questions: about ? [about] : [], people: true };
  }
  if (press) {
    const question = questionId(press.question);
    return { sender, questions: question ? [question] : [] };
  }
  const runs = runsIn(text, alive);
  return {
    sender,
    questions: [...idsIn(text), ...(about ? [about] : []), ...(tokened ? [tokened] : [])],
    open: true,
    ...(to === undefined ? {} : { thread: to }),
    ...(edited && message !== undefined ? { edited: message } : {}),
    ...(isMarked(reply) ? { people: true } : {}),
    ...(runs.length > 0 ? { runs } : {}),
  };
}

/** A reply with what is known of its channel and of whoever sent it. */
export function heardOf(
  channel: ChannelId,
  reply: Reply,
  snapshot: TurnSnapshot,
  { places }: Pick<InboxTurnOptions, "places">,
): Heard {
  const { sender, name, press, text = "", message, at, edited, comment, quarantined } = reply;
  const destination = destinationOf(reply);
  const isDirect = reply.private === true;
  const question = questionId(reply.token ?? "");
  const about = questionId(reply.about ?? "");
  const row = rowOf(channel);
  const recipient = row.identity === "token" && question ? recipientAt(places, channel) : undefined;
  return {
    channel,
    sender,
    speaker: speakerOf(snapshot.binding, isAllowed(places, channel, sender), sender, name) ?? recipient,
    said: {
      text,
      chat: isDirect ? "direct" : reply.thread === undefined ? "group" : "thread",
      addressed: isDirect || reply.addressed === true,
      mentions: reply.mentions ?? [],
      ...(press ? { press } : {}),
      ...(isButtonless(row) ? { buttonless: true as const } : {}),
      ...(row.identity === "token" ? { token: question ?? null } : {}),
      // Who has a chat of their own is known by it.
      ...(row.identity === "token" && row.chats === "person" ? { proven: true as const } : {}),
      ...(comment === undefined ? {} : { comment }),
    },
    ...(row.buttons !== "none" && row.buttons.kind === "publish" ? { buttonsOnly: row.buttons.max } : {}),
    ...(about && snapshot.questions.has(about) ? { about } : {}),
    ...(destination === undefined ? {} : { destination }),
    ...(message === undefined ? {} : { message }),
    ...(edited ? { edited } : {}),
    ...(reply.toast ? { toast: true as const } : {}),
    ...(reply.colleague ? { colleague: true as const } : {}),
    ...(at === undefined ? {} : { sentAt: at }),
    ...(quarantined === undefined ? {} : { quarantined }),
  };
}

/** A button that only opens a new mail does what its words say when they are typed. */
function isButtonless({ buttons }: Capabilities): boolean {
  return buttons === "none" || buttons.kind === "mailto";
}

/** Where a reply was said, as a destination: a thread or topic has its own. */
export function destinationOf({ chat, thread }: Reply): string | undefined {
  return chat === undefined || thread === undefined ? chat : `${chat}/${thread}`;
}

/**
 * A press on, or words in reply to, a message of ours that is no copy of its question: the reply to its post was lost. From now on it is one,
 * and it is edited like the others.
 */
function adopt(snapshot: TurnSnapshot, channel: ChannelId, reply: Reply): readonly Effect[] {
  const { press, about, to: ref } = reply;
  // Where nothing can be edited, there is nothing to catch up on.
  if (rowOf(channel).edit === "none") return [];
  const destination = destinationOf(reply);
  const question = questionId(press?.question ?? about ?? "");
  if (!question || ref === undefined || destination === undefined) return [];
  if (!snapshot.questions.has(question)) return [];
  const copies = snapshot.copies.get(question) ?? [];
  if (copies.some((copy) => copy.channel === channel && copy.ref === ref)) return [];
  return [
    { type: "adopt-copy", question, channel, destination, ref, revision: 0 },
    { type: "send", job: { channel, destination, kind: "edit", question } },
  ];
}

/** What the platform may show at once for each reply of a batch; nothing where silence is right. */
export function receiptsOf(replies: readonly Reply[], acks: readonly Ack[]): Receipt[] {
  return replies.flatMap((reply, index) => {
    const ack = acks[index];
    if (!ack || ack.text === "") return [];
    return [{ key: reply.key, text: ack.text, accepted: ack.accepted }];
  });
}

/**
 * Refused presses whose toast did not arrive get a message instead: what changed something, or was so already, shows in
 * the message of its question. Where no press was made, nothing shows it, so that every toast that did not arrive is sent:
 * to its sender alone. A stranger hears nothing but a toast.
 */
export function untold(
  channel: ChannelId,
  replies: readonly Reply[],
  acks: readonly Ack[],
  delivered: readonly string[],
): readonly Effect[] {
  const { buttons } = rowOf(channel);
  // What is published has no toast: its turn has sent the receipt.
  if (buttons !== "none" && buttons.kind === "publish") return [];
  return replies.flatMap((reply, index): Effect[] => {
    const ack = acks[index];
    const alone = reply.toast && rowOf(channel).chats === "person";
    const destination = alone ? reply.sender : destinationOf(reply);
    if (!(reply.press || reply.toast) || !ack || ack.text === "" || destination === undefined) return [];
    if ((ack.accepted && !reply.toast) || ack.replayed || delivered.includes(reply.key)) return [];
    if (!ack.accepted && ack.reason === "unknown-sender") return [];
    const notice = { kind: "receipt", text: ack.text };
    return [{ type: "send", job: { channel, destination, kind: "receipt", notice } }];
  });
}
