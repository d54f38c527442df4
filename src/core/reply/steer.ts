import type { Ack, SteerTarget } from "../../domain/command.ts";
import type { RunId, TaskId } from "../../domain/ids.ts";
import type { Decision, NewNote, TurnSnapshot } from "../../domain/store.ts";
import { senderWords } from "../wording.ts";
import { noSuchQuestion, type ReplySettings } from "./refusing.ts";

/** A note for the next iteration; it answers nothing. */
export function steer(
  snapshot: TurnSnapshot,
  target: SteerTarget,
  text: string,
  settings: ReplySettings,
): Decision<Ack> {
  const about: { project: string; task?: TaskId; run?: RunId } = { project: settings.project };
  let state = "noted";
  let note: NewNote = { project: settings.project, sender: settings.sender, text };
  if ("question" in target) {
    const stored = snapshot.questions.get(target.question);
    if (!stored) return noSuchQuestion(target.question, "steer", settings);
    about.project = stored.question.project;
    about.task = stored.question.task;
    state = stored.state;
    note = { ...note, question: target.question };
  } else if ("task" in target) about.task = target.task;
  else about.run = target.run;
  note = { ...note, ...about };
  const place = about.task === undefined ? `run ${about.run}` : about.task;
  return {
    effects: [
      { type: "note", note },
      {
        type: "log",
        event: {
          kind: "steering.noted",
          project: about.project,
          ...(about.task === undefined ? {} : { task: about.task }),
          ...("question" in target ? { question: target.question } : {}),
          data: { via: settings.sender.via, ...(about.run === undefined ? {} : { run: about.run }), text },
        },
      },
    ],
    value: {
      accepted: true,
      state,
      text: `Noted for the next iteration on ${place}${"question" in target ? "; the question stays as it is" : ""} (${senderWords(settings.sender)}).`,
    },
  };
}
