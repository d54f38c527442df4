import { oneLine, shorten } from "../../domain/text.ts";
import { asksForSecret } from "../secrets.ts";

const mostTitle = 120;
/** What may be quoted in the context, whose limit is 600. */
const mostQuoted = 440;

/**
 * The question of an agent that stopped without one: what it said, and the two choices that there always are. Whoever
 * answers sees the end of its log first.
 *
 * @param said what stands behind the colon of the promise; may be empty
 */
export function madeUp(
  kind: "decide" | "blocked",
  said: string,
  task: string,
): Readonly<Record<string, unknown>> {
  const word = kind === "decide" ? "DECIDE" : "BLOCKED";
  const line = oneLine(said);
  const quoted = line === "" ? `${word}, and said no more` : `${word}: “${shorten(line, mostQuoted)}”`;
  return {
    kind,
    title: titleOf(kind, line, task),
    context: `The agent of ${task} stopped with ${quoted}. No options of its own could be read: these two are owlpost's.`,
    options: [
      {
        key: "1",
        label: "Go on as last proposed",
        consequence: "The agent goes on with what it proposed last; the end of its log shows it",
        recommended: true,
      },
      {
        key: "2",
        label: "Skip this spec",
        consequence: "The task stays blocked, and the loop goes on with the next one",
      },
    ],
    low_fidelity: true,
  };
}

function titleOf(kind: "decide" | "blocked", line: string, task: string): string {
  // Nobody is asked to type a credential into a chat, whatever the agent wants.
  if (asksForSecret(line)) return `${task} stopped and asks for a credential: how is it to go on?`;
  if (line !== "") return shorten(line, mostTitle);
  return kind === "decide"
    ? `${task} wants a decision and does not say which: how is it to go on?`
    : `${task} is blocked and does not say why: how is it to go on?`;
}
