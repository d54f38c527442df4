import type { Button } from "./channel.ts";
import type { Option } from "./question.ts";

/** What is to be said, with every local time already text: a renderer never formats a time and never invents. */
export type View = {
  readonly id: string;
  readonly kind: string;
  readonly task: string;
  readonly progress?: string;
  readonly iteration?: number;
  readonly title: string;
  readonly context: string;
  readonly tried?: string;
  readonly options: readonly Option[];
  readonly deadline: string;
  /** Where it stands, once it is no longer open. */
  readonly standing?: string;
  readonly buttons: readonly Button[];
};
