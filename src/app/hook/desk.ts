import { randomUUID } from "node:crypto";
import type { ContractSettings } from "../../core/contract.ts";
import { toldText } from "../../core/told.ts";
import { isPermission } from "../../core/wording.ts";
import type { QuestionId } from "../../domain/ids.ts";
import { type Answer, isOpen, type State, type StoredQuestion } from "../../domain/question.ts";
import type { Store } from "../../domain/store.ts";
import { writeAnswer } from "../airlock/answer.ts";
import type { AskRequest, Owlpost, Taken } from "../api.ts";
import type { Config } from "../config.ts";
import { checkAsk } from "../room.ts";
import type { Choice } from "./choices.ts";
import { allowKey, type PermissionAsk } from "./permission.ts";
import { awaitAll, claimOf, takeOne } from "./waiting.ts";

export type HookOptions = {
  readonly owlpost: Owlpost & { readonly store: Pick<Store, "questions"> };
  readonly config: Config;
  readonly home: string;
  readonly now: () => number;
  /** The agent has gone, or stops this hook. */
  readonly signal: AbortSignal;
  /** Called before and after a question is stored, so that whoever forgets in between hears of it all the same. */
  readonly onAsk?: () => void;
  /** The session's run, and where the agent works. */
  readonly given: Pick<AskRequest, "run" | "cwd" | "project">;
};

/** One question and what became of it. An answer is there only where it was taken: then it is this hook's to hand over. */
export type Settled = { readonly stored: StoredQuestion; readonly taken?: Taken; readonly told: string };

/** To be confirmed once the agent has it. */
export type Delivered = () => Promise<void>;

export type ChoicesOutcome =
  /** Each question has an option or words of a person: in the order in which they were asked. */
  | { readonly kind: "answered"; readonly settled: readonly Settled[]; readonly delivered: Delivered }
  /** A person skipped one, or sent it back. */
  | { readonly kind: "declined"; readonly settled: readonly Settled[]; readonly delivered: Delivered }
  /** Some are still open. */
  | { readonly kind: "open"; readonly settled: readonly Settled[] }
  /** The deadline is over, or it was cancelled, and nobody decided all of them. What was decided is taken only where `takesRest` says so. */
  | { readonly kind: "silent"; readonly settled: readonly Settled[]; readonly delivered: Delivered }
  /** It could not be asked, or whoever asked has gone: the agent's own prompt. */
  | { readonly kind: "unasked"; readonly why: string };

export type PermissionOutcome =
  | { readonly kind: "allowed" | "denied"; readonly settled: Settled; readonly delivered: Delivered }
  | { readonly kind: "unasked"; readonly why: string };

export type ChoicesAsk = {
  readonly choices: readonly Choice[];
  /** Of the agent's call: the same call finds the same questions. */
  readonly key: string;
  /** Undefined: until the deadline. */
  readonly waitMs?: number;
  /** Is what was decided handed over although the rest was not, once the deadline is over? */
  readonly takesRest: boolean;
  /** Is it asked elsewhere, too, so that whoever stops waiting has got its answer there? */
  readonly takesBack?: boolean;
  readonly later: { readonly open: string; readonly expired: string };
};

const permissionKey = "hook:permission:";
/** The next stop finds more. */
const mostAtOnce = 200;

/** What an agent's hook asks and gets, apart from the shapes in which agents want it. */
export function hookDesk({ owlpost, config, home, now, signal, given, onAsk }: HookOptions) {
  async function choices({
    choices,
    key,
    waitMs,
    takesRest,
    takesBack,
    later,
  }: ChoicesAsk): Promise<ChoicesOutcome> {
    for (const { document } of choices) {
      const refused = await brokenRules(document);
      // Nothing is asked by halves.
      if (refused !== undefined) return { kind: "unasked", why: refused };
    }
    onAsk?.();
    const ids: QuestionId[] = [];
    const fresh: QuestionId[] = [];
    const keys = choices.map(({ digest }, index) => `hook:${key}:${index}:${digest}`);
    for (const [index, { document }] of choices.entries()) {
      const outcome = await owlpost.ask({ ...given, document, asAgent: true, key: keys[index] as string });
      if (!outcome.ok) {
        for (const id of fresh) await owlpost.cancel(id, "what was asked with it could not be asked");
        return { kind: "unasked", why: outcome.error };
      }
      ids.push(outcome.id);
      if (!outcome.repeated) fresh.push(outcome.id);
    }
    onAsk?.();
    const found = await awaitAll(owlpost, ids, { now, waitMs, signal });
    if (!found) {
      if (takesBack)
        for (const id of ids)
          await owlpost.cancel(id, "it was answered or dropped at the agent's own prompt");
      return { kind: "unasked", why: "nobody waits for it any more" };
    }
    const told = (stored: StoredQuestion, taken?: Taken): Settled => ({
      stored,
      ...(taken ? { taken } : {}),
      told: taken && !taken.default ? taken.told : toldText(stored, now(), later),
    });
    if (found.some(({ state }) => isOpen(state)))
      return { kind: "open", settled: found.map((stored) => told(stored)) };
    const said = found.map(({ answer }) => saidBy(answer));
    const silent = said.includes("nothing");
    const declined = said.includes("declined");
    if (silent && !declined && !takesRest)
      return {
        kind: "silent",
        settled: found.map((stored) => told(stored)),
        delivered: async () => undefined,
      };

    const settled: Settled[] = [];
    for (const [index, stored] of found.entries()) {
      const isSilent = saidBy(stored.answer) === "nothing";
      const mine = isSilent ? undefined : await taken(stored, keys[index] as string);
      // Who was quicker has come since it was looked at: how it stands now is what counts.
      const latest =
        mine?.stored ?? (isSilent ? undefined : await owlpost.question(stored.question.id)) ?? stored;
      const { told: words, ...each } = told(latest, mine?.taken);
      // A loop that names the task or the run may have come first: this very call gets its answer all the same.
      settled.push({
        ...each,
        told: !mine && isShared(latest) ? `${words} A loop has taken it, too.` : words,
      });
    }
    const delivered = () => handOver(settled);
    if (declined) return { kind: "declined", settled, delivered };
    if (silent) return { kind: "silent", settled, delivered };
    if (!settled.every(({ stored, taken }) => taken ?? isShared(stored)))
      return { kind: "unasked", why: "an answer was handed over already" };
    return { kind: "answered", settled, delivered };
  }

  async function permission({ document, facts }: PermissionAsk): Promise<PermissionOutcome> {
    // Each call is a question of its own: what was allowed once is no answer to the next.
    const key = `${permissionKey}${randomUUID()}`;
    const asked = await owlpost.ask({ ...given, document, facts, agentsWords: { dropped: [] }, key });
    if (!asked.ok) return { kind: "unasked", why: asked.error };
    const [found] = (await awaitAll(owlpost, [asked.id], { now, waitMs: undefined, signal })) ?? [];
    if (!found) {
      await owlpost.cancel(asked.id, "the agent waits for it no more");
      return { kind: "unasked", why: "nobody waits for it any more" };
    }
    const mine = await taken(found, key);
    if (!mine) return { kind: "unasked", why: "it was taken back, or taken elsewhere" };
    const { answer, digest } = mine.stored;
    const isAllowed =
      mine.taken.via !== "deadline" &&
      saidBy(answer) === "chosen" &&
      answer?.option === allowKey &&
      answer.late !== true &&
      // The answer is for exactly these arguments.
      answer.digest === asked.digest &&
      digest === asked.digest;
    const settled: Settled = { ...mine, told: toldText(mine.stored, now()) };
    const delivered = async (): Promise<void> => void (await owlpost.confirm(mine.taken.claim));
    return { kind: isAllowed ? "allowed" : "denied", settled, delivered };
  }

  /** What people decided of a session's questions while nobody waited for it. */
  async function meanwhile(run: string): Promise<{
    readonly settled: readonly Settled[];
    readonly delivered: Delivered;
  }> {
    await owlpost.sweep();
    const settled: Settled[] = [];
    for (const stored of await askedBy(run, ["answered"])) {
      const claim = `hook:${randomUUID()}`;
      const handed = await takeOne(owlpost, stored.question.id, claim);
      if (handed) settled.push({ stored, taken: handed, told: handed.told });
    }
    return { settled, delivered: () => handOver(settled) };
  }

  /** May an answer to what a session has asked still come? */
  async function waits(run: string): Promise<boolean> {
    const left = await askedBy(run, ["pending", "posted", "expired", "answered"]);
    // A take that was never confirmed lapses, and the answer is there to be taken again.
    const lent = (await askedBy(run, ["applied"])).some(({ claim }) => claim?.confirmedAt === undefined);
    return left.length > 0 || lent;
  }

  /** What a session has asked, its permissions left out: whoever waited for those has gone. */
  async function askedBy(run: string, states: readonly State[]): Promise<readonly StoredQuestion[]> {
    const { store } = owlpost;
    const found = await store.questions({
      states,
      run,
      leaves: permissionKey,
      newest: true,
      limit: mostAtOnce,
    });
    return found.filter(({ question }) => !isPermission(question));
  }

  async function taken(
    { question }: StoredQuestion,
    key: string,
  ): Promise<{ readonly stored: StoredQuestion; readonly taken: Taken } | undefined> {
    const handed = await takeOne(owlpost, question.id, claimOf(key));
    const stored = handed && (await owlpost.question(question.id));
    return handed && stored ? { stored, taken: handed } : undefined;
  }

  async function handOver(settled: readonly Settled[]): Promise<void> {
    for (const { taken } of settled) {
      if (!taken) continue;
      await owlpost.confirm(taken.claim);
      const settings = { home, airlocks: config.airlocks, zone: config.zone };
      await writeAnswer(taken, settings).catch(() => undefined);
    }
  }

  /** In one sentence; undefined where the contract is kept. */
  async function brokenRules(document: unknown): Promise<string | undefined> {
    const settings: ContractSettings = {
      now: now(),
      zone: config.zone,
      minLeadMs: config.minLeadMs,
      channels: config.deliver.map((id) => ({ id })),
      ownerAutoDefault: config.autoDefault,
      asAgent: true,
      given: { project: given.project ?? "default" },
    };
    const checked = await checkAsk(document, settings, config);
    return checked.ok ? undefined : checked.broken.map(({ rule }) => rule).join(", ");
  }

  return { choices, permission, meanwhile, waits };
}

export type HookDesk = ReturnType<typeof hookDesk>;

/** What a person said; `nothing` where nobody did. */
function saidBy(answer: Answer | undefined): "chosen" | "declined" | "nothing" {
  if (!answer || answer.via === "deadline") return "nothing";
  if (answer.outcome === "skipped" || answer.outcome === "retried") return "declined";
  const isAnswered = answer.outcome === "answered" || answer.outcome === "overridden";
  return isAnswered && (answer.option !== undefined || answer.text !== undefined) ? "chosen" : "nothing";
}

/** Did a person answer the question as it stands, and has a loop taken that? What a hook took, the agent was told. */
function isShared({ answer, digest, claim }: StoredQuestion): boolean {
  return (
    saidBy(answer) !== "nothing" &&
    answer?.digest === digest &&
    claim !== undefined &&
    !claim.claim.startsWith("hook:")
  );
}
