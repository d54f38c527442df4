import type { TaskStatus } from "../../src/domain/task.ts";
import type { Play } from "./play.ts";

/** How each question must end, by its task, whatever was killed on the way. */
export type Ending = {
  /** Absent: each call asks anew, and what becomes of a call whose process died does not matter. */
  readonly state?: string;
  readonly outcome?: string;
  readonly option?: string;
  readonly result?: string;
};
/** How a task of the board must end, and everything that must have happened to it, each once. */
export type TaskEnding = {
  /** Absent: it is gone. */
  readonly status?: TaskStatus;
  readonly log: readonly string[];
};
export type ScenePeople = {
  readonly bindings: readonly { readonly name: string; readonly role: string; readonly address: string }[];
  /** Names, in the order of the log. */
  readonly paired: readonly string[];
  readonly unpaired: readonly string[];
  /** How many wrong codes of each sender count, and where their counter stands in the end. */
  readonly failures: Readonly<Record<string, { readonly counted: number; readonly now: number }>>;
  /** How many wrong codes count against the one that is still live. */
  readonly live: { readonly name: string; readonly failures: number };
};
export type Scene = {
  /** Who carries the messages; absent: the loopback peer. */
  readonly platform?: "telegram" | "slack" | "ntfy" | "github" | "hooks" | "email";
  /** On Telegram: the owners by configuration, who are rung; absent: Eric and Mara. */
  readonly allow?: readonly number[];
  readonly endings: Readonly<Record<string, Ending>>;
  /** How each task of the board must end; absent: there is no board. */
  readonly tasks?: Readonly<Record<string, TaskEnding>>;
  /** Steering notes that must be there exactly once. */
  readonly notes?: readonly string[];
  /** Who must be known when the scene has ended, and what must have led to it. */
  readonly people?: ScenePeople;
  play(play: Play): Promise<void>;
};
