import type { Ack, Command, RefusalReason } from "../../domain/command.ts";
import type { Instant, QuestionId } from "../../domain/ids.ts";
import type { StoredQuestion } from "../../domain/question.ts";
import type { Decision, Effect } from "../../domain/store.ts";
import type { Form } from "../grammar/reading.ts";
import { log } from "../moves.ts";
import { noSuchQuestionText, type Reader, viewerText } from "./words.ts";

/** Without a `role` the owner of this machine speaks, who may do everything. */
export type ReplySettings = Reader & {
  /** When the platform says it was sent; absent: now. */
  readonly sentAt?: Instant;
  /** The project of a note that names no question. */
  readonly project: string;
  /** How a question stands now; absent, or undefined: in full. */
  readonly form?: (stored: StoredQuestion) => Form | undefined;
  /** It was pressed where the night's form still stands, although the hour may be day. */
  readonly onNightForm?: true;
  /** The inbox has shown a held question in full and asked again; from anywhere else it counts for nothing. */
  readonly confirmed?: "in-full";
};

export function refuseReply(
  stored: StoredQuestion,
  reason: RefusalReason,
  text: string,
  settings: ReplySettings,
  before: readonly Effect[] = [],
): Decision<Ack> {
  return {
    effects: [...before, log(stored, "reply.refused", { reason, via: settings.sender.via })],
    value: { accepted: false, reason, text, state: stored.state },
  };
}

export function noSuchQuestion(
  id: QuestionId,
  verb: Command["verb"],
  settings: ReplySettings,
): Decision<Ack> {
  const reason = "no-such-question";
  return {
    effects: [{ type: "log", event: { kind: "reply.refused", data: { reason, verb } } }],
    value: { accepted: false, reason, text: noSuchQuestionText(id, settings) },
  };
}

/** The role allows nothing that changes anything. */
export function refuseRole(verb: Command["verb"], settings: ReplySettings): Decision<Ack> {
  const reason = "not-allowed";
  const data = { reason, verb, via: settings.sender.via };
  return {
    effects: [{ type: "log", event: { kind: "reply.refused", data } }],
    value: { accepted: false, reason, text: viewerText() },
  };
}
