import type { NightForm, NightRules } from "../core/night.ts";
import type { Wake } from "../core/wake.ts";
import type { Abort } from "../domain/abort.ts";
import type { Pairing } from "../domain/channel.ts";
import type { Ack, BrokenRule } from "../domain/command.ts";
import type { Event } from "../domain/event.ts";
import type { ChannelId, Claim, Instant, QuestionId, RunId } from "../domain/ids.ts";
import type { Binding, PairingCode, Person } from "../domain/person.ts";
import type { Copy, DefaultAction, Outcome, Result, State, StoredQuestion } from "../domain/question.ts";
import type { Report } from "../domain/report.ts";
import type { ChannelHealth } from "../domain/store.ts";
import type { Board, BoardOptions } from "./board/api.ts";

/** What an asker hands over: the document as text, or already parsed. */
export type AskRequest = {
  /** The text of a YAML or JSON document. */
  readonly text?: string;
  /** The parsed document; used when `text` is absent. */
  readonly document?: unknown;
  /** Where it came from, for error messages: a file's name or `standard input`. */
  readonly origin?: string;
  readonly key?: string;
  readonly task?: string;
  readonly run?: string;
  readonly project?: string;
  /** The asker's current directory: it may lie in a configured airlock. */
  readonly cwd?: string;
  /** `OWLPOST_AS=agent`: engine fields are dropped. */
  readonly asAgent?: boolean;
  /** The document is what an agent wrote, whoever hands it over: engine fields in it are dropped, and these are told, too. */
  readonly agentsWords?: { readonly dropped: readonly string[] };
  /** What the engine measured, beside the document and stronger than it. */
  readonly facts?: Readonly<Record<string, unknown>>;
};

export type Asked = {
  readonly ok: true;
  readonly id: QuestionId;
  readonly task: string;
  readonly project: string;
  readonly state: State;
  readonly digest: string;
  readonly deadlineAt: Instant;
  readonly zone: string;
  readonly channels: readonly string[];
  readonly heldUntilAt?: Instant;
  /** Why it is cancelled. */
  readonly why?: string;
  readonly defaultChanged?: true;
  /** The same ask was stored before. */
  readonly repeated?: true;
  /** Fields in which a credential became `[redacted]`. */
  readonly redacted?: readonly string[];
  /** Keys of the document that owlpost does not know, or that an agent may not give. */
  readonly dropped?: readonly string[];
};
export type NotAsked =
  | {
      readonly ok: false;
      readonly error: "rejected";
      readonly broken: readonly BrokenRule[];
      readonly dropped?: readonly string[];
    }
  /** The text is no YAML or JSON document; `message` names the line. */
  | { readonly ok: false; readonly error: "unreadable"; readonly message: string }
  | { readonly ok: false; readonly error: "id-conflict"; readonly id: QuestionId; readonly message: string };
export type AskOutcome = Asked | NotAsked;

export type TakeRequest = {
  readonly task?: string;
  readonly run?: string;
  readonly project?: string;
  readonly question?: QuestionId;
  readonly claim?: Claim;
  /** The claim of the board under which the taker works on a task: it goes on with it. `asker`: whoever asked has waited. */
  readonly works?: Claim | "asker";
};
export type Taken = {
  readonly id: QuestionId;
  readonly task: string;
  readonly project: string;
  readonly outcome: Outcome;
  readonly option?: string;
  readonly label?: string;
  readonly text?: string;
  readonly by?: string;
  readonly via?: string;
  /** The machine of a decision from the command line or the inbox. */
  readonly host?: string;
  readonly at: Instant;
  readonly digest: string;
  readonly claim: Claim;
  readonly steeringFile: string;
  /** The same in a sentence, for an agent to read: silence is told as no answer and a default, never as a choice. */
  readonly told: string;
  /** The default that ran; present only where nobody answered. */
  readonly default?: DefaultAction;
};
/** A run that is to stop, under the claim of the take that says so. */
export type Aborted = {
  readonly run: RunId;
  readonly project: string;
  readonly by?: string;
  readonly via: string;
  /** The machine of a decision from the command line. */
  readonly host?: string;
  readonly at: Instant;
  readonly claim: Claim;
};
export type TakeOutcome = {
  readonly taken: readonly Taken[];
  readonly aborts: readonly Aborted[];
  /** Answers that were given to another text than the one stored: not handed out, to be asked again. */
  readonly mismatched: readonly QuestionId[];
};

/** Where a decision came from: the command line on this host, or the local inbox. */
export type LocalSurface = "cli" | "inbox";

/** `in-full`: a held question was shown in full, and is decided all the same. It counts from the inbox alone. */
type Confirmable = { readonly confirmed?: "in-full" };

export type LocalCommand =
  | { readonly verb: "override"; readonly question: string; readonly key: string }
  /** The key `go` is the night's *Go ahead*. */
  | ({ readonly verb: "choose"; readonly question: string; readonly key: string } & Confirmable)
  | ({ readonly verb: "answer"; readonly question: string; readonly text: string } & Confirmable)
  | { readonly verb: "skip" | "retry"; readonly question: string }
  | { readonly verb: "steer"; readonly target: string; readonly text: string; readonly project?: string };

export type StatusReport = {
  readonly service: {
    readonly running: boolean;
    readonly pid?: number;
    readonly since?: Instant;
    readonly inbox?: string;
  };
  readonly zone: string;
  /** Absent: no quiet hours. */
  readonly night?: NightRules;
  readonly open: readonly StoredQuestion[];
  readonly decided: readonly StoredQuestion[];
  /** Runs that are to stop, and whose loop has not confirmed it yet. */
  readonly aborts: readonly Abort[];
  /** Where each copy of the open questions stands. */
  readonly copies: ReadonlyMap<QuestionId, readonly Copy[]>;
  readonly counts: Readonly<Record<State, number>>;
  readonly channels: readonly ChannelStatus[];
  /** What can still wake somebody, and why. */
  readonly wake: Wake;
  /** The night form of each open question; none by day, when all stand in full. */
  readonly forms: ReadonlyMap<QuestionId, NightForm>;
  /** The same for people. */
  readonly wakeLines: readonly string[];
};
export type ChannelStatus = ChannelHealth & { readonly rings: boolean };

export type PairRequest = {
  readonly name: string;
  /** `owner`, `member` or `viewer`. */
  readonly role: string;
  readonly channel: ChannelId;
  /** The platform's own id of the only one who may use the code; or the login, where people are paired by that. */
  readonly address?: string;
};
/** The only place where the plain text of a code ever stands. */
export type PairOutcome =
  | (Person & {
      readonly ok: true;
      readonly by: "code";
      readonly channel: ChannelId;
      /** Eight letters and digits. */
      readonly code: string;
      /** The line to be sent to the bot. */
      readonly say: string;
      readonly bot?: string;
      /** Does the same by one tap; it holds a token of its own. */
      readonly link?: string;
      /** Why there is no link. */
      readonly noLink?: string;
      /** The address that a mail went to: the code is the reply to that. */
      readonly mailedTo?: string;
      readonly expiresAt: Instant;
      /** Does a service run, so that somebody hears the code? */
      readonly heard: boolean;
    })
  /** They are known from now on: the platform itself has said whose login that is. */
  | (Person & {
      readonly ok: true;
      readonly by: "login";
      readonly channel: ChannelId;
      /** The platform's own id, which stays when the login is given up. */
      readonly address: string;
      readonly login: string;
      /** The number that `pairing revoke` takes. */
      readonly binding: number;
    })
  | {
      readonly ok: false;
      readonly error:
        | "bad-usage"
        | "no-such-channel"
        | "not-configured"
        | "no-pairing"
        | "conflict"
        /** The login is nobody's, or no person's. */
        | "no-such-person"
        /** The platform could not be asked. */
        | "unreachable";
      readonly message: string;
    };

export type Pairable = { readonly channel: ChannelId; readonly by: Pairing["by"] };

/** Who may speak, and who may still become somebody. */
export type PeopleReport = {
  /** In the order of pairing. */
  readonly bindings: readonly Binding[];
  /** Those that are live; never their text, nor a hash of it. */
  readonly codes: readonly Pick<PairingCode, "id" | "person" | "channel" | "address" | "expiresAt">[];
  /** Ids that the configuration makes owners. */
  readonly allowed: readonly { readonly channel: ChannelId; readonly address: string }[];
  /** Channels on which somebody can be paired, and by what. */
  readonly pairable: readonly Pairable[];
};
export type RevokeOutcome =
  | {
      readonly ok: true;
      /** What was taken away: a binding, or a code that nobody has used yet. */
      readonly was: "binding" | "code";
      readonly person: Person;
      readonly channel: ChannelId;
      /** Nobody is an owner on any channel now. */
      readonly lastOwner: boolean;
      /** The configuration still makes that id an owner. */
      readonly stillAllowed: boolean;
    }
  | { readonly ok: false };

export type ReportRequest = {
  /** `22:00`, `12h`, an instant in ISO 8601, or as a number; absent: the start of the last night, or 12 hours ago. */
  readonly since?: string | Instant;
  /** Absent: now. */
  readonly until?: Instant;
};
export type ReportOutcome =
  | {
      readonly ok: true;
      readonly report: Report;
      /** A few lines for every channel. */
      readonly digest: { readonly kind: "morning"; readonly text: string };
    }
  /** `since` is none of the forms, or not in the past. */
  | { readonly ok: false; readonly error: "bad-since" };

/** Everything that a command, the inbox or a program may do with a home. */
export type Owlpost = {
  readonly home: string;
  ask(request: AskRequest): Promise<AskOutcome>;
  /** One decision of the owner. `key` makes a repeated call the same reply. */
  decide(command: LocalCommand, surface: LocalSurface, key?: string): Promise<Ack>;
  cancel(id: string, why: string): Promise<Ack>;
  /** Stops a run that is alive: its loop learns of it with its next take, and its open questions are cancelled. */
  abort(run: string, surface: LocalSurface): Promise<Ack>;
  take(request: TakeRequest): Promise<TakeOutcome>;
  /** The questions, then the runs that were to stop. */
  confirm(claim: Claim): Promise<readonly (QuestionId | RunId)[]>;
  resolve(id: string, result: Result): Promise<Ack>;
  notify(kind: string, text: string): Promise<{ readonly channels: readonly string[] }>;
  question(id: string): Promise<StoredQuestion | undefined>;
  copies(id: string): Promise<readonly Copy[]>;
  /** Due deadlines and lapsed claims, service or no service. */
  sweep(): Promise<void>;
  /** The question that asks this one again, after a night. */
  askedAgainAs(id: string): Promise<QuestionId | undefined>;
  /** Makes a code by which somebody becomes known on a channel. */
  pair(request: PairRequest): Promise<PairOutcome>;
  people(): Promise<PeopleReport>;
  /** Takes away a binding, or a code that nobody has used: they share their numbers. */
  revoke(id: number, surface: LocalSurface): Promise<RevokeOutcome>;
  status(): Promise<StatusReport>;
  events(since: number, limit: number): Promise<readonly Event[]>;
  /** The board of tasks of one project. */
  board(options: BoardOptions): Promise<Board>;
  /** What happened in the night. Looking at it changes nothing. */
  report(request?: ReportRequest): Promise<ReportOutcome>;
  /** A fresh single-use link to the local inbox; undefined while no service runs. */
  inboxLink(): Promise<string | undefined>;
  /** Resolves when something was committed by anybody, or after `timeoutMs`. */
  changed(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
};
