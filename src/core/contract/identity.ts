import {
  isProjectName,
  type QuestionId,
  questionId,
  questionIdParts,
  type RunId,
  runId,
  type TaskId,
  taskId,
} from "../../domain/ids.ts";
import { type Kind, kinds } from "../../domain/question.ts";
import { type Fields, type Findings, isAbsent, show, textOrInteger } from "./findings.ts";

/** What the asker says beside the document; it wins over the document. */
export type Given = {
  readonly task?: string;
  readonly run?: string;
  readonly project: string;
  /** What the engine measured; each wins over the fact of that name in the document. */
  readonly facts?: Fields;
};

export function readId(fields: Fields, findings: Findings): QuestionId | undefined {
  const value = fields.id;
  if (isAbsent(value)) return undefined;
  const id = typeof value === "string" ? questionId(value) : undefined;
  if (!id)
    findings.breaks(
      "field-invalid",
      "id",
      show(value),
      "Write the id as `q-<run>-<task>-<number>` (number 1 to 9999), or leave it out and owlpost makes one.",
    );
  return id;
}

/** A project's name becomes a folder's name, so what could climb out of its folder is refused. */
export function readProject(fields: Fields, given: Given, findings: Findings): void {
  const written = isAbsent(fields.project) || typeof fields.project === "string" ? undefined : fields.project;
  if (written === undefined && isProjectName(given.project)) return;
  findings.breaks(
    "field-invalid",
    "project",
    show(written ?? given.project),
    "Name the project in letters, digits, `.`, `_` and `-`, at most 64 and not beginning with a dot, or leave it out.",
  );
}

export function readKind(fields: Fields, findings: Findings): Kind | undefined {
  const value = fields.kind;
  if (isAbsent(value)) return "decide";
  const kind = kinds.find((each) => each === value);
  if (!kind)
    findings.breaks("field-invalid", "kind", show(value), `Use one of the kinds ${kinds.join(", ")}.`);
  return kind;
}

const taskMend =
  "Name the task in lower-case letters, digits and `-` (at most 64), such as `task: 012-fix-auth`, or pass --task.";

/** The task of the flag, else of `task`, else of `spec`: the name of the spec's file. */
export function readTask(fields: Fields, given: Given, findings: Findings): TaskId | undefined {
  if (given.task !== undefined) return asTask(given.task, "task", findings);
  const written = isAbsent(fields.task) ? undefined : asTask(textOrInteger(fields.task), "task", findings);
  if (isAbsent(fields.spec)) {
    if (isAbsent(fields.task)) findings.breaks("field-invalid", "task", "nothing", taskMend);
    return written;
  }
  const spec = asTask(specTask(textOrInteger(fields.spec)), "spec", findings);
  if (written && spec && written !== spec)
    findings.breaks(
      "field-invalid",
      "spec",
      show(fields.spec),
      `\`spec\` is another name for \`task\`: leave it out, or let both name ${written}.`,
    );
  return isAbsent(fields.task) ? spec : written;
}

/** `specs/012-fix-auth.md` → `012-fix-auth`. */
function specTask(spec: unknown): unknown {
  return typeof spec === "string" ? spec.slice(spec.lastIndexOf("/") + 1).replace(/\.md$/, "") : spec;
}

function asTask(value: unknown, field: string, findings: Findings): TaskId | undefined {
  const task = typeof value === "string" ? taskId(value) : undefined;
  if (!task) findings.breaks("field-invalid", field, show(value), taskMend);
  return task;
}

/** The run of the flag, else of the document, else of its id, else `local`. */
export function readRun(
  fields: Fields,
  given: Given,
  id: QuestionId | undefined,
  asAgent: boolean,
  findings: Findings,
): RunId | undefined {
  const value = given.run ?? (asAgent ? undefined : textOrInteger(fields.run));
  if (isAbsent(value)) return id && !asAgent ? questionIdParts(id).run : ("local" as RunId);
  const run = typeof value === "string" ? runId(value) : undefined;
  if (!run)
    findings.breaks(
      "field-invalid",
      "run",
      show(value),
      "Write the run as 1 to 8 lower-case letters and digits, such as `run: a3f2`.",
    );
  return run;
}
