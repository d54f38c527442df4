import type { BrokenRule } from "../domain/command.ts";
import { type Instant, maxSeq, mintQuestionId, type QuestionId, taskPart } from "../domain/ids.ts";
import type { Question, StoredQuestion } from "../domain/question.ts";
import type { AskSnapshot, Decision, Effect } from "../domain/store.ts";
import type { Draft } from "./contract.ts";
import { defaultAt, formAt, type NightRules } from "./night.ts";
import { heldUntil } from "./nightfall.ts";

export type AskSettings = {
  readonly now: Instant;
  readonly key?: string;
  /** Every copy that will be sent, in order. */
  readonly routes: readonly { readonly channel: string; readonly destination: string }[];
  /** Absent: there are no quiet hours. */
  readonly night?: NightRules;
  readonly redactedFields: readonly string[];
  readonly droppedFields: readonly string[];
};

export type AskValue =
  | { readonly ok: true; readonly stored: StoredQuestion; readonly repeated: boolean }
  | { readonly ok: false; readonly error: "id-conflict"; readonly id: QuestionId; readonly message: string }
  | { readonly ok: false; readonly error: "rejected"; readonly broken: readonly BrokenRule[] };

/** Stores a new question, or finds that this very ask was stored before. */
export function decideAsk(snapshot: AskSnapshot, draft: Draft, settings: AskSettings): Decision<AskValue> {
  const known = snapshot.sameId ?? snapshot.sameKey;
  if (known) {
    if (known.digest === draft.digest)
      return { effects: [], value: { ok: true, stored: known, repeated: true } };
    const id = known.question.id;
    const message = snapshot.sameId
      ? `${id} was asked before with another text; give the changed question a new id`
      : `the key ${settings.key} was used before, for ${id} with another text; give the changed question a new key`;
    return { effects: [], value: { ok: false, error: "id-conflict", id, message } };
  }
  if (draft.id === undefined && snapshot.nextSeq > maxSeq) {
    const broken: BrokenRule = {
      rule: "field-invalid",
      field: "id",
      found: `${maxSeq} questions of run ${draft.run} and task ${draft.task}`,
      mend: "All numbers of this run and task are used; ask under another run.",
    };
    return { effects: [], value: { ok: false, error: "rejected", broken: [broken] } };
  }

  const { id: given, digest, deadlineAt, zone, defaultAction, ...asked } = draft;
  const id = given ?? mintQuestionId(draft.run, taskPart(draft.task), snapshot.nextSeq);
  const question: Question = { id, ...asked };
  const held = settings.night !== undefined && formAt(question, settings.night, settings.now) === "held";
  const heldUntilAt = held ? heldUntil(settings.night, settings.now, deadlineAt) : undefined;
  const stored: StoredQuestion = {
    question,
    state: "pending",
    digest,
    revision: 1,
    askedAt: settings.now,
    deadlineAt,
    zone,
    defaultAction: defaultAt({ defaultAction, deadlineAt }, settings.night),
    ...(heldUntilAt === undefined ? {} : { heldUntilAt }),
  };
  const about = { question: id, task: question.task, project: question.project };
  const effects: Effect[] = [
    {
      type: "insert-question",
      row: stored,
      ...(settings.key === undefined ? {} : { key: settings.key }),
    },
    {
      type: "log",
      event: { kind: "question.asked", ...about, data: { kind: question.kind, title: question.title } },
    },
  ];
  if (settings.redactedFields.length > 0) {
    effects.push({
      type: "log",
      event: { kind: "question.redacted", ...about, data: { fields: settings.redactedFields } },
    });
  }
  if (settings.droppedFields.length > 0) {
    effects.push({
      type: "log",
      event: { kind: "question.fields-dropped", ...about, data: { fields: settings.droppedFields } },
    });
  }
  if (heldUntilAt !== undefined) {
    // It rings nobody: it goes out in the morning, to whom it rings then.
    effects.push({ type: "log", event: { kind: "question.held", ...about, data: { until: heldUntilAt } } });
    return { effects, value: { ok: true, stored, repeated: false } };
  }
  for (const route of settings.routes)
    effects.push({ type: "send", job: { ...route, kind: "post", question: id } });
  return { effects, value: { ok: true, stored, repeated: false } };
}
