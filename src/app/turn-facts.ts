import type { Reading } from "../core/grammar.ts";
import type { StatusFacts } from "../core/listing.ts";
import type { Heard } from "../core/receive.ts";
import type { Reply } from "../domain/channel.ts";
import type { Ack } from "../domain/command.ts";
import type { ChannelId, Instant, RunId } from "../domain/ids.ts";
import type { Decision, Store, TurnSnapshot } from "../domain/store.ts";

export type TurnFacts = {
  readonly status: StatusFacts;
  readonly runs: readonly RunId[];
};
