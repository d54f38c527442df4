import type { BrokenRule } from "../domain/command.ts";
import { type ChannelId, type Instant, type QuestionId, questionId } from "../domain/ids.ts";
import { type DefaultAction, type Question, questionFields } from "../domain/question.ts";
import { readDefault } from "./contract/default.ts";
import {
  engineFields,
  readAnswerableBy,
  readFacts,
  readIteration,
  readLinks,
  readProgress,
} from "./contract/engine-fields.ts";
import { type Fields, Findings, fieldName, isAbsent, isFields, show } from "./contract/findings.ts";
import { type Given, readId, readKind, readProject, readRun, readTask } from "./contract/identity.ts";
import { checkSecret, readOptions } from "./contract/options.ts";
import { checkRoom, checkRoutes, type Excess, type Route } from "./contract/routes.ts";
import { namesSomething, readContext, readTitle, readTried } from "./contract/texts.ts";
import { digestQuestion } from "./digest.ts";

export type ContractSettings = {
  readonly now: Instant;
  readonly zone: string;
  readonly minLeadMs: number;
  /** Every configured channel, the local inbox among them. */
  readonly channels: readonly Route[];
  /** Those of them on which somebody is reached when only these may answer; absent: each of them. */
  readonly reaching?: (answerableBy: readonly string[] | undefined) => readonly ChannelId[];
  /** How much too large for a channel what is never cut of a question is; undefined where it fits. Absent: it fits everywhere. */
  readonly excess?: Excess;
  /** `auto_default: true` in the configuration. */
  readonly ownerAutoDefault: boolean;
  /** An agent asks: what only the engine may say is dropped. */
  readonly asAgent: boolean;
  /** Flags of the asker. They win over the document, whose `task`, `spec` and `run` are then not looked at. */
  readonly given: Given;
};

/** A question that keeps the contract, redacted and in NFC; the store gives it an id where it has none. */
export type Draft = Omit<Question, "id"> & {
  readonly id?: QuestionId;
  readonly digest: string;
  readonly deadlineAt: Instant;
  readonly zone: string;
  readonly defaultAction: DefaultAction;
};

export type Checked =
  | {
      readonly ok: true;
      readonly draft: Draft;
      /** Paths of the fields in which a credential was replaced, such as `options[1].consequence`. */
      readonly redactedFields: readonly string[];
      /** Fields that owlpost does not know, or that an agent may not give. */
      readonly droppedFields: readonly string[];
      /** The default that will run is not the one that was written. */
      readonly defaultChanged: boolean;
    }
  | {
      readonly ok: false;
      readonly broken: readonly BrokenRule[];
      readonly droppedFields: readonly string[];
    };

const knownFields: ReadonlySet<string> = new Set(questionFields);

/** Reads any document as a question, or tells every rule that it breaks. Never throws, whatever the document is. */
export function checkQuestion(document: unknown, settings: ContractSettings): Checked {
  const findings = new Findings();
  if (!isFields(document)) {
    findings.breaks(
      "field-invalid",
      "document",
      show(document),
      "Write the question as a map of fields: title, context, options, default and so on.",
    );
    return { ok: false, broken: findings.broken, droppedFields: findings.droppedFields };
  }
  const fields = withFacts(withoutUnknown(document, settings.asAgent, findings), settings.given.facts);

  readProject(fields, settings.given, findings);
  const id = readId(fields, findings);
  const kind = readKind(fields, findings);
  const task = readTask(fields, settings.given, findings);
  const run = readRun(fields, settings.given, id, settings.asAgent, findings);
  const iteration = readIteration(fields, findings);
  const progress = readProgress(fields, findings);
  const title = readTitle(fields, findings);
  if (title !== undefined) checkSecret(title, "title", findings);
  const context = readContext(fields, findings);
  const tried = readTried(fields, findings);
  const facts = readFacts(fields, findings);
  const links = readLinks(fields, findings);
  if (context !== undefined && tried.ok)
    checkNaming(`${context}\n${tried.text ?? ""}`, task, [facts, links], findings);
  const source = fields.source === "permission" ? fields.source : undefined;
  const options = readOptions(fields, kind, source !== undefined, findings);
  const autoDefault = findings.flag(fields, "auto_default", "auto_default");
  const fallback = readDefault(fields, settings, autoDefault === true, settings.asAgent, findings);
  const answerableBy = readAnswerableBy(fields, findings);
  const lowFidelity = findings.flag(fields, "low_fidelity", "low_fidelity");
  const again = readAgain(fields, findings);
  const { action, at, deadlineAt } = fallback;
  // Without the owner's word, or with nothing recommended, there is nothing that may be taken.
  const takes = settings.ownerAutoDefault && options.some((option) => option.recommended === true);
  const defaultAction = action === "take_recommended" && !takes ? "skip_spec" : action;
  const routes = checkRoutes(settings, answerableBy, findings);
  checkRoom(
    { id, kind, task, run, title, options, facts, lowFidelity, source, deadlineAt, defaultAction },
    settings,
    routes,
    findings,
  );

  if (
    findings.broken.length > 0 ||
    !kind ||
    !task ||
    !run ||
    !action ||
    !defaultAction ||
    title === undefined ||
    context === undefined ||
    at === undefined ||
    deadlineAt === undefined
  )
    return { ok: false, broken: findings.broken, droppedFields: findings.droppedFields };

  const question: Omit<Question, "id"> & { readonly id?: QuestionId } = {
    ...(id === undefined ? {} : { id }),
    project: settings.given.project,
    kind,
    task,
    run,
    ...(iteration === undefined ? {} : { iteration }),
    ...(progress === undefined ? {} : { progress }),
    title,
    context,
    ...(tried.text === undefined ? {} : { tried: tried.text }),
    options,
    default: { action, at },
    ...(facts === undefined ? {} : { facts }),
    ...(links === undefined ? {} : { links }),
    ...(answerableBy === undefined ? {} : { answerable_by: answerableBy }),
    ...(autoDefault === undefined ? {} : { auto_default: autoDefault }),
    ...(lowFidelity === undefined ? {} : { low_fidelity: lowFidelity }),
    ...(source === undefined ? {} : { source }),
    ...(again === undefined ? {} : { again }),
  };
  return {
    ok: true,
    draft: { ...question, digest: digestQuestion(question), deadlineAt, zone: settings.zone, defaultAction },
    redactedFields: findings.redactedFields,
    droppedFields: findings.droppedFields,
    defaultChanged: defaultAction !== action,
  };
}

/** Leaves out what owlpost does not know and what an agent may not say, and tells so. */
function withoutUnknown(document: Fields, asAgent: boolean, findings: Findings): Fields {
  let dropped = false;
  for (const name of Object.keys(document)) {
    const unknown = !knownFields.has(name) || (name === "source" && document.source !== "permission");
    const engine = asAgent && (engineFields as readonly string[]).includes(name);
    if (engine) dropped = true;
    if ((engine || unknown) && !isAbsent(document[name])) findings.droppedFields.push(fieldName(name));
  }
  if (!dropped) return document;
  return Object.fromEntries(
    Object.entries(document).filter(([name]) => !(engineFields as readonly string[]).includes(name)),
  );
}

/** Where the document's own facts are no map, that is told. */
function withFacts(document: Fields, given: Fields | undefined): Fields {
  const { facts } = document;
  if (given === undefined || !(isAbsent(facts) || isFields(facts))) return document;
  return { ...document, facts: { ...facts, ...given } };
}

function checkNaming(
  text: string,
  task: string | undefined,
  values: readonly unknown[],
  findings: Findings,
): void {
  if (namesSomething(text, task, values)) return;
  findings.breaks(
    "context-names-nothing",
    "context",
    show(text.trim() === "" ? undefined : text.trim()),
    "Name what it is about: a file, a test, an identifier in backticks, an issue number or the task.",
  );
}

function readAgain(fields: Fields, findings: Findings): QuestionId | undefined {
  if (isAbsent(fields.again)) return undefined;
  const again = typeof fields.again === "string" ? questionId(fields.again) : undefined;
  if (!again)
    findings.breaks(
      "field-invalid",
      "again",
      show(fields.again),
      "`again` is the id of the question that is asked again; leave it out.",
    );
  return again;
}
