import type { RunId } from "../domain/ids.ts";
import type { StoredQuestion } from "../domain/question.ts";
import { oneLine } from "../domain/text.ts";
import { type Known, type Reading, sayAgain, type Why } from "./grammar.ts";
import { untokenedLetterText } from "./letter-words.ts";
import { fitting, type Mark, withMention } from "./listing.ts";
import { shorten } from "./wording.ts";

type Refused = Extract<Reading, { kind: "refused" }>;

export type RefusedWords = {
  readonly mark: Mark;
  /** The title of a question that is open. */
  readonly title: (known: Known) => string;
  /** A verb without a question's id is heard only where the bot is mentioned. */
  readonly byId?: true | undefined;
  /** Said in a group, where only what mentions the bot is heard outside of a question's own thread. */
  readonly inGroup?: true | undefined;
  /** It was a letter: what is open for whoever wrote it. */
  readonly letter?: readonly StoredQuestion[];
};

const mostListed = 10;

/** Why a reply changed nothing, and what to send instead; empty where silence is right. */
export function refusedText({ why }: Refused, { mark, title, letter, byId, inGroup }: RefusedWords): string {
  const asking = (verb: "help" | "pending"): string =>
    byId ? `A mention of me with “${verb}”` : `${mark}${verb}`;
  switch (why.code) {
    case "stranger":
    case "code-in-group":
      return "";
    case "role":
      return why.verb === "abort"
        ? "Nothing was stopped: that is for owners."
        : `Nothing was changed: here you may look; ${deed(why.verb)} is for owners and members.`;
    case "no-token":
      if (letter) return untokenedLetterText(letter);
      return "Nothing was changed: this channel cannot tell who wrote that. Use the buttons of the question, or answer on another channel.";
    case "other-token":
      return `Nothing was changed: that was sent as an answer to ${why.question} and names another question. Answer each from its own message.`;
    case "two-answers":
      return `Nothing was recorded: one line of that says something else than the first one. Send it again with what counts for ${why.question} on the first line, and no other option on a line of its own.`;
    case "token-too-weak":
      return `Nothing was changed: ${mark}${why.verb} needs a channel that knows who writes, or owlpost on the machine.`;
    case "unknown-verb":
      return `Nothing was changed: there is no “${quoted(why.typed)}”. ${asking("help")} shows what there is.`;
    case "missing":
      return `Nothing was changed: ${missing(why, mark, byId)}`;
    case "extra":
      return `Nothing was changed: “${quoted(why.typed)}” is more than ${mark}${why.verb} takes. ${usage(why.verb, mark, byId)}`;
    case "run-not-alive":
      return notAliveText(why.typed, why.alive);
    case "bad-press":
      return "Nothing was changed: that button is too old to be understood. Send the question's id and the option, such as q-a3f2-012-1 2.";
    case "no-such-id":
      return `Nothing was changed: there is no question ${quoted(why.typed)}. ${asking("pending")} lists what is open.`;
    case "nothing-open":
      if (why.attempt.verb === "steer") {
        return `Nothing was noted: no question is open that it could be for. Name one: ${mark}steer q-a3f2-012-1 …${byId ? "" : ", or reply to its message"}.`;
      }
      return `Nothing was changed: no question waits for you. Past its deadline one still takes ${byId ? "an answer that names it by its id" : "a reply to its own message"}; to change an answer: ${mark}override, its id and the option.`;
    case "several-open": {
      const lines = fitting(
        why.open,
        (known) =>
          `• ${title(known)}\nSend${inGroup ? withMention : ""}: ${sayAgain(why.attempt, known, mark)}`,
      );
      const first =
        why.open.length === 1
          ? "That was sent before the question below was asked. Is it for it? Nothing is recorded yet."
          : `${why.open.length} questions are open. Which one is it for? Nothing is recorded yet.`;
      return [first, ...lines].join("\n");
    }
  }
}

function deed(verb: Extract<Why, { code: "role" }>["verb"]): string {
  return verb === "steer" ? "steering" : "answering";
}

function missing({ verb, needs }: Extract<Why, { code: "missing" }>, mark: Mark, byId?: true): string {
  const lacks = {
    text: "some words are missing.",
    id: "the question's id is missing.",
    option: "the option is missing.",
    run: "the run's id is missing.",
    code: "the code is missing.",
  }[needs];
  return `${lacks} ${usage(verb, mark, byId)}`;
}

function usage(verb: Extract<Why, { code: "missing" }>["verb"], mark: Mark, byId?: true): string {
  // Said to nobody, such a verb is no reply there.
  if (byId && ["abort", "status", "pending", "help", "unpair"].includes(verb)) {
    return `Mention me with: ${verb}${verb === "abort" ? " and the run's id, such as a3f2" : ", alone"}.`;
  }
  const which = byId ? " with a question's id" : ", alone or with a question's id";
  const id = byId ? ", the question's id" : "";
  const form = {
    answer: `answer${id} and your words`,
    skip: `skip${which}`,
    retry: `retry${which}`,
    steer: `steer${id} and your words`,
    override: "override, the question's id and the option, such as q-a3f2-012-1 2",
    abort: "abort and the run's id, such as a3f2",
    status: "status, alone",
    pending: "pending, alone",
    help: "help, alone",
    pair: "pair and the code",
    unpair: "unpair, alone",
    start: "start and the code",
  }[verb];
  return `Send ${mark}${form}.`;
}

export function notAliveText(typed: string, runs: readonly RunId[]): string {
  if (runs.length === 0) return "Nothing was stopped: no run is alive.";
  const alive = runs.slice(0, mostListed).join(", ");
  return `Nothing was stopped: no run “${quoted(typed)}” is alive. Alive: ${alive}.`;
}

/** What they typed, in one short line. */
function quoted(typed: string): string {
  return shorten(oneLine(typed), 40);
}
