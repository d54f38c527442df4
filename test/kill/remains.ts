import type { Ack } from "../../src/domain/command.ts";
import type { Event } from "../../src/domain/event.ts";
import type { Copy, StoredQuestion } from "../../src/domain/question.ts";
import type { Note } from "../../src/domain/store.ts";
import type { Peer } from "../peer/peer-server.ts";
import type { GitHubDesk } from "./github-desk.ts";
import type { HooksDesk } from "./hooks-desk.ts";
import type { Entry } from "./ledger.ts";
import type { MailDesk } from "./mail-desk.ts";
import type { NtfyDesk } from "./ntfy-desk.ts";
import type { Scene } from "./scene.ts";
import type { SlackDesk } from "./slack-desk.ts";
import type { TelegramDesk } from "./telegram-desk.ts";

export type Desk =
  | { readonly peer: Peer }
  | { readonly telegram: TelegramDesk }
  | { readonly slack: SlackDesk }
  | { readonly github: GitHubDesk }
  | { readonly ntfy: NtfyDesk }
  | { readonly hooks: HooksDesk }
  | { readonly mail: MailDesk };

/** What is there when a scene has ended, read by a process of its own. */
export type Remains = {
  readonly folder: string;
  readonly scene: Scene;
  /** Who carried the messages. */
  readonly desk: Desk;
  /** Was anything killed on the way? */
  readonly disturbed: boolean;
  readonly ledger: readonly Entry[];
  readonly questions: readonly StoredQuestion[];
  readonly events: readonly Event[];
  readonly notes: readonly Note[];
  readonly copies: ReadonlyMap<string, readonly Copy[]>;
  /** Channel and key of every reply that was stored, with its ack. */
  readonly inbox: ReadonlyMap<string, Ack>;
};
