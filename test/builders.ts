import type { Config } from "../src/app/config.ts";
import { signing } from "../src/app/tokens.ts";
import type { NightRules } from "../src/core/night.ts";
import type { Place } from "../src/core/people.ts";
import { readQuietHours } from "../src/core/quiet-hours.ts";
import type { ChannelTools } from "../src/domain/channel.ts";
import type { QuestionId, RunId, TaskId } from "../src/domain/ids.ts";
import { mintQuestionId } from "../src/domain/ids.ts";
import type { Binding, PairingCode } from "../src/domain/person.ts";
import type { Answer, Question, StoredQuestion } from "../src/domain/question.ts";

/** Midnight of a summer day in Berlin minus one hour: the evening on which most questions are asked. */
export const evening = Date.parse("2026-07-06T21:00:00Z");
export const minute = 60_000;
export const hour = 60 * minute;

/** What a channel is opened with, always with the same key. */
export function aTools(changes: Partial<ChannelTools> = {}): ChannelTools {
  return { ...signing(Buffer.from("the key of a home that is nowhere")), now: () => evening, ...changes };
}

/** A document as an agent writes it; it keeps every rule of the contract. */
export function aDocument(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    kind: "decide",
    task: "012-fix-auth",
    run: "a3f2",
    iteration: 7,
    progress: "2 of 5 specs done",
    title: "Token refresh strategy for the auth middleware?",
    context: "Sessions must survive a browser restart, the schema may not change. See `src/auth/session.ts`.",
    tried: "Cookies only: `tests/auth.spec.ts` still fails.",
    options: [
      {
        key: "1",
        label: "Refresh-token rotation",
        consequence: "No schema change, survives a restart",
        recommended: true,
        reversible: true,
      },
      { key: "2", label: "Extend the TTL to 30 days", consequence: "Trivial diff, weaker security" },
    ],
    default: { action: "skip_spec", at: "06:00" },
    ...changes,
  };
}

export function aQuestion(changes: Partial<Question> = {}): Question {
  const document = aDocument() as unknown as Question;
  const run = (changes.run ?? "a3f2") as RunId;
  const task = (changes.task ?? "012-fix-auth") as TaskId;
  return { ...document, id: mintQuestionId(run, task.slice(0, 24), 1), project: "default", ...changes };
}

export function aStored(changes: Partial<StoredQuestion> = {}): StoredQuestion {
  return {
    question: aQuestion(),
    state: "posted",
    digest: "d1",
    revision: 1,
    askedAt: evening,
    deadlineAt: evening + 7 * hour,
    zone: "Europe/Berlin",
    defaultAction: "skip_spec",
    ...changes,
  };
}

export function anAnswer(changes: Partial<Answer> = {}): Answer {
  return {
    outcome: "answered",
    option: "1",
    via: "cli",
    host: "owl",
    at: evening + hour,
    digest: "d1",
    ...changes,
  };
}

export function aConfig(changes: Partial<Config> = {}): Config {
  return {
    zone: "Europe/Berlin",
    minLeadMs: 10 * minute,
    leaseMs: 10 * minute,
    autoDefault: false,
    againDeadlineMs: 12 * hour,
    hookDeadlineMs: 15 * minute,
    airlocks: {},
    deliver: ["inbox"],
    channels: { inbox: { port: 0 } },
    ...changes,
  };
}

export const aQuestionId = "q-a3f2-012-fix-auth-1" as QuestionId;

export function aBinding(changes: Partial<Binding> = {}): Binding {
  return {
    id: 1,
    person: { name: "eric", role: "owner" },
    channel: "telegram",
    address: "42",
    createdAt: evening,
    ...changes,
  };
}

export function aPairingCode(changes: Partial<PairingCode> = {}): PairingCode {
  return {
    id: 7,
    person: { name: "mara", role: "member" },
    channel: "telegram",
    salt: "c2FsdA==",
    codeHash: "Y29kZQ==",
    linkHash: "bGluaw==",
    createdAt: evening,
    expiresAt: evening + 10 * minute,
    failures: 0,
    ...changes,
  };
}

/** Telegram with nobody in its allow list. */
export function aPlace(changes: Partial<Place> = {}): Place {
  return { channel: "telegram", chats: "person", allow: [], mark: "/", isPublic: false, ...changes };
}

/** What the owner has set for the night. */
export function someRules(window = "22:00-08:00", zone = "Europe/Berlin"): NightRules {
  const read = readQuietHours(window, zone);
  if (!read.ok) throw new Error(`${window} in ${zone}: ${read.reason}`);
  return { hours: read.hours, isolated: false, autoDefault: false };
}
