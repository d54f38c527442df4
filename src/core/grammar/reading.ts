import type { Command, RefusalReason } from "../../domain/command.ts";
import type { QuestionId, RunId, TaskId } from "../../domain/ids.ts";
import type { Role } from "../../domain/person.ts";
import type { Question } from "../../domain/question.ts";

/** One reply, after its channel's own decoding. */
export type Said = {
  readonly text: string;
  /** `thread`: a thread of a team's channel, not by itself that of a question. */
  readonly chat: "direct" | "group" | "thread";
  /** Does it speak to the bot, by a mention or by a command that names it? True in a direct chat. */
  readonly addressed: boolean;
  /** How this text may call the bot, compared without case and free of white space: `@owlpost_bot`, `<@U0BOT>`. */
  readonly mentions: readonly string[];
  /** Undefined for a stranger. */
  readonly role: Role | undefined;
  /** The question whose thread, message or reply address it answers. */
  readonly thread?: QuestionId;
  /** `action`: an option's key, `skip`, `retry`, `go` (the night's *Go ahead*), or `/more`. */
  readonly press?: { readonly question: string; readonly action: string };
  /** On a channel that knows nobody: the question its token is for, `null` where no valid token came. Absent elsewhere. */
  readonly token?: QuestionId | null;
  /** Beside a token: the channel has proven who speaks, so that no token is needed to say who that is. */
  readonly proven?: true;
  /** The channel shows no buttons of its own, so that a consent question's second action is the plain word `skip`. */
  readonly buttonless?: true;
  /** It is a letter, and this stood in it beside its first line, which is `text`. */
  readonly comment?: string;
};

/** What the grammar needs to know of a question. */
export type Known = {
  readonly question: Pick<Question, "id" | "kind" | "task" | "options">;
  /** Absent: it stands in full. */
  readonly form?: Form;
  /** The reply was sent before it was asked: what names no question cannot be for it. */
  readonly askedLater?: true;
};

/** `consent`: it stands in its night form; `held`: it is kept for the morning. */
export type Form = "consent" | "held";

export type World = {
  /** Open for this sender. */
  readonly open: readonly Known[];
  /** Any question, also a closed one; asked only for ids of `idsIn`, for the thread and for the token. */
  readonly question: (id: QuestionId) => Known | undefined;
  /** Those that are alive. */
  readonly runs: readonly RunId[];
  /** Tasks that may be steered beside those of the questions above. */
  readonly tasks?: readonly TaskId[];
};

/** The verbs that may be typed; `start` is how Telegram spells its deep link. */
export const verbs = [
  "answer",
  "skip",
  "retry",
  "steer",
  "override",
  "abort",
  "status",
  "pending",
  "help",
  "pair",
  "unpair",
  "start",
] as const;
export type Verb = (typeof verbs)[number];

/** What was meant for some question, so that it can be said again with an id. */
export type Attempt =
  | { readonly verb: "choose"; readonly spelled: string }
  | { readonly verb: "answer" | "steer"; readonly text: string }
  | { readonly verb: "skip" | "retry" };

/** What exactly was wrong, for the words of the receipt. */
export type Why =
  | { readonly code: "stranger" }
  /** A pairing code that others could read: to be revoked. From a stranger, too, who is met with silence. */
  | { readonly code: "code-in-group"; readonly typed: string }
  | { readonly code: "role"; readonly verb: Verb | "choose" }
  /** Nobody knows who speaks, and no token says so. */
  | { readonly code: "no-token" }
  /** The token speaks for `question` alone. */
  | { readonly code: "other-token"; readonly question: QuestionId }
  /** A line of its own says something else than the first one. */
  | { readonly code: "two-answers"; readonly question: QuestionId }
  /** A token never speaks for a whole run, a task, or a person. */
  | { readonly code: "token-too-weak"; readonly verb: Verb }
  | { readonly code: "unknown-verb"; readonly typed: string }
  | {
      readonly code: "missing";
      readonly verb: Verb;
      readonly needs: "text" | "id" | "option" | "run" | "code";
    }
  /** More, or something else, than this verb takes. */
  | { readonly code: "extra"; readonly verb: Verb; readonly typed: string }
  | { readonly code: "run-not-alive"; readonly typed: string; readonly alive: readonly RunId[] }
  | { readonly code: "bad-press"; readonly typed: string }
  | { readonly code: "no-such-id"; readonly typed: string }
  | { readonly code: "nothing-open"; readonly attempt: Attempt }
  /** `sayAgain` gives the exact text for each of them. */
  | { readonly code: "several-open"; readonly attempt: Attempt; readonly open: readonly Known[] };

/** What one reply means. Nothing but `command`, `abort`, `pair` and `unpair` may change anything. */
export type Reading =
  /** `ignored`: no reply at all, met with silence; `unmatched`: not understood, worth one line of help. */
  | { readonly kind: "ignored" | "unmatched" }
  | {
      readonly kind: "refused";
      readonly reason: RefusalReason;
      /** The question that it was about, where that was found out before. */
      readonly question?: QuestionId;
      readonly why: Why;
    }
  /** `conflict`: the question of the thread, which the id in the text beat. */
  | { readonly kind: "command"; readonly command: Command; readonly conflict?: QuestionId }
  | { readonly kind: "status" | "pending" | "help" | "unpair" }
  | { readonly kind: "pair"; readonly code: string }
  | { readonly kind: "abort"; readonly run: RunId }
  /** The list of all options is wanted. */
  | { readonly kind: "more"; readonly question: QuestionId };

const reasonOf = {
  stranger: "unknown-sender",
  "code-in-group": "bad-command",
  role: "not-allowed",
  "no-token": "not-allowed",
  "other-token": "not-allowed",
  "token-too-weak": "not-allowed",
  "unknown-verb": "bad-command",
  missing: "bad-command",
  extra: "bad-command",
  "run-not-alive": "bad-command",
  "bad-press": "bad-command",
  "no-such-id": "no-such-question",
  "nothing-open": "no-such-question",
  "several-open": "ambiguous",
  "two-answers": "ambiguous",
} as const satisfies Record<Why["code"], RefusalReason>;

export function refuse(why: Why): Extract<Reading, { kind: "refused" }> {
  return { kind: "refused", reason: reasonOf[why.code], why };
}

const verbsOf: Readonly<Record<Role, readonly (Verb | "choose")[]>> = {
  owner: ["choose", ...verbs],
  member: ["choose", ...verbs.filter((verb) => verb !== "abort")],
  viewer: ["status", "pending", "help", "pair", "unpair", "start"],
};

export function mayUse(role: Role, verb: Verb | "choose"): boolean {
  return verbsOf[role].includes(verb);
}
