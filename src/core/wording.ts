import type { Sender } from "../domain/command.ts";
import type { Instant } from "../domain/ids.ts";
import type { Answer, ClaimRecord, DefaultAction, Question, StoredQuestion } from "../domain/question.ts";
import { isOpen } from "../domain/question.ts";
import { isLongerThan } from "../domain/text.ts";
import { localClock, localDay } from "./time.ts";

/** Where a decision came from, as it is shown to people. Only a sender whose name is known is called by name. */
export function senderWords(sender: Sender): string {
  if (sender.via === "cli") return `from the command line on ${sender.host ?? "this machine"}`;
  if (sender.via === "inbox") return `in the local inbox on ${sender.host ?? "this machine"}`;
  return sender.by === undefined ? `via ${sender.via}` : `by ${sender.by}`;
}

export function answerSender(answer: Answer): Sender {
  return {
    via: answer.via,
    ...(answer.host === undefined ? {} : { host: answer.host }),
    ...(answer.by === undefined ? {} : { by: answer.by }),
  };
}

/** `1 — Refresh-token rotation`; the key alone when there is no such option. */
export function optionWords(question: Question, key: string): string {
  const option = question.options.find((each) => each.key === key);
  return option ? `${key} — ${option.label}` : key;
}

/** `1 (or 2 / 3)`: the first key as it is sent, the others beside it. */
export function keyChoice(keys: readonly string[]): string {
  const [first = "", ...others] = keys;
  return others.length === 0 ? first : `${first} (or ${others.join(" / ")})`;
}

/** The bare clock where it can mean only one day, else with its day. */
export function timeWords(at: Instant, zone: string, now: Instant): string {
  return Math.abs(at - now) < 24 * 3_600_000 ? localClock(at, zone) : localDay(at, zone, now);
}

/** What was decided, in a few words that fit into a sentence: `option 1 — …`, `skip`, `retry`, `in words: …`. */
export function choiceWords(question: Question, answer: Answer): string {
  if (answer.option !== undefined) return `option ${optionWords(question, answer.option)}`;
  if (answer.outcome === "skipped") return "skip";
  if (answer.outcome === "retried") return "retry";
  if (answer.text !== undefined) return `in words: “${shorten(answer.text, 80)}”`;
  return answer.outcome;
}

/** What became of a question, before `by …`: `answered: option 1 — …`, `skipped`, `changed to option 2 — …`. */
function decidedWords(question: Question, answer: Answer): string {
  if (answer.outcome === "skipped") return "skipped";
  if (answer.outcome === "retried")
    return isPermission(question) ? `sent back (${notAllowed})` : "sent back for another run";
  const words = choiceWords(question, answer);
  if (answer.late) return `answered after the deadline: ${words}`;
  return answer.outcome === "overridden" ? `changed to ${words}` : `answered: ${words}`;
}

/** The first line of a text, at most `most` code points. */
export function shorten(text: string, most: number): string {
  const whole = text.trim();
  const lineEnd = whole.search(/\r?\n/);
  if (lineEnd < 0 && !isLongerThan(whole, most)) return whole;
  const line = lineEnd < 0 ? whole : whole.slice(0, lineEnd);
  // So many code points are at most twice as many units.
  return `${[...line.slice(0, 2 * most)].slice(0, most).join("")}…`;
}

/**
 * What silence does to an agent's own permission prompt: nobody refused, and nothing is allowed. It is told once, after
 * `No answer by 06:00` and `→` or `, so`.
 */
export const notAllowed = "not allowed";

/** An agent's own permission prompt: whoever asked waits for it until the deadline, and no loop ever comes for it. */
export function isPermission({ source }: Question): boolean {
  return source === "permission";
}

/** Who came for the decision: `run a3f2`, else the loop, or the agent whose own prompt it was. */
export function takerWords(question: Question, { run }: ClaimRecord): string {
  if (run !== undefined) return `run ${run}`;
  return isPermission(question) ? "the agent" : "the loop";
}

/** What happens when nobody answers, after a subject: `the spec is skipped …`. */
export function defaultWords(question: Question, action: DefaultAction): string {
  if (isPermission(question)) return "it is not allowed";
  if (action === "skip_spec") return "the spec will be skipped at the loop's next stop";
  if (action === "stay_parked") return "the task stays parked until somebody answers";
  const recommended = question.options.find((option) => option.recommended === true);
  const name = recommended ? `option ${optionWords(question, recommended.key)}` : "the recommended option";
  return `${name} will be taken at the loop's next stop`;
}

function defaultDoneWords(stored: StoredQuestion): string {
  if (stored.defaultAction !== "take_recommended") return "spec skipped";
  const recommended = stored.question.options.find((option) => option.recommended === true);
  return recommended ? `option ${recommended.key} (${recommended.label}) taken` : "recommendation taken";
}

/** Where a question stands, in one line that is true for its state; for receipts, refusals and `status`. */
export function standing(stored: StoredQuestion, now: Instant): string {
  const { question, answer, claim, zone } = stored;
  const time = (at: number): string => timeWords(at, zone, now);
  if (isOpen(stored.state)) {
    return `open until ${time(stored.deadlineAt)}`;
  }
  if (isPermission(question) && !answer && stored.state !== "cancelled")
    return `no answer by ${time(stored.deadlineAt)}, so ${notAllowed}`;
  switch (stored.state) {
    case "cancelled":
      return `cancelled${stored.why === undefined ? "" : `: ${stored.why}`}`;
    case "expired":
      return `no answer by ${time(stored.deadlineAt)} — ${defaultWords(question, stored.defaultAction)}`;
    case "default_applied":
      return `no answer by ${time(stored.deadlineAt)} — ${defaultDoneWords(stored)}${claim ? ` at ${time(claim.takenAt)}` : ""}`;
    default:
      break;
  }
  const said = answer
    ? `${decidedWords(question, answer)} ${senderWords(answerSender(answer))} at ${time(answer.at)}`
    : `no answer by ${time(stored.deadlineAt)} — ${defaultDoneWords(stored)}`;
  if (stored.state === "answered") return said;
  const picked = claim
    ? `, picked up${claim.run === undefined ? "" : ` by run ${claim.run}`} at ${time(claim.takenAt)}`
    : "";
  if (stored.state === "applied") return `${said}${picked}`;
  return `${said}${picked}, closed as ${stored.result ?? "resolved"}`;
}
