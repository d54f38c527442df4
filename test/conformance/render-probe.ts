import { questionView } from "../../src/core/view.ts";
import type { Question } from "../../src/domain/question.ts";
import type { QuestionView } from "../../src/domain/view.ts";
import { aStored, evening } from "../builders.ts";

/** A question that a case file builds, as a renderer gets it. */
export function viewOf(question: Question): QuestionView {
  return questionView(aStored({ question, askedAt: evening }), evening);
}

export type Builder =
  | string
  | {
      readonly repeat?: string;
      readonly repeatUntil?: string;
      readonly times?: number;
      readonly limit?: number;
      readonly prefix?: string;
      readonly suffix?: string;
      readonly prefixes?: readonly string[];
    };

/** The text that a builder of a case file means; `prefix` is one of its `prefixes`. */
export function builtText(builder: Builder, prefix = ""): string {
  if (typeof builder === "string") return builder;
  const { repeat = "", times = 0, suffix = "" } = builder;
  return `${builder.prefix ?? ""}${prefix}${repeat.repeat(times)}${suffix}`;
}
