import { matrix, rowOf } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";
import type { ChannelMessage } from "../../src/domain/channel.ts";
import type { Question } from "../../src/domain/question.ts";
import { aQuestion } from "../builders.ts";
import { folded, visible } from "../renderers/rules.ts";
import { type CaseKind, type Fields, isFields, judge, type Verdict } from "./case-kind.ts";
import { viewOf } from "./render-probe.ts";

type Hostile = {
  readonly id: string;
  readonly text: string;
  readonly fields: readonly string[];
  readonly never: Readonly<Record<string, readonly string[]>>;
  readonly neverAtLineStart?: Readonly<Record<string, readonly string[]>>;
  readonly visible: string;
};

/** `render/hostile.json`: strings in the fields of a question, one at a time and all together. */
export const caseKind: CaseKind = {
  name: "hostile texts",
  knows: ({ content }) => isFields(content) && "strings" in content && "neverAtLineStart" in content,
  run: (file) => ((file.content as Fields).strings as readonly Hostile[]).map(runCase),
};

function runCase(each: Hostile): Verdict {
  return judge(each.id, [], () =>
    Object.keys(matrix).flatMap((channel) =>
      [...each.fields.map((field) => [field]), each.fields].flatMap((fields) => {
        const question = fields.reduce((made, field) => put(made, field, each.text), aQuestion());
        const broken = brokenBy(each, channel, fields, render(viewOf(question), rowOf(channel)));
        return broken.map((rule) => `${channel} ${fields.join("+")}: ${rule}`);
      }),
    ),
  );
}

function put(question: Question, field: string, text: string): Question {
  if (field === "facts.output_tail")
    return { ...question, facts: { command: "make", exit_code: 1, output_tail: text } };
  if (field !== "label" && field !== "consequence") return { ...question, [field]: text };
  return {
    ...question,
    options: question.options.map((option, at) => (at === 0 ? { ...option, [field]: text } : option)),
  };
}

function brokenBy(
  each: Hostile,
  channel: string,
  fields: readonly string[],
  message: ChannelMessage,
): readonly string[] {
  const row: Capabilities = rowOf(channel);
  const broken: string[] = [];
  const raw = `${message.body}${row.dialect === "mrkdwn" || row.dialect === "mail" ? "" : message.plain}`;
  const outside = outsideCode(message.body, row);
  for (const text of each.never[channel] ?? []) {
    if (outside.includes(text)) broken.push(`never ${JSON.stringify(text)}`);
  }
  for (const text of controls) if (raw.includes(text)) broken.push(`control ${JSON.stringify(text)}`);
  const shown = visible(message, row);
  const lines = shown.split("\n");
  for (const text of each.neverAtLineStart?.[channel] ?? []) {
    if (
      visible(message, row, false)
        .split("\n")
        // The first line is ours, in a mail the delimiter.
        .slice(1)
        .some((line) => `${line}\n`.startsWith(text))
    )
      broken.push(`line ${text}`);
  }
  for (const start of ["✅", "▶"]) {
    if (lines.some((line) => folded(line).startsWith(start))) broken.push(`line of ours ${start}`);
  }
  if (lines.filter((line) => folded(line).startsWith("⏰")).length !== 1) broken.push("line of ours ⏰");
  const texts = channel === "email" ? [shown, message.plain] : [shown];
  for (const text of texts) {
    const times = folded(text).split(seenForm(each)).length - 1;
    if (times < fields.length) broken.push(`seen ${times} of ${fields.length} times`);
  }
  return broken;
}

/** What stands in a code entity is as safe as what is escaped. */
function outsideCode(body: string, row: Capabilities): string {
  return row.dialect === "gfm" ? body.replace(/^(`{3,})\n[\s\S]*?\n\1$/gm, "") : body;
}

const controls = ["\u0000", "\u0007", "\u001b", "\b", "\u009b", "\u202e", "\u2066", "\u200f"];
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200e\u200f]/;

/** The text as a reader must find it: a pattern, since a control character may be shown or gone. */
function seenForm(each: Hostile): RegExp {
  const text = folded(each.text.replace(/\p{Cs}/gu, "\uFFFD"));
  const pattern = [...text]
    .map((character) =>
      hidden.test(character) ? "(?:⟨U\\+[0-9A-F]{4}⟩)?" : character.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"),
    )
    .join("");
  return new RegExp(pattern, "g");
}
