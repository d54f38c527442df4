import { randomUUID } from "node:crypto";
import { isoTime } from "../../core/time.ts";
import { toldText } from "../../core/told.ts";
import { questionId } from "../../domain/ids.ts";
import { isOpen, type StoredQuestion } from "../../domain/question.ts";
import { writeAnswer } from "../airlock/answer.ts";
import type { AskRequest, NotAsked, Owlpost, Taken } from "../api.ts";
import { awaitDecision } from "../awaiting.ts";
import type { Config } from "../config.ts";

/** Clients give up on a tool after about a minute. */
const mostWaitMs = 45_000;
const defaultAt = "8h";
const mostListed = 50;

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

export type AskInput = {
  readonly title: string;
  readonly context: string;
  readonly tried?: string | undefined;
  readonly options: readonly Readonly<Record<string, unknown>>[];
  readonly kind?: string | undefined;
  readonly task?: string | undefined;
  readonly deadline?: string | undefined;
  readonly default?: string | undefined;
  readonly idempotency_key?: string | undefined;
  readonly wait_seconds?: number | undefined;
};

/** The tools, apart from the protocol by which they are called. */
export function mcpDesk({ owlpost, config, home, now, given, otherwiseTask, onAsk }: McpOptions) {
  /** Asked through this connection: whoever asked may take it back, and nobody else's. */
  const mine = new Set<string>();

  async function ask(input: AskInput, signal: AbortSignal): Promise<Told> {
    onAsk?.();
    const { deadline, default: action, idempotency_key: key, wait_seconds: wait, task, ...rest } = input;
    const outcome = await owlpost.ask({
      ...given,
      document: {
        ...defined(rest),
        options: input.options.map((option, index) => ({ key: String(index + 1), ...defined(option) })),
        task: task ?? otherwiseTask,
        default: { action: action ?? "skip_spec", at: deadline ?? defaultAt },
      },
      asAgent: true,
      key: key === undefined ? `mcp:${randomUUID()}` : `mcp:${key}`,
    });
    if (!outcome.ok) return refused(outcome);
    mine.add(outcome.id);
    onAsk?.();
    return await look(outcome.id, waitOf(wait, mostWaitMs), signal, outcome.channels);
  }

  async function answer(id: string, wait: number | undefined, signal: AbortSignal): Promise<Told> {
    const known = questionId(id);
    const stored = known && (await owlpost.question(known));
    if (!known || !stored) return noSuch(id);
    return look(known, waitOf(wait, 0), signal);
  }

  async function look(
    id: NonNullable<ReturnType<typeof questionId>>,
    waitMs: number,
    signal: AbortSignal,
    channels: readonly string[] = [],
  ): Promise<Told> {
    const claim = `mcp:${randomUUID()}`;
    const awaited = await awaitDecision(owlpost, id, { waitMs, claim, signal });
    const { stored } = awaited;
    if (!stored) return noSuch(id);
    const text = toldText(stored, now());
    const again = awaited.kind === "over" && awaited.stored?.claim ? ` (${awaited.why}.)` : "";
    const where = channels.length > 0 && isOpen(stored.state) ? ` It went to: ${channels.join(", ")}.` : "";
    return {
      text: `${text}${where}${again}`,
      content: shape(stored, awaited.kind === "taken"),
      ...(awaited.kind === "taken" ? { delivered: () => handedOver(awaited.taken) } : {}),
    };
  }

  /** The answer did not wait for its files. */
  async function handedOver(taken: Taken): Promise<void> {
    await owlpost.confirm(taken.claim);
    const settings = { home, airlocks: config.airlocks, zone: config.zone };
    await writeAnswer(taken, settings).catch(() => undefined);
  }

  async function pending(): Promise<Told> {
    const { open, zone } = await owlpost.status();
    const listed = open.slice(0, mostListed);
    const lines = listed.map(({ question, deadlineAt, defaultAction }) => {
      return `${question.id}: ${question.title} (task ${question.task}, until ${isoTime(deadlineAt)}, default ${defaultAction})`;
    });
    const more = open.length > listed.length ? [`and ${open.length - listed.length} more`] : [];
    return {
      text: lines.length === 0 ? "No question waits for an answer." : [...lines, ...more].join("\n"),
      content: { zone, count: open.length, questions: listed.map((stored) => shape(stored, false)) },
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

function waitOf(seconds: number | undefined, otherwiseMs: number): number {
  if (seconds === undefined || !Number.isFinite(seconds)) return otherwiseMs;
  return Math.min(mostWaitMs, Math.max(0, seconds * 1_000));
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Every broken rule, with what to do about it: whoever reads this is a model that can mend it. */
function refused(outcome: NotAsked): Told {
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
