import type { Actor, BoardRefusal } from "../../domain/board.ts";
import type { Instant } from "../../domain/ids.ts";
import type { Task } from "../../domain/task.ts";

export type BoardSettings = {
  readonly now: Instant;
  /** The same as ISO 8601 UTC, for what is written into texts. */
  readonly iso: string;
  readonly actor: Actor;
  /** Those of the working directories that are folders on this machine. */
  readonly directories: ReadonlySet<string>;
};

export type BoardAnswer =
  | {
      readonly ok: true;
      readonly task: Task;
      /** It was so already. */
      readonly repeated?: true;
    }
  | BoardRefusal;
