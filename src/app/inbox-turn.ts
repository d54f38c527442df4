import { decideReply } from "../core/reply.ts";
import type { Batch, Receipt, Reply } from "../domain/channel.ts";
import type { Ack, Command } from "../domain/command.ts";
import type { ChannelId, Instant } from "../domain/ids.ts";
import { questionId } from "../domain/ids.ts";
import type { Decision, Effect, Store, TurnInput, TurnSnapshot } from "../domain/store.ts";

export type InboxTurnOptions = {
  readonly store: Store;
  readonly now: () => Instant;
  readonly project: string;
  /** The name of a person who may answer, for a sender of a channel; undefined for everybody else. */
  readonly knownSender: (channel: ChannelId, sender: string) => string | undefined;
};

/**
 * One received batch, one transaction: every reply is stored under its key, decided and acked, and the cursor moves.
 * Only after that commit the platform may be told that we have them.
 */
export async function takeIn(
  channel: ChannelId,
  batch: Batch,
  options: InboxTurnOptions,
): Promise<readonly Ack[]> {
  const { store, now } = options;
  const inputs = batch.replies.map((reply): TurnInput & { readonly reply: Reply } => ({
    key: reply.key,
    payload: reply,
    reply,
  }));
  const at = now();
  const acks = await store.turn(
    { channel, inputs, ...(batch.cursor === undefined ? {} : { cursor: batch.cursor }) },
    ({ reply }) => {
      const command = commandOf(reply);
      return { questions: command && "question" in command ? [command.question] : [] };
    },
    (snapshot, { reply }): Decision<Ack> => {
      const by = options.knownSender(channel, reply.sender);
      if (by === undefined) return ignored("unknown-sender", channel);
      const command = commandOf(reply);
      if (!command) return ignored("bad-command", channel);
      const { effects, value } = decideReply(snapshot, command, {
        sender: { via: channel, by },
        now: at,
        ...(reply.at === undefined ? {} : { sentAt: reply.at }),
        project: options.project,
      });
      return { effects: [...effects, ...adopt(snapshot, channel, reply)], value };
    },
    at,
  );
  return acks;
}

/** A press names its question and its option. Text is stored and changes nothing until it is understood whole. */
function commandOf(reply: Reply): Command | undefined {
  const question = reply.press ? questionId(reply.press.question) : undefined;
  if (!reply.press || !question) return undefined;
  const { action } = reply.press;
  return action === "skip" || action === "retry"
    ? { verb: action, question }
    : { verb: "choose", question, key: action };
}

/**
 * A press on a message of ours that is no copy of its question: the reply to its post was lost. From now on it is one,
 * and it is edited like the others.
 */
function adopt(
  snapshot: TurnSnapshot,
  channel: ChannelId,
  { press, to: ref, chat: destination }: Reply,
): readonly Effect[] {
  const question = questionId(press?.question ?? "");
  if (!question || ref === undefined || destination === undefined) return [];
  if (!snapshot.questions.has(question)) return [];
  const copies = snapshot.copies.get(question) ?? [];
  if (copies.some((copy) => copy.channel === channel && copy.ref === ref)) return [];
  return [
    { type: "adopt-copy", question, channel, destination, ref, revision: 0 },
    { type: "send", job: { channel, destination, kind: "edit", question } },
  ];
}

/** Counted in the event log, and answered with silence where the sender is a stranger. */
function ignored(reason: "unknown-sender" | "bad-command", channel: ChannelId): Decision<Ack> {
  return {
    effects: [{ type: "log", event: { kind: "reply.refused", data: { reason, via: channel } } }],
    value: { accepted: false, reason, text: "" },
  };
}

/** What the platform may show for each reply of a batch; nothing where silence is right. */
export function receiptsOf(replies: readonly Reply[], acks: readonly Ack[]): Receipt[] {
  return replies.flatMap((reply, index) => {
    const ack = acks[index];
    if (!ack || ack.text === "") return [];
    return [{ key: reply.key, text: ack.text, accepted: ack.accepted }];
  });
}
