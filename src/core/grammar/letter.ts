import type { Command } from "../../domain/command.ts";
import { isBlank } from "../text.ts";
import { choiceIn } from "./choice.ts";
import { type Known, type Reading, refuse, type Said, type World } from "./reading.ts";
import { cut, foldShort, scan, trimmed } from "./scan.ts";
import { find } from "./target.ts";

/**
 * What stands beside the first line of a letter goes with what that line says, unless another line of its own says something
 * else: then nobody can tell which one is meant.
 */
export function withComment(reading: Reading, { comment = "" }: Said, world: World): Reading {
  if (reading.kind !== "command" || isBlank(comment)) return reading;
  const { command } = reading;
  const note = trimmed(comment);
  if (command.verb === "steer")
    return { ...reading, command: { ...command, text: `${command.text}\n${note}` } };
  const { question } = command;
  const known = find(question, world);
  if (known && comment.split("\n").some((line) => saysOther(line, command, known))) {
    return { ...refuse({ code: "two-answers", question }), question };
  }
  return command.verb === "answer"
    ? { ...reading, command: { ...command, text: `${command.text}\n${note}` } }
    : { ...reading, command: { ...command, comment: note } };
}

type Decision = Exclude<Command, { verb: "steer" }>;

function saysOther(line: string, command: Decision, known: Known): boolean {
  // What is quoted was said by somebody else.
  if (/^\s*>/.test(line)) return false;
  const { verb, rest } = scan(line, []);
  const first = cut(rest);
  // The question's own id says no more than the letter's address does.
  const said = foldShort(first.word === known.question.id ? first.rest : rest);
  const skips = verb === undefined && said === "skip" && known.form === "consent";
  if (skips || ((verb?.name === "skip" || verb?.name === "retry") && said === "")) {
    return command.verb !== (verb?.name ?? "skip");
  }
  if (verb !== undefined && verb.name !== "answer" && verb.name !== "override") return false;
  const choice = choiceIn(said, known, { addressed: true, afterId: false });
  if (!choice || !known.question.options.some(({ key }) => key === choice.key)) return false;
  return !("key" in command) || command.key !== choice.key;
}
