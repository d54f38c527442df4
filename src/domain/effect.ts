import type { NewAbort } from "./abort.ts";
import type { BoardEffect } from "./board.ts";
import type { Sender } from "./command.ts";
import type { NewEvent } from "./event.ts";
import type { ChannelId, Claim, Instant, MessageRef, QuestionId, RunId, TaskId } from "./ids.ts";
import type { NewPairingCode, Person } from "./person.ts";
import type {
  Answer,
  ClaimRecord,
  DefaultAction,
  Outcome,
  Result,
  State,
  StoredQuestion,
} from "./question.ts";
import type { GatheredLine, NightMark, SenderCounter } from "./store-snapshots.ts";

/** What one message needs: rows are gathered, then `decide` runs on them, then its effects are committed. */
export type Effect =
  | BoardEffect
  | { readonly type: "insert-question"; readonly row: StoredQuestion; readonly key?: string }
  /** Compare-and-set on `from`; a row in another state is a fault (the snapshot was read in the same transaction). */
  | {
      readonly type: "move-question";
      readonly id: QuestionId;
      readonly from: State;
      readonly to: State;
      /** Absent: unchanged. `null`: taken away. */
      readonly outcome?: Outcome | null;
      readonly answer?: Answer | null;
      readonly claim?: ClaimRecord | null;
      readonly result?: Result;
      readonly why?: string;
      /** Of a take: the claim of the task under which its taker works; `asker`: the one who asked has waited, and goes on. */
      readonly works?: Claim | "asker";
    }
  /** Its revision rises, so that every copy is shown anew; its state stays, and must be `from`. */
  | {
      readonly type: "renew-question";
      readonly id: QuestionId;
      readonly from: State;
      /** Absent: unchanged. `null`: no longer held. */
      readonly heldUntilAt?: Instant | null;
      readonly defaultAction?: DefaultAction;
    }
  | { readonly type: "send"; readonly job: NewJob }
  /** How far the change between day and night has come; `null`: there are no quiet hours any more. */
  | { readonly type: "mark-night"; readonly mark: NightMark | null }
  /** What waited for the morning may go out. */
  | { readonly type: "release-jobs" }
  /** Beside the copies that are known: a message of ours whose post was never recorded, or one more that was edited. */
  | {
      readonly type: "adopt-copy";
      readonly question: QuestionId;
      readonly channel: ChannelId;
      readonly destination: string;
      readonly ref: MessageRef;
      /** The revision that it shows; 0 where nobody knows. */
      readonly revision: number;
    }
  | { readonly type: "note"; readonly note: NewNote }
  /** One that waits already for this run and project is a fault. */
  | { readonly type: "insert-abort"; readonly abort: NewAbort }
  /** One that was confirmed is a fault. */
  | { readonly type: "claim-abort"; readonly id: number; readonly claim: ClaimRecord }
  | { readonly type: "log"; readonly event: NewEvent }
  /** A typed reply, so that an edit of it is understood. The same message again replaces what was known. */
  | {
      readonly type: "remember";
      readonly channel: ChannelId;
      readonly message: MessageRef;
      readonly accepted: boolean;
      readonly question?: QuestionId;
    }
  /** Sets a counter of one sender. */
  | { readonly type: "count"; readonly counter: SenderCounter }
  /** One more line of the receipt that waits for this sender at this destination; the first line makes it and sets its hour. */
  | { readonly type: "gather"; readonly line: GatheredLine }
  | { readonly type: "insert-code"; readonly code: NewPairingCode }
  /** They leave without being used. */
  | { readonly type: "revoke-codes"; readonly codes: readonly number[] }
  /** A wrong attempt: every live code of the channel counts it. */
  | { readonly type: "fail-codes"; readonly channel: ChannelId }
  /**
   * Makes the binding, and the person where there is none of that name; one who is known keeps their role. `code` is used
   * up by it and gives it its id. A code that is not live on this channel, and an address that is bound already, are faults.
   */
  | {
      readonly type: "bind";
      readonly person: Person;
      readonly channel: ChannelId;
      readonly address: string;
      readonly code?: number;
    }
  /** A person without any binding left is forgotten. */
  | { readonly type: "unbind"; readonly binding: number }
  /** Posts and notices that wait for a destination at which nobody may read them any more. */
  | { readonly type: "drop-posts"; readonly channel: ChannelId; readonly destination: string };

/** What lies in the outbox. Per (channel, destination) jobs go out in the order of their ids. */
export type NewJob = {
  readonly channel: ChannelId;
  readonly destination: string;
  readonly kind: "post" | "edit" | "notice" | "receipt";
  readonly question?: QuestionId;
  /** Text of a notice or receipt; absent for posts and edits, which are rendered from the row when they are sent. */
  readonly notice?: { readonly kind: string; readonly text: string };
  /** The message of theirs that a receipt answers. */
  readonly replyTo?: MessageRef;
};

/** Human text for the next iteration, on its way into a steering file. */
export type NewNote = {
  readonly project: string;
  /** `task` notes go to `steering/<task>.md`, run notes to `steering/run.md`. */
  readonly task?: TaskId;
  readonly run?: RunId;
  readonly question?: QuestionId;
  readonly sender: Sender;
  readonly text: string;
};
