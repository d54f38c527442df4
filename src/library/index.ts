import { randomUUID } from "node:crypto";
import type { Taken as AppTaken, AskOutcome, TakeOutcome } from "../app/api.ts";
import { awaitDecision } from "../app/awaiting.ts";
import { configErrorLines, loadConfig } from "../app/config.ts";
import { homePath, isAgentIn, openHome } from "../app/home.ts";
import { openLocal } from "../app/local.ts";
import { type QuestionId, questionId } from "../domain/ids.ts";
import type {
  Abort,
  AskOptions,
  AskResult,
  Decision,
  ListenOptions,
  OpenOptions,
  OwlpostClient,
  QuestionInput,
  Taken,
  TakeOptions,
} from "./types.ts";

export type * from "./types.ts";

/** How long a listener waits before it looks without having been told of anything. */
const lookMs = 1_000;
const afterFaultMs = 1_000;
const mostAtOnce = 1_000;

/**
 * Opens a home for a program that asks and takes, beside the service where one runs.
 *
 * @throws Error where the home or its configuration is refused (the message says what to mend), or the store cannot be opened
 */
export async function openOwlpost(options: OpenOptions = {}): Promise<OwlpostClient> {
  const home = homePath(options.home, process.env);
  const checked = openHome(home);
  if (!checked.ok) throw new Error(checked.message);
  const loaded = await loadConfig(home, process.env);
  if (!loaded.ok) throw new Error(configErrorLines(loaded.file, loaded.errors).join("\n"));
  const { owlpost, close } = await openLocal(home, loaded.config);
  const asAgent = options.as === undefined ? isAgentIn(process.env) : options.as === "agent";
  const stop = new AbortController();
  const listening = new Set<Promise<void>>();

  async function ask(question: QuestionInput, given: AskOptions = {}): Promise<AskResult> {
    const project = given.project ?? options.project;
    const outcome = await owlpost.ask({
      document: question,
      cwd: process.cwd(),
      ...(given.key === undefined ? {} : { key: given.key }),
      ...(given.task === undefined ? {} : { task: given.task }),
      ...(given.run === undefined || asAgent ? {} : { run: given.run }),
      ...(project === undefined ? {} : { project }),
      ...(asAgent ? { asAgent } : {}),
    });
    return askResult(outcome);
  }

  async function take(given: TakeOptions = {}): Promise<Taken> {
    const { question, ...rest } = given;
    const id = question === undefined ? undefined : questionId(question);
    if (question !== undefined && !id) return { decisions: [], aborts: [] };
    const outcome = await owlpost.take({ ...rest, ...(id === undefined ? {} : { question: id }) });
    return { decisions: outcome.taken.map(decision), aborts: outcome.aborts.map(abort) };
  }

  async function wait(id: string, waitMs: number, signal?: AbortSignal): Promise<Decision | undefined> {
    const known = questionId(id);
    if (!known) return undefined;
    const claim = `library:${randomUUID()}`;
    const both = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
    const awaited = await awaitDecision(owlpost, known, { waitMs, claim, signal: both });
    return awaited.kind === "taken" ? decision(awaited.taken) : undefined;
  }

  function onDecision(
    given: ListenOptions,
    listener: (decision: Decision) => void | Promise<void>,
  ): () => void {
    const { onError = rethrow, ...filter } = given;
    const ended = new AbortController();
    const isOver = (): boolean => ended.signal.aborted || stop.signal.aborted;
    const signal = AbortSignal.any([ended.signal, stop.signal]);
    const listen = async (): Promise<void> => {
      while (!isOver()) {
        const change = owlpost.changed(lookMs, signal);
        try {
          for (const id of await decided(filter)) {
            // A claim of its own for each: confirming one says nothing about the others.
            const { taken } = await owlpost.take({ question: id, claim: `library:${randomUUID()}` });
            for (const each of taken) await hand(decision(each), listener, onError);
          }
          await change;
        } catch (error) {
          onError(error);
          await new Promise((next) => setTimeout(next, afterFaultMs));
        }
      }
    };
    const running = listen().finally(() => listening.delete(running));
    listening.add(running);
    return () => ended.abort();
  }

  /** What can be taken now, the oldest first. */
  async function decided({ task, run, project, question }: ListenOptions): Promise<readonly QuestionId[]> {
    await owlpost.sweep();
    const found = await owlpost.store.questions({
      states: ["answered", "expired"],
      ...(project === undefined ? {} : { project }),
      limit: mostAtOnce,
    });
    return found
      .filter(({ state, defaultAction }) => state === "answered" || defaultAction !== "stay_parked")
      .map((stored) => stored.question)
      .filter((each) => task === undefined || each.task === task)
      .filter((each) => run === undefined || each.run === run)
      .filter((each) => question === undefined || each.id === question)
      .map(({ id }) => id);
  }

  async function hand(
    decision: Decision,
    listener: (decision: Decision) => void | Promise<void>,
    onError: (error: unknown) => void,
  ): Promise<void> {
    try {
      await listener(decision);
    } catch (error) {
      onError(error);
      return;
    }
    await owlpost.confirm(decision.claim);
  }

  return {
    ask,
    take,
    wait,
    onDecision,
    confirm: (claim) => owlpost.confirm(claim),
    async close() {
      stop.abort();
      await Promise.allSettled(listening);
      await close(() => undefined);
    },
  };
}

function askResult(outcome: AskOutcome): AskResult {
  if (outcome.ok) {
    const { id, state, deadlineAt, channels, repeated = false, dropped = [] } = outcome;
    return { ok: true, id, state, deadline: new Date(deadlineAt), channels, repeated, dropped };
  }
  if (outcome.error === "rejected") return { ok: false, error: outcome.error, broken: outcome.broken };
  return { ok: false, error: outcome.error, message: outcome.message };
}

function decision({ at, digest: _digest, steeringFile: _file, host: _host, ...taken }: AppTaken): Decision {
  return { ...taken, at: new Date(at) };
}

function abort({ run, project, by, via, at, claim }: TakeOutcome["aborts"][number]): Abort {
  return { run, project, ...(by === undefined ? {} : { by }), via, at: new Date(at), claim };
}

function rethrow(error: unknown): never {
  throw error;
}
