import type { Ack } from "../domain/command.ts";
import type { Instant, QuestionId } from "../domain/ids.ts";
import { isOpen, type Question, type StoredQuestion } from "../domain/question.ts";
import type { Decision, TurnSnapshot } from "../domain/store.ts";
import type { Heard } from "./heard.ts";
import { offered } from "./receipt.ts";
import { standing } from "./wording.ts";

/** Somebody asks for the options that a message had no button for. */
export function decideMore(
  { questions }: TurnSnapshot,
  heard: Heard,
  id: QuestionId,
  now: Instant,
): Decision<Ack> {
  const stored = questions.get(id);
  if (heard.buttonsOnly !== undefined) return moreButtons(stored, heard, id, heard.buttonsOnly, now);
  return told(moreText(stored?.question, id, heard.speaker?.role ?? "viewer"));
}

function moreText(question: Question | undefined, id: QuestionId, role: string): string {
  const options = question?.options ?? [];
  const lines = options.map(({ key, label, consequence }) => `${key}: ${label} (${consequence})`);
  const first =
    role === "viewer"
      ? `The options of ${id}:`
      : `Reply to the question with one of these, or send ${id} and the key:`;
  return [first, ...lines].join("\n");
}

/** They come with a button each, in as many messages as that takes. */
function moreButtons(
  stored: StoredQuestion | undefined,
  heard: Heard,
  id: QuestionId,
  most: number,
  now: Instant,
): Decision<Ack> {
  if (!stored) return refused("no-such-question", `There is no question ${id}.`);
  const isOver = !isOpen(stored.state) && stored.state !== "expired";
  if (isOver) return refused("not-open", `${id} is ${standing(stored, now)}.`);
  // The message holds the first of them, and the button that was pressed.
  const rest = Math.max(1, stored.question.options.length - (most - 1));
  const parts = Array.from({ length: Math.ceil(rest / most) }, (_, part) => String(part));
  return told(
    `The other options of ${id}.`,
    parts.flatMap((part) => offered(heard, id, "more", part)),
  );
}

function told(text: string, effects: Decision<Ack>["effects"] = []): Decision<Ack> {
  return { effects, value: { accepted: true, state: "told", text } };
}

function refused(reason: "no-such-question" | "not-open", text: string): Decision<Ack> {
  return { effects: [], value: { accepted: false, reason, text } };
}
