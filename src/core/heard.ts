import type { ChannelId, Instant, MessageRef, QuestionId } from "../domain/ids.ts";
import type { Speaker } from "../domain/person.ts";
import type { Said } from "./grammar.ts";

/** One reply as it came, with everything about its channel that its meaning depends on. */
export type Heard = {
  readonly channel: ChannelId;
  readonly sender: string;
  /** Absent for a stranger. */
  readonly speaker: Speaker | undefined;
  readonly said: Omit<Said, "role" | "thread">;
  /** The question whose buttons stand on the message that it answers, where there is such a question. */
  readonly about?: QuestionId;
  /** Where its receipt goes. */
  readonly destination?: string;
  /** What the platform calls their message. */
  readonly message?: MessageRef;
  /** It changes a message that came before. */
  readonly edited?: true;
  /** Its receipt is shown as a toast, as that of a press is. */
  readonly toast?: true;
  /** A stranger of the same team. */
  readonly colleague?: true;
  readonly sentAt?: Instant;
  /** Only buttons count there, a message holds so many of them, and whoever presses one sees no toast. */
  readonly buttonsOnly?: number;
  /** Nobody knows who said it: why. */
  readonly quarantined?: string;
};

/** For words that are read in a group. Where every verb needs an id (`byId`), that says whom it is for. */
export function inGroup({ said }: Pick<Heard, "said">, { byId }: { readonly byId?: true | undefined }) {
  return said.chat !== "direct" && !byId ? { inGroup: true as const } : {};
}
