import type { QuestionId, RunId, TaskId } from "./ids.ts";

/** What a reply asks for, once it is understood. Every surface (a command line, the inbox, a channel) ends here. */
export type Command =
  | {
      readonly verb: "choose";
      readonly question: QuestionId;
      readonly key: string;
      /** The night's *Go ahead* and no key that was typed or pressed: it takes the recommended option. */
      readonly goAhead?: true;
      /** A person's words beside the choice. */
      readonly comment?: string;
    }
  | { readonly verb: "answer"; readonly question: QuestionId; readonly text: string }
  | { readonly verb: "skip" | "retry"; readonly question: QuestionId; readonly comment?: string }
  | {
      readonly verb: "override";
      readonly question: QuestionId;
      readonly key: string;
      readonly comment?: string;
    }
  | { readonly verb: "steer"; readonly target: SteerTarget; readonly text: string };

export type SteerTarget =
  | { readonly question: QuestionId }
  | { readonly task: TaskId }
  | { readonly run: RunId };

/** Why a reply changed nothing. A closed union, in the order of validation. */
export const refusalReasons = [
  "unknown-sender",
  "not-allowed",
  "bad-command",
  "no-such-question",
  "ambiguous",
  "not-open",
  "bad-option",
  "needs-confirmation",
  /** Closing a question whose answer nobody took. */
  "not-taken",
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Not understood and changing nothing, with at most a line of help; or none of our business, and met with silence. */
export type NoReply = "unmatched" | "ignored";

/** Who speaks. `by` is absent for the command line and the local inbox, which belong to the owner of the machine. */
export type Sender = {
  readonly via: string;
  readonly host?: string;
  readonly by?: string;
};

/** The one truthful receipt of a reply. `text` is for people. */
export type Ack =
  | {
      readonly accepted: true;
      readonly state: string;
      readonly text: string;
      /** It was so already. */
      readonly repeated?: true;
      readonly replayed?: true;
    }
  | {
      readonly accepted: false;
      readonly reason: RefusalReason | NoReply;
      readonly text: string;
      readonly state?: string;
      /** This very input came before, and whoever sent it was told then. */
      readonly replayed?: true;
    };

/** A question is refused whole, with every broken rule at once. */
export type BrokenRule = {
  readonly rule: string;
  readonly field: string;
  /** What stands there, shortened to at most 80 characters. */
  readonly found: string;
  /** One sentence that says how to mend it. */
  readonly mend: string;
};
