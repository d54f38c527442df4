import type { Abort } from "./abort.ts";
import type { ChannelId, Claim, Cursor, Instant, MessageRef, QuestionId, RunId, TaskId } from "./ids.ts";
import type { Binding, PairingCode } from "./person.ts";
import type { Copy, StoredQuestion } from "./question.ts";

export type AskNeed = {
  readonly id?: QuestionId;
  readonly key?: string;
  readonly project: string;
  readonly run: RunId;
  readonly task: TaskId;
};
export type AskSnapshot = {
  readonly sameId?: StoredQuestion;
  readonly sameKey?: StoredQuestion;
  /** The next free number of this run and task; 10000 when all are used. */
  readonly nextSeq: number;
  /** The order to stop its run that no loop has confirmed yet. */
  readonly abort?: Abort;
};

/** One input of a turn, stored under (channel, key) exactly once. */
export type TurnInput = {
  readonly key: string;
  /** Another key of the same input: it is stored under neither where either is known. */
  readonly twin?: string;
  /** Stored as it came. */
  readonly payload: unknown;
};
export type TurnNeed = {
  readonly questions: readonly QuestionId[];
  /** The message of ours that was answered: its question is looked up, too. */
  readonly thread?: MessageRef;
  /** Whose binding and counters are wanted. */
  readonly sender?: string;
  /** Whose counters are wanted, where those of somebody else. */
  readonly counted?: string;
  /** Are all open questions wanted? */
  readonly open?: boolean;
  /** The message of theirs that was edited. */
  readonly edited?: MessageRef;
  /** Are people and live codes wanted? */
  readonly people?: boolean;
  /** Runs that may be stopped. */
  readonly runs?: readonly RunId[];
};
export type TurnSnapshot = {
  readonly questions: ReadonlyMap<QuestionId, StoredQuestion>;
  readonly copies: ReadonlyMap<QuestionId, readonly Copy[]>;
  /** The question of the message that was answered. */
  readonly thread?: QuestionId;
  readonly binding?: Binding;
  readonly counters?: readonly SenderCounter[];
  /** The oldest first, at most 200. */
  readonly open?: readonly StoredQuestion[];
  /** What became of the reply before it was edited. */
  readonly earlier?: { readonly accepted: boolean; readonly question?: QuestionId };
  readonly people?: PeopleSnapshot;
  readonly runs?: ReadonlyMap<RunId, RunSnapshot>;
};

/** What stopping a run needs to know of it; the copies of its open questions lie with the others. */
export type RunSnapshot = {
  /** All of them, the oldest first. */
  readonly open: readonly StoredQuestion[];
  /** Those in which it has ever asked something. */
  readonly projects: readonly string[];
  /** Orders to stop it that no loop has confirmed yet. */
  readonly aborts: readonly Abort[];
  /** IANA zone of its latest question. */
  readonly zone?: string;
};

/** Everybody who is known, and the codes that are live. */
export type PeopleSnapshot = {
  readonly bindings: readonly Binding[];
  readonly codes: readonly PairingCode[];
};
export type Turn<Input extends TurnInput> = {
  readonly channel: ChannelId;
  readonly inputs: readonly Input[];
  readonly cursor?: Cursor;
};

export type TakeNeed = {
  readonly project?: string;
  readonly task?: TaskId;
  readonly run?: RunId;
  readonly question?: QuestionId;
  /** Questions whose key begins so are left alone. */
  readonly leaves?: string;
  readonly claim: Claim;
  readonly now: Instant;
};
export type TakeSnapshot = {
  /** Open, and the deadline has come. */
  readonly due: readonly StoredQuestion[];
  /** `answered`, or `expired` with something to take; the oldest first, at most 1,000. */
  readonly decided: readonly StoredQuestion[];
  /** Taken before with the same claim. */
  readonly same: readonly StoredQuestion[];
  /** Taken by a claim that was not confirmed in time. */
  readonly lapsed: readonly StoredQuestion[];
  /** Not confirmed by anybody, and of a run that this take is about, or taken before with the same claim. */
  readonly aborts?: readonly Abort[];
  readonly copies: ReadonlyMap<QuestionId, readonly Copy[]>;
};

/** What waited for one sender until its time had come. */
export type GatheredReceipt = Omit<GatheredLine, "text" | "dueAt"> & { readonly lines: readonly string[] };

export type SweepSnapshot = {
  readonly due: readonly StoredQuestion[];
  readonly lapsed: readonly StoredQuestion[];
  /** Taken out of the store by this sweep. */
  readonly gathered?: readonly GatheredReceipt[];
  readonly copies: ReadonlyMap<QuestionId, readonly Copy[]>;
};

/** The sender under whom is counted what nobody is known to have said. */
export const nobody = "";

/**
 * What is counted of one sender of a channel, since `sinceAt`. `help`: when the last help line was given; `stranger`: when
 * they were last told that nobody knows them, and of `nobody`, what came since the owners were last told of it; `again`: how
 * often they were asked to say it again.
 */
export type SenderCounter = {
  readonly channel: ChannelId;
  readonly sender: string;
  readonly name: "refusals" | "help" | "pairing" | "stranger" | "again";
  readonly value: number;
  readonly sinceAt: Instant;
};

export type GatheredLine = {
  readonly channel: ChannelId;
  readonly sender: string;
  readonly destination: string;
  readonly replyTo?: MessageRef;
  readonly text: string;
  readonly dueAt: Instant;
};

/** `ended`: what ended in the night is asked again; `open`: what is open changes its form; `morning`: the night is summed up. */
export type NightStage = "ended" | "open" | "morning" | "done";

/** The change between day and night that was made last, and how far it has come. There is one row of it. */
export type NightMark = {
  readonly phase: "night" | "day";
  readonly stage: NightStage;
  /** The rules under which it was begun, as text. */
  readonly rules: string;
  readonly begunAt: Instant;
  /** Of a night: when it is to end. */
  readonly untilAt?: Instant;
  /** The last event before the night. */
  readonly nightEvent: number;
  /** Up to this event, what ended was looked at. */
  readonly endedEvent: number;
  /** Up to this place in the order of asking, what is open was looked at. */
  readonly openQuestion: number;
};

export type NightNeed = {
  readonly ended?: { readonly after: number; readonly limit: number };
  readonly open?: { readonly after: number; readonly limit: number };
  /** Open questions that are held until then or earlier, as `open`. */
  readonly held?: { readonly until: Instant; readonly limit: number };
};

/** A question that was answered or that expired, and whether there is a reason not to ask it again. */
export type EndedQuestion = {
  readonly stored: StoredQuestion;
  /** The status of its task on the board; absent where it is not there. */
  readonly taskStatus?: string;
  /** It was asked again already. */
  readonly again: boolean;
  /** Another question of its task was asked after it and is still open; in place of a skipped one only the same title. */
  readonly reasked: boolean;
  /** Its run is to stop, and the loop has not confirmed that. */
  readonly stopping?: true;
  /** The next free number of its run and task; 10000 when all are used. */
  readonly nextSeq: number;
};

/** A part of a list: `upTo` is how far it was read, `all` whether nothing is left behind that. */
export type NightPart<Item> = {
  readonly items: readonly Item[];
  readonly upTo: number;
  readonly all: boolean;
};

export type NightSnapshot = {
  readonly mark?: NightMark;
  readonly lastEvent: number;
  /** In the order in which they ended. */
  readonly ended?: NightPart<EndedQuestion>;
  /** In the order of asking. */
  readonly open?: NightPart<StoredQuestion>;
  readonly copies: ReadonlyMap<QuestionId, readonly Copy[]>;
  /** Questions with a post in the outbox. */
  readonly posting: ReadonlySet<QuestionId>;
};

export type NightState = {
  readonly mark?: NightMark;
  /** The earliest hour until which an open question is held. */
  readonly heldUntilAt?: Instant;
};
