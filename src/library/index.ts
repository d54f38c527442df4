import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Taken as AppTaken, AskOutcome, TakeOutcome } from "../app/api.ts";
import { awaitDecision, isTakeable } from "../app/awaiting.ts";
import { configErrorLines, loadConfig } from "../app/config.ts";
import { homePath, isAgentIn, openHome } from "../app/home.ts";
import { openLocal } from "../app/local.ts";
import { pause } from "../app/pause.ts";
import { leavesOf } from "../app/taking.ts";
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
/** So many are looked at at once; the next ones when these are handed over. */
const mostAtOnce = 100;

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
  const worksByDefault = process.env.OWLPOST_TASK_CLAIM || undefined;
  const stop = new AbortController();
  const listening = new Set<Promise<void>>();
  /** Is this called by a listener? */
  const inListener = new AsyncLocalStorage<true>();
  let closing: Promise<void> | undefined;

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
    const { question, taskClaim = worksByDefault, ...rest } = given;
    const id = question === undefined ? undefined : questionId(question);
    if (question !== undefined && !id) return { decisions: [], aborts: [] };
    const outcome = await owlpost.take({
      ...rest,
      ...(id === undefined ? {} : { question: id }),
      ...(taskClaim === undefined ? {} : { works: taskClaim }),
    });
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
    const { onError = rethrow, taskClaim = worksByDefault, ...filter } = given;
    const works = taskClaim === undefined ? {} : { works: taskClaim };
    const ended = new AbortController();
    const isOver = (): boolean => ended.signal.aborted || stop.signal.aborted;
    const signal = AbortSignal.any([ended.signal, stop.signal]);
    /** Answers to another text than the one stored: nobody is given them, and every look would be told in the log. */
    const refused = new Set<QuestionId>();
    /** A claim of its own for each: confirming one says nothing about the others. */
    const takeOne = async (question: QuestionId, claim: string): Promise<Decision | undefined> => {
      const { taken, mismatched } = await owlpost.take({ question, claim, ...works });
      for (const each of mismatched) refused.add(each);
      return taken[0] && decision(taken[0]);
    };

    async function hand(id: QuestionId, decided: Decision): Promise<void> {
      try {
        await inListener.run(true, async () => listener(decided));
      } catch (error) {
        onError(error);
        return;
      }
      if ((await owlpost.confirm(decided.claim)).length > 0) return;
      // It took longer than the lease. What nobody else has taken meanwhile is not handed out a second time.
      const again = await takeOne(id, decided.claim);
      if (!again)
        throw new Error(`${id} was handed out again meanwhile: its listener took longer than the lease`);
      if (isSame(again, decided)) await owlpost.confirm(again.claim);
      else await hand(id, again);
    }

    /** Hands over what is decided; false where there is nothing (more) that can be had. */
    async function round(): Promise<boolean> {
      let handed = false;
      for (const id of await decidedOf(filter)) {
        if (isOver()) return false;
        if (refused.has(id)) continue;
        const decided = await takeOne(id, `library:${randomUUID()}`);
        if (!decided) continue;
        handed = true;
        await hand(id, decided);
      }
      return handed;
    }

    const listen = async (): Promise<void> => {
      while (!isOver()) {
        const change = owlpost.changed(lookMs, signal);
        try {
          if (!(await round())) await change;
        } catch (error) {
          onError(error);
          await pause(afterFaultMs, signal);
        }
      }
    };
    const running = listen().finally(() => listening.delete(running));
    listening.add(running);
    return () => ended.abort();
  }

  /** What can be taken now, the oldest first. */
  async function decidedOf({ task, run, project, question }: ListenOptions): Promise<readonly QuestionId[]> {
    await owlpost.sweep();
    if (question !== undefined) {
      const id = questionId(question);
      const stored = id && (await owlpost.store.question(id));
      const isWanted =
        stored &&
        (task ?? stored.question.task) === stored.question.task &&
        (run ?? stored.question.run) === stored.question.run &&
        (project ?? stored.question.project) === stored.question.project;
      return isWanted && isTakeable(stored) ? [id] : [];
    }
    const found = await owlpost.store.questions({
      states: ["answered", "expired"],
      takeable: true,
      ...leavesOf({ ...(task === undefined ? {} : { task }), ...(run === undefined ? {} : { run }) }),
      ...(task === undefined ? {} : { task }),
      ...(run === undefined ? {} : { run }),
      ...(project === undefined ? {} : { project }),
      limit: mostAtOnce,
    });
    return found.map((stored) => stored.question.id);
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled(listening);
    await close(() => undefined);
  }

  return {
    ask,
    take,
    wait,
    onDecision,
    confirm: (claim) => owlpost.confirm(claim),
    async close() {
      stop.abort();
      closing ??= closeAll();
      // Closing waits for the listeners: one of them that waited for it would wait for ever.
      if (!inListener.getStore()) await closing;
      else closing.catch(rethrow);
    },
  };
}

function isSame(one: Decision, other: Decision): boolean {
  return (
    one.outcome === other.outcome &&
    one.option === other.option &&
    one.text === other.text &&
    one.at.getTime() === other.at.getTime()
  );
}

function askResult(outcome: AskOutcome): AskResult {
  if (outcome.ok) {
    const { id, state, deadlineAt, heldUntilAt, channels, why } = outcome;
    const { repeated = false, dropped = [], redacted = [], defaultChanged = false } = outcome;
    return {
      ok: true,
      id,
      state,
      deadline: new Date(deadlineAt),
      channels,
      repeated,
      dropped,
      redacted,
      defaultChanged,
      ...(heldUntilAt === undefined ? {} : { heldUntil: new Date(heldUntilAt) }),
      ...(why === undefined ? {} : { why }),
    };
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
