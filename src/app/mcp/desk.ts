import { randomUUID } from "node:crypto";
import { isoTime } from "../../core/time.ts";
import { toldText } from "../../core/told.ts";
import { isPermission } from "../../core/wording.ts";
import { questionId } from "../../domain/ids.ts";
import { isOpen, type StoredQuestion } from "../../domain/question.ts";
import { writeAnswer } from "../airlock/answer.ts";
import type { AskRequest, NotAsked, Owlpost, Taken } from "../api.ts";
import { awaitDecision, isHeld } from "../awaiting.ts";
import type { Config } from "../config.ts";
import type { AskInput } from "./tools.ts";

/** Clients give up on a tool after about a minute. */
const mostWaitMs = 45_000;
const defaultAt = "8h";
const mostListed = 50;
const mostKey = 200;

export type McpOptions = {
  readonly owlpost: Owlpost;
  readonly config: Config;
  readonly home: string;
  readonly now: () => number;
  /** What the one who started the server says of every question; the engine's word, so it beats the agent's. */
  readonly given: Pick<AskRequest, "task" | "run" | "project" | "cwd">;
  /** What a question is about that names no task. */
  readonly otherwiseTask: string;
  /** Called before and after each ask. */
  readonly onAsk?: () => void;
};

/** What a tool gives back. `delivered` is called once the client has it: only then the answer is confirmed. */
export type Told = {
  readonly text: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  delivered?(): Promise<unknown>;
};

/** The tools, apart from the protocol by which they are called. */
export function mcpDesk({ owlpost, config, home, now, given, otherwiseTask, onAsk }: McpOptions) {
  /** Asked through this connection: whoever asked may take it back, and nobody else's. */
  const mine = new Set<string>();

  async function ask(input: AskInput, signal: AbortSignal): Promise<Told> {
    onAsk?.();
    const { wait_seconds: wait, options, idempotency_key: said, ...fields } = input;
    // Models fill in what they leave out.
    const { deadline, default: action, task, ...rest } = withoutBlank(fields);
    const key = said === undefined || isBlank(said) ? undefined : String(said);
    if (key !== undefined && key.length > mostKey) return longKey;
    const outcome = await owlpost.ask({
      ...given,
      document: {
        ...rest,
        ...(options === undefined ? {} : { options: keyed(options) }),
        task: task ?? otherwiseTask,
        default: { action: action ?? "skip_spec", at: deadline ?? defaultAt },
      },
      asAgent: true,
      // Agents in two folders may think of the same key.
      key: `mcp:${key === undefined ? randomUUID() : `${given.task ?? otherwiseTask}:${key}`}`,
    });
    if (!outcome.ok) return refused(outcome, key);
    mine.add(outcome.id);
    onAsk?.();
    try {
      return await look(outcome.id, waitOf(wait, mostWaitMs), signal, outcome.channels);
    } catch (error) {
      // It is asked: an agent that is told of nothing but the fault would ask it once more.
      return askedButUnseen(outcome.id, error);
    }
  }

  async function answer(id: string, wait: number | undefined, signal: AbortSignal): Promise<Told> {
    const known = questionId(id);
    const stored = known && (await owlpost.question(known));
    if (!known || !stored) return noSuch(id);
    // A permission is for the one call that asked for it, and its own hook hands it over.
    if (isPermission(stored.question)) return othersPermission(stored);
    return look(known, waitOf(wait, 0), signal);
  }

  async function look(
    id: NonNullable<ReturnType<typeof questionId>>,
    waitMs: number,
    signal: AbortSignal,
    channels: readonly string[] = [],
  ): Promise<Told> {
    const claim = `mcp:${randomUUID()}`;
    const awaited = await awaitDecision(owlpost, id, { waitMs, claim, signal, leavesHeld: true });
    const { stored } = awaited;
    if (!stored) return noSuch(id);
    const text = toldText(stored, now());
    const again =
      awaited.kind === "over" && stored.claim
        ? ` (${awaited.why}.)`
        : awaited.kind === "waiting" && isHeld(stored)
          ? ` (${takenWords}.)`
          : "";
    const where = isOpen(stored.state) && channels.length > 0 ? await goesWhere(stored, channels) : "";
    return {
      text: `${text}${where}${again}`,
      content: shape(stored, awaited.kind === "taken"),
      ...(awaited.kind === "taken" ? { delivered: () => handedOver(awaited.taken) } : {}),
    };
  }

  /** Where a question that is open goes, after a sentence. */
  async function goesWhere(stored: StoredQuestion, channels: readonly string[]): Promise<string> {
    if (stored.heldUntilAt !== undefined) return heldWhere(stored, stored.heldUntilAt);
    const { service } = await owlpost.status();
    return service.running
      ? ` It goes to: ${channels.join(", ")}.`
      : " The service of owlpost does not run at present: nobody is shown it before that is started (owlpost serve).";
  }

  /** The answer did not wait for its files. */
  async function handedOver(taken: Taken): Promise<void> {
    await owlpost.confirm(taken.claim);
    const settings = { home, airlocks: config.airlocks, zone: config.zone };
    await writeAnswer(taken, settings).catch(() => undefined);
  }

  async function pending(): Promise<Told> {
    const { open, zone, counts } = await owlpost.status();
    const count = counts.pending + counts.posted;
    const listed = open.slice(0, mostListed);
    const lines = listed.map(({ question, deadlineAt, defaultAction: action }) => {
      const byDefault = isPermission(question) ? "not allowed" : action;
      return `${question.id}: ${question.title} (task ${question.task}, until ${isoTime(deadlineAt)}, default ${byDefault})`;
    });
    const more = count > listed.length ? [`and ${count - listed.length} more`] : [];
    return {
      text: lines.length === 0 ? "No question waits for an answer." : [...lines, ...more].join("\n"),
      content: { zone, count, questions: listed.map((stored) => shape(stored, false)) },
    };
  }

  async function cancel(id: string, why: string): Promise<Told> {
    if (!mine.has(id)) {
      const text = `${id} was not asked through this connection, so it is not yours to cancel. Leave it: its deadline settles it.`;
      return { text, content: { cancelled: false, reason: "not-allowed" }, isError: true };
    }
    const words = why.trim() === "" ? "no longer needed" : why.trim();
    const ack = await owlpost.cancel(id, `the agent took it back: ${words}`);
    return ack.accepted
      ? { text: ack.text, content: { cancelled: true, id } }
      : {
          text: ack.text,
          content: { cancelled: false, reason: ack.reason, state: ack.state },
          isError: true,
        };
  }

  async function reachable(): Promise<Told> {
    const { channels } = await owlpost.status();
    const ringing = channels.filter(({ up, rings }) => up && rings).map(({ channel }) => channel);
    const text =
      ringing.length > 0
        ? `The owner can be reached by: ${ringing.join(", ")}. That is no promise that anybody looks.`
        : "The owner cannot be reached by anything that rings at present. A question is kept, and waits until its deadline.";
    const shown = channels.map(({ channel, up, rings, detail }) => ({ id: channel, up, rings, detail }));
    return { text, content: { reachable: ringing.length > 0, channels: shown } };
  }

  return { ask, answer, pending, cancel, reachable };
}

function heldWhere({ deadlineAt, zone }: StoredQuestion, untilAt: number): string {
  return untilAt < deadlineAt
    ? ` It is held for the morning: it rings nobody before ${isoTime(untilAt)} (zone ${zone}).`
    : " It is held: quiet hours last until its deadline, so it rings nobody before.";
}

const takenWords =
  "somebody else has just taken it and acts on it: leave it to them; should it be given back, get_answer hands it over";

const longKey: Told = {
  text: `The question was not asked: its idempotency_key is longer than ${mostKey} characters. Use a short one, such as auth-1.`,
  content: { error: "bad-key" },
  isError: true,
};

function askedButUnseen(id: string, error: unknown): Told {
  const why = error instanceof Error ? error.message : String(error);
  const text = `${id} is asked and stored, so do not ask it again. Whether somebody has answered could not be looked up (${why}). Nothing is decided: call get_answer with this id later.`;
  return { text, content: { id, decided: false, handed_over: false } };
}

function othersPermission(stored: StoredQuestion): Told {
  const { id } = stored.question;
  const text = `${id} is a permission that was asked for one call of an agent. Nothing is permitted by it here, whatever its answer is, and it is not yours to take.`;
  return { text, content: { id, state: stored.state, decided: false, reason: "not-allowed" }, isError: true };
}

function waitOf(seconds: unknown, otherwiseMs: number): number {
  if (typeof seconds !== "number" || !Number.isFinite(seconds)) return otherwiseMs;
  return Math.min(mostWaitMs, Math.max(0, seconds * 1_000));
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

function withoutBlank<Fields extends Readonly<Record<string, unknown>>>(fields: Fields): Partial<Fields> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && !isBlank(value));
  return Object.fromEntries(kept) as Partial<Fields>;
}

/** Options without a key get the numbers 1, 2, 3 …; what is no list is left to the check. */
function keyed(options: unknown): unknown {
  if (!Array.isArray(options)) return options;
  return options.map((option: unknown, index) =>
    typeof option === "object" && option !== null && !Array.isArray(option)
      ? { key: String(index + 1), ...defined(option as Readonly<Record<string, unknown>>) }
      : option,
  );
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Every broken rule, with what to do about it: whoever reads this is a model that can mend it. */
function refused(outcome: NotAsked, key: string | undefined): Told {
  if (outcome.error === "id-conflict" && key !== undefined) {
    const { error, id } = outcome;
    const text = `The question was not asked: its idempotency_key ${JSON.stringify(key)} belongs to ${id}, which has another text. get_answer finds that one; ask this one with another key.`;
    return { text, content: { error, id }, isError: true };
  }
  if (outcome.error !== "rejected")
    return { text: outcome.message, content: { error: outcome.error }, isError: true };
  const lines = outcome.broken.map(
    ({ rule, field, found, mend }) => `- ${field} (${rule}): found ${found}. ${mend}`,
  );
  return {
    text: `The question was not asked. Mend all of this and call ask_human again:\n${lines.join("\n")}`,
    content: { error: "rejected", broken: outcome.broken },
    isError: true,
  };
}

function noSuch(id: string): Told {
  const text = `There is no question ${id.slice(0, 60)}. list_pending shows those that wait.`;
  return { text, content: { error: "no-such-question" }, isError: true };
}

function shape(stored: StoredQuestion, taken: boolean): Readonly<Record<string, unknown>> {
  const { question, answer, state, outcome, deadlineAt, defaultAction } = stored;
  const label = question.options.find(({ key }) => key === answer?.option)?.label;
  return {
    id: question.id,
    title: question.title,
    task: question.task,
    state,
    decided: answer !== undefined,
    ...(outcome === undefined ? {} : { outcome }),
    ...(answer?.option === undefined ? {} : { option: answer.option }),
    ...(label === undefined ? {} : { label }),
    ...(answer?.text === undefined ? {} : { text: answer.text }),
    ...(answer?.by === undefined ? {} : { by: answer.by }),
    ...(answer === undefined ? {} : { via: answer.via, at: isoTime(answer.at) }),
    deadline: isoTime(deadlineAt),
    default: defaultAction,
    handed_over: taken,
  };
}
