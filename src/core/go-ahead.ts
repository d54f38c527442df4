import type { Command } from "../domain/command.ts";
import type { StoredQuestion } from "../domain/question.ts";
import type { TurnSnapshot } from "../domain/store.ts";
import type { NightForm } from "./night.ts";

/**
 * `go` in the place of a key, from the inbox or the command line: the recommended option, taken by the night's *Go ahead*.
 * A button may be pressed when the night is just over; typed by day it names no option.
 */
export function goAhead(
  { questions }: Pick<TurnSnapshot, "questions">,
  command: Command,
  form: (stored: StoredQuestion) => NightForm | undefined,
  surface: "cli" | "inbox",
): Command {
  if (command.verb !== "choose" || command.key !== "go") return command;
  const stored = questions.get(command.question);
  if (!stored || (surface === "cli" && form(stored) === undefined)) return command;
  const recommended = stored.question.options.find((option) => option.recommended === true);
  return recommended ? { ...command, key: recommended.key, goAhead: true } : command;
}
