import type { Button } from "../domain/channel.ts";
import { isOpen, type StoredQuestion } from "../domain/question.ts";
import type { View } from "../domain/view.ts";
import { defaultWords, standing, timeWords } from "./wording.ts";

/** What is to be said about a question as it stands: times are text already. */
export function questionView(stored: StoredQuestion, now: number): View {
  const { question } = stored;
  const waiting = isOpen(stored.state) || stored.state === "expired";
  const buttons: Button[] = waiting
    ? [
        ...question.options.map(
          (option): Button => ({
            label: `${option.key} ${option.label}`,
            question: question.id,
            action: { key: option.key },
          }),
        ),
        { label: "Skip", question: question.id, action: { verb: "skip" } },
      ]
    : [];
  return {
    id: question.id,
    kind: question.kind,
    task: question.task,
    ...(question.progress === undefined ? {} : { progress: question.progress }),
    ...(question.iteration === undefined ? {} : { iteration: question.iteration }),
    title: question.title,
    context: question.context,
    ...(question.tried === undefined ? {} : { tried: question.tried }),
    options: question.options,
    deadline: `No answer by ${timeWords(stored.deadlineAt, stored.zone, now)} → ${defaultWords(question, stored.defaultAction)}.`,
    ...(isOpen(stored.state) ? {} : { standing: standing(stored, now) }),
    buttons,
  };
}
