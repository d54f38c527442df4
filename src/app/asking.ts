import { decideAsk } from "../core/ask.ts";
import { type Checked, type ContractSettings, checkQuestion, type Draft } from "../core/contract.ts";
import type { BrokenRule } from "../domain/command.ts";
import type { StoredQuestion } from "../domain/question.ts";
import type { AskNeed } from "../domain/store.ts";
import type { Asked, AskOutcome, AskRequest } from "./api.ts";
import type { Desk } from "./desk.ts";
import { readDocument } from "./document.ts";
import { projectFor } from "./project.ts";
import { checkAsk } from "./room.ts";
import type { Router } from "./route.ts";

/** Rules that a question keeps when it is asked, and breaks later by itself. */
const passing = ["deadline-past", "deadline-too-soon", "no-route", "too-large"];

/** The operation `ask`: reads, checks the contract, stores; it never waits for a channel. */
export function asking(desk: Desk) {
  const { config, store, router, now, committed } = desk;

  async function ask(request: AskRequest): Promise<AskOutcome> {
    const origin = request.origin ?? "the question";
    let document = request.document;
    if (request.text !== undefined) {
      const read = await readDocument(request.text, origin);
      if (!read.ok) return { ok: false, error: "unreadable", message: read.message };
      document = read.value;
    }
    const at = now();
    const project = projectFor({
      flag: request.project,
      document,
      cwd: request.cwd,
      config,
    });
    const routes = await router();
    const settings: ContractSettings = {
      now: at,
      zone: config.zone,
      minLeadMs: config.minLeadMs,
      channels: config.deliver.map((id) => ({ id })),
      reaching: (answerableBy) => channelsOf(routes(answerableBy)),
      ownerAutoDefault: config.autoDefault,
      asAgent: (request.asAgent ?? false) || request.agentsWords !== undefined,
      given: {
        project,
        ...(request.facts === undefined || request.asAgent ? {} : { facts: request.facts }),
        ...(request.task === undefined ? {} : { task: request.task }),
        ...(request.run === undefined ? {} : { run: request.run }),
      },
    };
    const checked = withDropped(
      await checkAsk(document, settings, config),
      request.agentsWords?.dropped ?? [],
    );
    if (!checked.ok) {
      const stored = await askedBefore(checked.broken, document, settings, request.key);
      if (stored) return asked(stored, routes, { repeated: true });
      const rules = checked.broken.map((each) => ({ rule: each.rule, field: each.field }));
      await store.append(
        [{ type: "log", event: { kind: "question.rejected", project, data: { rules } } }],
        at,
      );
      committed();
      const { broken, droppedFields: dropped } = checked;
      return { ok: false, error: "rejected", broken, ...(dropped.length > 0 ? { dropped } : {}) };
    }
    const { draft } = checked;
    const value = await store.ask(
      needOf(draft, request.key),
      (snapshot) =>
        decideAsk(snapshot, draft, {
          now: at,
          ...(request.key === undefined ? {} : { key: request.key }),
          routes: routes(draft.answerable_by),
          ...(config.night ? { night: config.night } : {}),
          redactedFields: checked.redactedFields,
          droppedFields: checked.droppedFields,
        }),
      at,
    );
    if (!value.ok) return value;
    if (!value.repeated) committed();
    return asked(value.stored, routes, {
      ...(value.repeated ? { repeated: true as const } : {}),
      ...(checked.redactedFields.length > 0 ? { redacted: checked.redactedFields } : {}),
      ...(checked.droppedFields.length > 0 ? { dropped: checked.droppedFields } : {}),
    });
  }

  /**
   * An ask is idempotent even when its absolute deadline has come meanwhile, or no channel is left that reaches whoever may
   * answer, or that has room for it: the very question that was stored in time is found again by its id or key and its
   * digest, which holds the deadline as it was written.
   */
  async function askedBefore(
    broken: readonly BrokenRule[],
    document: unknown,
    settings: ContractSettings,
    key: string | undefined,
  ): Promise<StoredQuestion | undefined> {
    if (!broken.every((each) => passing.includes(each.rule))) return undefined;
    const { reaching: _nobody, ...rest } = settings;
    const intime = checkQuestion(document, { ...rest, now: 0 });
    if (!intime.ok || (intime.draft.id === undefined && key === undefined)) return undefined;
    const known = await store.ask(
      needOf(intime.draft, key),
      ({ sameId, sameKey }) => ({ effects: [], value: sameId ?? sameKey }),
      settings.now,
    );
    return known?.digest === intime.draft.digest ? known : undefined;
  }

  function asked(
    stored: StoredQuestion,
    routes: Router,
    more: Pick<Asked, "repeated" | "redacted" | "dropped">,
  ): AskOutcome {
    return {
      ok: true,
      id: stored.question.id,
      task: stored.question.task,
      project: stored.question.project,
      state: stored.state,
      digest: stored.digest,
      deadlineAt: stored.deadlineAt,
      zone: stored.zone,
      channels: stored.state === "cancelled" ? [] : channelsOf(routes(stored.question.answerable_by)),
      ...(stored.why === undefined ? {} : { why: stored.why }),
      ...(stored.heldUntilAt === undefined ? {} : { heldUntilAt: stored.heldUntilAt }),
      // The owner allows no recommendation to be taken, or not at night.
      ...(stored.defaultAction === stored.question.default.action ? {} : { defaultChanged: true as const }),
      ...more,
    };
  }

  return { ask };
}

function withDropped(checked: Checked, more: readonly string[]): Checked {
  return more.length === 0
    ? checked
    : { ...checked, droppedFields: [...new Set([...more, ...checked.droppedFields])] };
}

function channelsOf(routes: ReturnType<Router>): readonly string[] {
  return [...new Set(routes.map((route) => route.channel))];
}

function needOf(draft: Draft, key: string | undefined): AskNeed {
  return {
    ...(draft.id === undefined ? {} : { id: draft.id }),
    ...(key === undefined ? {} : { key }),
    project: draft.project,
    run: draft.run,
    task: draft.task,
  };
}
