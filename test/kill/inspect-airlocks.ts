import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { StoredQuestion } from "../../src/domain/question.ts";
import { isFileTake } from "./inspect-loop.ts";
import type { Remains } from "./remains.ts";

/** The files of every project say what the store says, whole and once. */
export function inspectAirlocks(remains: Remains): string[] {
  const wrong: string[] = [];
  for (const [project, folder] of airlocks(remains.folder)) {
    const questions = remains.questions.filter((each) => each.question.project === project);
    if (questions.length === 0) continue;
    wrong.push(...inspectQuestions(folder, questions));
    wrong.push(...inspectEvents(folder, project, remains));
    wrong.push(...inspectAnswers(folder, questions, remains));
    for (const name of names(join(folder, "take"))) wrong.push(`the request take/${name} was left behind`);
  }
  wrong.push(...inspectSteering(remains));
  for (const path of readdirSync(remains.folder, { recursive: true, encoding: "utf8" })) {
    if (path.endsWith(".tmp")) wrong.push(`${path} was left behind`);
  }
  return wrong;
}

export function airlocks(folder: string): [project: string, folder: string][] {
  return [
    ["default", join(folder, "home", "airlocks", "default")],
    ["repo", join(folder, "repository", ".owlpost")],
  ];
}

function inspectQuestions(folder: string, questions: readonly StoredQuestion[]): string[] {
  const wrong: string[] = [];
  for (const stored of questions) {
    const { id } = stored.question;
    const path = join(folder, "questions", `${id}.yaml`);
    if (!existsSync(path)) {
      wrong.push(`questions/${id}.yaml is missing`);
      continue;
    }
    const mirror = parse(readFileSync(path, "utf8"));
    if (mirror.state !== stored.state || mirror.revision !== stored.revision) {
      wrong.push(`questions/${id}.yaml says ${mirror.state} (${mirror.revision}), it is ${stored.state}`);
    }
    if (mirror.id !== id || mirror.digest !== stored.digest)
      wrong.push(`questions/${id}.yaml is another question`);
  }
  return wrong;
}

function inspectEvents(folder: string, project: string, { events }: Remains): string[] {
  const path = join(folder, "events.jsonl");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (!text.endsWith("\n")) return [`events.jsonl of ${project} ends in the middle of a line`];
  const lines = text.trimEnd().split("\n");
  const seqs = lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
  const must = events.filter((event) => event.project === project).map((event) => event.seq);
  return seqs.join() === must.join()
    ? []
    : [`events.jsonl of ${project} holds ${seqs.join()}, and not ${must.join()}`];
}

function inspectAnswers(folder: string, questions: readonly StoredQuestion[], { events }: Remains): string[] {
  const wrong: string[] = [];
  const written = new Set(names(join(folder, "answers")));
  for (const stored of questions) {
    const { id } = stored.question;
    const taken = events.some(
      (event) => event.question === id && event.kind === "question.confirmed" && isFileTake(event, stored),
    );
    const there = written.delete(`${id}.yaml`);
    if (taken && !there) wrong.push(`answers/${id}.yaml is missing`);
    if (!there) continue;
    const handedOver = /^(?:hook|mcp):/.test(stored.claim?.claim ?? "");
    if (!taken && !handedOver) wrong.push(`answers/${id}.yaml is there, but no file engine took it`);
    const answer = parse(readFileSync(join(folder, "answers", `${id}.yaml`), "utf8"));
    const must = [id, stored.outcome, stored.answer?.option, stored.answer?.text, stored.digest];
    const is = [answer.id, answer.outcome, answer.option, answer.text, answer.digest];
    if (must.join() !== is.join()) wrong.push(`answers/${id}.yaml says ${is.join()}, and not ${must.join()}`);
    const steering = readFileSync(join(folder, "steering", `${stored.question.task}.md`), "utf8");
    const marks = steering.match(/^<!-- owlpost answer /gm)?.length ?? 0;
    if (marks !== 1) wrong.push(`the answer to ${id} stands ${marks} times in its steering file`);
  }
  for (const name of written) wrong.push(`answers/${name} belongs to no question`);
  return wrong;
}

function inspectSteering({ folder, notes, scene }: Remains): string[] {
  const wrong: string[] = [];
  const texts = airlocks(folder).flatMap(([, airlock]) =>
    names(join(airlock, "steering")).map((name) => readFileSync(join(airlock, "steering", name), "utf8")),
  );
  for (const note of scene.notes ?? []) {
    const stored = notes.filter((each) => each.text === note).length;
    if (stored !== 1) wrong.push(`the note “${note}” is stored ${stored} times`);
  }
  for (const note of notes) {
    const mark = `<!-- owlpost note ${note.id}, `;
    const times = texts.reduce((sum, text) => sum + text.split(mark).length - 1, 0);
    if (times !== 1) wrong.push(`the note ${note.id} stands ${times} times in the steering files`);
    const words = texts.reduce((sum, text) => sum + text.split(note.text).length - 1, 0);
    if (words !== 1) wrong.push(`the words of note ${note.id} stand ${words} times in the steering files`);
  }
  return wrong;
}

function names(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
