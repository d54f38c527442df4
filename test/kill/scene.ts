import type { Play } from "./play.ts";

/** How each question must end, by its task, whatever was killed on the way. */
export type Ending = {
  readonly state: string;
  readonly outcome?: string;
  readonly option?: string;
  readonly result?: string;
};
export type Scene = {
  readonly endings: Readonly<Record<string, Ending>>;
  /** Steering notes that must be there exactly once. */
  readonly notes?: readonly string[];
  /** Who carries the messages; absent: the loopback peer. */
  readonly platform?: "telegram";
  play(play: Play): Promise<void>;
};
