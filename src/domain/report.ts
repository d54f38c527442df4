import type { Instant } from "./ids.ts";
import type { Answer, Copy, Outcome, Result, StoredQuestion } from "./question.ts";
import type { Note } from "./store.ts";

/** From its first instant to the first instant after it. */
export type Span = { readonly fromAt: Instant; readonly toAt: Instant };

/** A question of the night, where it stood at the end of the report's time. */
export type ReportQuestion = { readonly stored: StoredQuestion; readonly copies: readonly Copy[] };

/** A question that was asked once more in the morning, and the one of the night that it comes from. */
export type AskedAgain = { readonly stored: StoredQuestion; readonly before?: StoredQuestion };

/** What a decision said: an option, words, or neither for skip and retry. */
export type Said = Pick<Answer, "option" | "text" | "by" | "host"> & {
  readonly via: string;
  readonly outcome?: Outcome;
};

export type Overridden = {
  readonly stored: StoredQuestion;
  readonly at: Instant;
  /** Absent where it was the default, which nobody had chosen. */
  readonly was?: Said;
  readonly is: Said;
};

/** A reply that came when the question could no longer be changed. */
export type LateReply = { readonly stored: StoredQuestion; readonly at: Instant; readonly said: Said };

export type RefusedReplies = { readonly reason: string; readonly count: number };

/** Replies of which nobody knew who said them. */
export type QuarantinedReplies = RefusedReplies & { readonly channel: string };

export type DeliveryFailure = {
  readonly channel: string;
  /** `post`, `edit`, `notice` or `receipt`. */
  readonly message: string;
  readonly reason: string;
  readonly count: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
};

/** When a channel could not be heard; `service` stands for owlpost itself, when it did not run. */
export type Deafness = {
  readonly channel: string;
  readonly spans: readonly Span[];
  readonly totalMs: number;
};

export type TaskResult = {
  readonly project: string;
  readonly task: string;
  readonly result: Result;
  readonly question: string;
  readonly at: Instant;
};

export type AbortedRun = {
  readonly run: string;
  readonly at: Instant;
  readonly by?: string;
  readonly via: string;
  readonly host?: string;
};

export type OutcomeShare = { readonly outcome: Outcome | "open"; readonly count: number };

export type Figures = {
  readonly questions: number;
  /** The usual order of outcomes; only those that occurred. */
  readonly outcomes: readonly OutcomeShare[];
  /** From the ask to the answer, over everything that a person answered; absent where nobody did. */
  readonly medianMs?: number;
  readonly slowest?: { readonly question: string; readonly ms: number };
};

/** What a mark on the timeline tells; each has a shape of its own. */
export const markKinds = ["asked", "rung", "answered", "taken", "expired", "defaulted", "cancelled"] as const;
export type MarkKind = (typeof markKinds)[number];

export type Mark = { readonly kind: MarkKind; readonly at: Instant };

export type TimelineRow = {
  /** Absent for a row that stands for several questions. */
  readonly question?: string;
  readonly title: string;
  /** How it ended, in a few words with their time. */
  readonly outcome: string;
  /** In the order of time, inside the timeline's span. */
  readonly marks: readonly Mark[];
  /** From the ask until it was decided, inside the timeline's span; absent where that lies outside. */
  readonly waited?: Span;
};

export type Timeline = Span & {
  readonly zone: string;
  readonly quiet: readonly Span[];
  readonly outages: readonly (Span & { readonly channel: string })[];
  /** One for each question, in the order of asking. */
  readonly rows: readonly TimelineRow[];
  /** What is drawn: `rows`, or where they are too many those that want a look, then groups of the others. */
  readonly drawn: readonly TimelineRow[];
};

/** Everything that is told about a night, as plain data. Untrusted texts in it stand as they were stored. */
export type Report = Span & {
  readonly zone: string;
  readonly again: readonly AskedAgain[];
  /** `stay_parked` and past the deadline: the task stays parked until somebody answers. */
  readonly parked: readonly StoredQuestion[];
  /** Open, or past the deadline with a default that nobody has taken. */
  readonly waiting: readonly StoredQuestion[];
  /** A person answered, skipped or sent back; the oldest answer first. */
  readonly answered: readonly StoredQuestion[];
  /** Nobody answered, and the loop took the default. */
  readonly defaulted: readonly StoredQuestion[];
  readonly overridden: readonly Overridden[];
  readonly steering: readonly Note[];
  readonly neverShown: readonly StoredQuestion[];
  readonly cancelled: readonly StoredQuestion[];
  readonly late: readonly LateReply[];
  readonly refused: readonly RefusedReplies[];
  readonly quarantined: readonly QuarantinedReplies[];
  readonly failures: readonly DeliveryFailure[];
  readonly deaf: readonly Deafness[];
  readonly results: readonly TaskResult[];
  readonly aborted: readonly AbortedRun[];
  /** At its end, the night form of every question that can still be answered, by id; none by day. */
  readonly forms: ReadonlyMap<string, "consent" | "held">;
  readonly figures: Figures;
  readonly timeline: Timeline;
};

/** One point of the report, in words; `told` parts are other people's text and may hold anything. */
export type ReportEntry = {
  /** The question's id; the entry can be pointed at. */
  readonly question?: string;
  /** In an agent's words. */
  readonly title?: string;
  /** How it stands, in one line. */
  readonly standing?: string;
  readonly lines: readonly { readonly label?: string; readonly text: string; readonly question?: string }[];
  /** A person's words in full. */
  readonly quote?: string;
};

export type ReportSection = {
  /** Kebab-case; the same in every report. */
  readonly name: string;
  readonly title: string;
  /** It needs somebody, and stands before everything else. */
  readonly urgent?: true;
  readonly entries: readonly ReportEntry[];
};

export type TimelineView = Span & {
  /** What is to be seen, for those who cannot. */
  readonly title: string;
  readonly description: string;
  readonly ticks: readonly { readonly at: Instant; readonly label: string; readonly day?: string }[];
  readonly quiet: readonly (Span & { readonly label: string })[];
  /** One line for each channel that was deaf. */
  readonly outages: readonly {
    readonly name: string;
    readonly spans: readonly Span[];
    readonly label: string;
  }[];
  readonly rows: readonly TimelineRow[];
  /** Present where rows stand for several questions each. */
  readonly folded?: string;
  /** The same as words, for every question. */
  readonly table: {
    readonly head: readonly string[];
    readonly rows: readonly (readonly string[])[];
  };
};

/** The report with every time already text. */
export type ReportView = {
  readonly type: "report";
  readonly title: string;
  readonly period: string;
  /** One line: how many questions, and what became of them. */
  readonly summary: string;
  readonly figures: readonly { readonly name: string; readonly value: string; readonly question?: string }[];
  readonly timeline: TimelineView;
  readonly sections: readonly ReportSection[];
};
