import { createHash } from "node:crypto";
import { oneLine, shorten } from "../../domain/text.ts";
import { type Fields, isFields, textField } from "./event.ts";
import { shownFolder } from "./shown.ts";

/** Where a question comes from, and until when it waits. */
export type Scene = {
  /** `Claude Code`. */
  readonly agent: string;
  /** The agent's tool that asks. */
  readonly tool: string;
  readonly folder: string;
  readonly task: string;
  /** As a question's `default.at`. */
  readonly at: string;
};

/** One question of an agent's own prompt, as a document of ours and with what its answer is called there. */
export type Choice = {
  /** The question's own text: the agent finds the answer by it. */
  readonly text: string;
  /** Option key to the label as the agent wrote it. */
  readonly labels: ReadonlyMap<string, string>;
  readonly document: Fields;
  /** Of everything that the agent asked in it. */
  readonly digest: string;
};

const mostQuestions = 4;
const mostTitle = 120;
const mostContext = 600;
const mostConsequence = 160;
const mostHeader = 40;
/** What choosing an option brings, where the agent describes none. */
const saysNoMore = "the agent says no more about it";
const recommendedMark = /\s*[([（【]\s*recommended\s*[)\]）】]/i;

/**
 * The questions of an agent's own prompt. Undefined where one of them is none that has a single answer out of a list (several
 * may be chosen, or there is no list), or where the agent could not tell their answers apart: then its own prompt asks.
 */
export function choicesOf(input: unknown, scene: Scene): readonly Choice[] | undefined {
  if (!isFields(input) || !Array.isArray(input.questions)) return undefined;
  const questions: readonly unknown[] = input.questions;
  if (questions.length < 1 || questions.length > mostQuestions) return undefined;
  const choices = questions.map((question) => (isFields(question) ? choiceOf(question, scene) : undefined));
  const found = choices.filter((choice) => choice !== undefined);
  const texts = new Set(found.map(({ text }) => text));
  return found.length === questions.length && texts.size === found.length ? found : undefined;
}

function choiceOf(question: Fields, scene: Scene): Choice | undefined {
  const text = textField(question, "question");
  if (text === undefined || text.trim() === "") return undefined;
  if (question.multiSelect === true || question.multiple === true) return undefined;
  const given = optionsOf(question);
  if (given === undefined) return undefined;
  const marked = given.findIndex(({ label }) => recommendedMark.test(label));
  const options = given.map(({ label, description }, index) => {
    const bare = oneLine(label.replace(recommendedMark, " "));
    const consequence = shorten(oneLine(description), mostConsequence);
    return {
      key: String(index + 1),
      label: bare,
      consequence: consequence === "" || consequence === bare ? saysNoMore : consequence,
      ...(index === Math.max(0, marked) ? { recommended: true } : {}),
    };
  });
  return {
    text,
    labels: new Map(given.map(({ label }, index) => [String(index + 1), label])),
    document: {
      kind: "decide",
      task: scene.task,
      ...wording(text, textField(question, "header"), scene),
      options,
      low_fidelity: true,
      default: { action: "stay_parked", at: scene.at },
    },
    digest: createHash("sha256").update(JSON.stringify(question)).digest("hex").slice(0, 32),
  };
}

type GivenOption = { readonly label: string; readonly description: string };

function optionsOf(question: Fields): readonly GivenOption[] | undefined {
  if (question.type === "yesno") return ["Yes", "No"].map((label) => ({ label, description: label }));
  if (question.type === "text" || !Array.isArray(question.options)) return undefined;
  const options: readonly unknown[] = question.options;
  const read = options.map((option) => {
    if (!isFields(option)) return undefined;
    const label = textField(option, "label");
    return label === undefined ? undefined : { label, description: textField(option, "description") ?? "" };
  });
  const found = read.filter((option) => option !== undefined);
  return found.length === options.length ? found : undefined;
}

/** A title on one line; the whole is in the context where it says more, and in `tried` where even that has no room. */
function wording(text: string, header: string | undefined, { agent, tool, folder }: Scene): Fields {
  const title = shorten(oneLine(text), mostTitle);
  const from = `${agent} asks in ${shownFolder(folder)} (${tool})${header === undefined ? "" : `, about: ${shorten(oneLine(header), mostHeader)}`}.`;
  if (title === text) return { title, context: from };
  const room = mostContext - [...from].length - 1;
  const context = `${shorten(text.trim(), room)}\n${from}`;
  return { title, context, ...([...text.trim()].length > room ? { tried: text } : {}) };
}
