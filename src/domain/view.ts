import type { QuestionId } from "./ids.ts";
import type { Option } from "./question.ts";

/**
 * What is to be said, with every local time already text, so that a renderer never formats a time and never invents.
 */
export type View = AskedView | ReceiptView | NoticeView;

/** A question, in one of the forms in which it can stand. */
export type AskedView = QuestionView | NightView;
export type NightView = ConsentView | HeldView;

/** Where a question can be answered, for a channel that takes no answers; the inbox and the command line always do. */
export type Elsewhere = {
  /** The channels that take answers in words. */
  readonly channels: readonly string[];
  /** The mark before a verb that all of them understand. */
  readonly mark: "/" | "!";
};

export type QuestionView = {
  readonly type: "question";
  readonly id: QuestionId;
  readonly kind: string;
  readonly task: string;
  readonly progress?: string;
  readonly iteration?: number;
  readonly title: string;
  readonly context: string;
  readonly tried?: string;
  readonly lowFidelity: boolean;
  /** The failing command with its exit code, in one line of at most 160 code points. */
  readonly command?: string;
  readonly outputTail: readonly string[];
  readonly diffStat?: string;
  readonly branch?: string;
  /** Facts that owlpost has no name for, as `name: value` lines. */
  readonly freeFacts: readonly string[];
  /** Is a fact or a link longer than the line that it is shown in? */
  readonly factsCut?: true;
  readonly options: readonly Option[];
  /** `⏰ No answer by 06:00 → spec skipped, loop continues with 013`. */
  readonly deadline: string;
  /** Where it stands once it is no longer open: `✅ Answered: …`, `▶ Picked up …`, `⏰ No answer …`. */
  readonly standing?: string;
  /** May it still be answered? Buttons and the reply line stay as long as it may. */
  readonly answerable: boolean;
  /** Where the whole text is, for the place where something was cut. */
  readonly fullText: string;
  readonly elsewhere?: Elsewhere;
};

type NightLines = {
  readonly id: QuestionId;
  readonly task: string;
  readonly title: string;
  readonly deadline: string;
  /** Where it stands once it is no longer open. */
  readonly standing?: string;
  readonly answerable: boolean;
  readonly fullText: string;
  readonly elsewhere?: Elsewhere;
};

/** The night form of a question that a tired person can decide: go ahead with the recommendation, or skip it. */
export type ConsentView = NightLines & {
  readonly type: "consent";
  readonly recommended: Pick<Option, "label" | "consequence">;
  /** Why either answer is safe. */
  readonly safety: string;
  /** Is what is skipped asked again in the morning? Not where quiet hours have no end. */
  readonly again: boolean;
};

/** A question that waits for the morning and takes no choice before. */
export type HeldView = NightLines & {
  readonly type: "held";
  /** `🌙 This question is held until 08:00 …`. */
  readonly held: string;
};

/** The one truthful answer to a reply, in its own words. */
export type ReceiptView = {
  readonly type: "receipt";
  readonly text: string;
  readonly question?: QuestionId;
  /** It tells what became of this question; where it can still be answered, the words say how. */
  readonly asked?: AskedView;
  /** Nobody waits for it: it tells what became of a question, where its message cannot be edited. */
  readonly silent?: true;
  /** The buttons that come with it: those of `asked`, or of a list too long for one message that part of the rest, from 0. */
  readonly offer?: { readonly asked: AskedView; readonly part?: number };
};

export type NoticeView = { readonly type: "notice"; readonly kind: string; readonly text: string };
