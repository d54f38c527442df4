import type { ChannelId, Claim, Instant, MessageRef, QuestionId, RunId, TaskId } from "./ids.ts";
import { oneLine, shorten } from "./text.ts";

export const kinds = ["decide", "blocked", "stalled", "approval", "fact"] as const;
export type Kind = (typeof kinds)[number];

export const defaultActions = ["skip_spec", "take_recommended", "stay_parked"] as const;
export type DefaultAction = (typeof defaultActions)[number];

export const states = [
  "pending",
  "posted",
  "answered",
  "applied",
  "expired",
  "default_applied",
  "resolved",
  "cancelled",
] as const;
export type State = (typeof states)[number];

/** Typed and never mixed up: what came of a question, by whom or by what. */
export const outcomes = [
  "answered",
  "skipped",
  "retried",
  "defaulted",
  "expired",
  "overridden",
  "cancelled",
] as const;
export type Outcome = (typeof outcomes)[number];

export const results = ["done", "failed", "skipped"] as const;
/** How the task ended after the answer was taken. */
export type Result = (typeof results)[number];

/** One choice. Keys `[a-z0-9]{1,8}`, label at most 80 code points, consequence one line of at most 160. */
export type Option = {
  readonly key: string;
  readonly label: string;
  readonly consequence: string;
  readonly recommended?: boolean;
  readonly reversible?: boolean;
};

/** Every key that a question's document may have at its top. */
export const questionFields: readonly string[] = [
  ..."id kind project task spec run iteration progress title context tried options default facts links".split(
    " ",
  ),
  ..."answerable_by auto_default low_fidelity source again".split(" "),
];

export type Facts = Readonly<Record<string, unknown>>;

/** A question as it was accepted: complete, redacted, NFC. Keys are those of the document. */
export type Question = {
  readonly id: QuestionId;
  readonly project: string;
  readonly kind: Kind;
  readonly task: TaskId;
  readonly run: RunId;
  readonly iteration?: number;
  readonly progress?: string;
  readonly title: string;
  readonly context: string;
  readonly tried?: string;
  readonly options: readonly Option[];
  /** `at` as it was written; the instant is `StoredQuestion.deadlineAt`. */
  readonly default: { readonly action: DefaultAction; readonly at: string };
  readonly facts?: Facts;
  readonly links?: Readonly<Record<string, string>>;
  readonly answerable_by?: readonly string[];
  readonly auto_default?: boolean;
  readonly low_fidelity?: boolean;
  /** `permission`: an agent's own permission prompt, which recommends nothing. */
  readonly source?: "permission";
  /** The question of last night that this one asks again. */
  readonly again?: QuestionId;
};

const mostSubject = 80;

/**
 * The title in one line, where a question stands among others. Those of an agent's permission prompts are all alike: what
 * would run is named behind them.
 */
export function titleLine(question: Question): string {
  const title = oneLine(question.title);
  if (question.source !== "permission") return title;
  // `Command:`, the command, then `Tool: …` and what the agent says.
  const [, subject = ""] = /^[A-Z][a-z]+:\n(.*?)(?:\nTool: |$)/s.exec(question.context) ?? [];
  return subject.trim() === "" ? title : `${title} · ${shorten(oneLine(subject), mostSubject)}`;
}

/** Facts that are kept for programs, and shown to nobody. */
export const factsForPrograms: ReadonlySet<string> = new Set(["arguments_sha256"]);

/** What counted: a person's reply, or the deadline. `by` is absent where no person is known by name. */
export type Answer = {
  readonly outcome: Outcome;
  readonly option?: string;
  /** A person's own words: the answer itself, or what was said beside an option, a skip or a retry. */
  readonly text?: string;
  readonly by?: string;
  /** A channel id, `cli` (a command on `host`), or `deadline`. */
  readonly via: ChannelId | "cli" | "deadline";
  readonly host?: string;
  readonly at: Instant;
  /** It came after the deadline and beat a default that nobody had taken. */
  readonly late?: true;
  /** It was pressed on the night's form, although the hour was day already. */
  readonly night?: true;
  /** Digest of the question that was answered. */
  readonly digest: string;
};

/** Who took the answer: while it stands and is not confirmed, it lapses at `leaseUntilAt`. */
export type ClaimRecord = {
  readonly claim: Claim;
  readonly run?: string;
  readonly takenAt: Instant;
  readonly leaseUntilAt: Instant;
  readonly confirmedAt?: Instant;
};

/** Is its time over? A claim of so long after `now` that no lease lasts until then was taken before the clock was set back. */
export function hasLapsed({ takenAt, leaseUntilAt }: ClaimRecord, now: Instant): boolean {
  return leaseUntilAt <= now || takenAt - now > leaseUntilAt - takenAt;
}

/** A row of the store: the question and where it stands. */
export type StoredQuestion = {
  readonly question: Question;
  readonly state: State;
  readonly digest: string;
  /** Rises by one with every move; an edit of an older revision never overwrites a newer one. */
  readonly revision: number;
  readonly askedAt: Instant;
  readonly deadlineAt: Instant;
  readonly zone: string;
  /** The default that will run: differs from `question.default.action` where the owner did not opt in. */
  readonly defaultAction: DefaultAction;
  readonly heldUntilAt?: Instant;
  readonly outcome?: Outcome;
  readonly answer?: Answer;
  readonly claim?: ClaimRecord;
  readonly result?: Result;
  /** Why it was cancelled. */
  readonly why?: string;
};

/** One copy of a question on one channel. */
export type Copy = {
  readonly question: QuestionId;
  readonly channel: ChannelId;
  readonly destination: string;
  readonly ref: MessageRef;
  /** The revision that this copy shows. */
  readonly revision: number;
  readonly postedAt: Instant;
};

/** A question as it stands, with the messages that show it. */
export type Current = { readonly stored: StoredQuestion; readonly copies: readonly Copy[] };

export function isOpen(state: State): boolean {
  return state === "pending" || state === "posted";
}
