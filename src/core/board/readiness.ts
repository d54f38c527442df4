import type { Finding } from "../../domain/board.ts";
import { aiExecutors, type TaskStatus } from "../../domain/task.ts";
import { countCharacters } from "../../domain/text.ts";
import { parseVerdict } from "./verdict.ts";

/** What the structural checks look at. */
export type Structure = {
  readonly description: string;
  readonly acceptanceCriteria: string;
  readonly executionPlan: string;
  readonly issuer: boolean;
  readonly assigneeCount: number;
  readonly priority: string | null;
  readonly executor: string | null;
  readonly workingDirectory: string;
  readonly branch: string;
  readonly agentOutput: string;
  readonly errorMessage: string;
  /** Was it made before finished work had to say what came of it? */
  readonly createdBeforeOutputRule: boolean;
  /** The one that travels with the change, or the stored one. */
  readonly qualityVerdict: string;
  readonly hasParent: boolean;
  readonly hasChildren: boolean;
};

export type StructureReport = { readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] };

/** Text that stands for text to come: with one of these, a field is not ready. */
export const markers: readonly string[] = ["[DRAFT-AC]", "[DRAFT-EP]", "[NEEDS-REFINE]", "[INFERRED]"];
const leastDescription = 50;
const noCriteria = "Say how anybody can see that it is done (--acceptance).";

/** Only what can be decided exactly and in every language: what the words mean is for a reviewer. White space is empty. */
export function checkStructure(target: TaskStatus, task: Structure): StructureReport {
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  const error = (field: string, rule: string, message: string): void => {
    errors.push({ field, rule, message });
  };
  const warn = (field: string, rule: string, message: string): void => {
    warnings.push({ field, rule, message });
  };
  const ready = target === "Ready" || target === "In Progress";
  const isAi = task.executor !== null && aiExecutors.includes(task.executor);

  if (task.hasParent && task.hasChildren)
    error("Parent Task", "hierarchy_2level", "A task with a parent may have no children of its own.");
  if (isBlank(task.description))
    error("Description", "required_non_empty", "Say what the task should accomplish (--description).");
  else if (ready && countCharacters(trimmed(task.description)) < leastDescription)
    error("Description", "min_length", `Say it in at least ${leastDescription} characters (--description).`);
  if (task.assigneeCount > 1) warn("Assignee", "single_assignee", "Name one person only.");

  if (ready) {
    for (const [field, text, lack] of [
      ["Acceptance Criteria", task.acceptanceCriteria, noCriteria],
      ["Execution Plan", task.executionPlan, "Write down the steps (--plan)."],
    ] as const) {
      if (isBlank(text)) error(field, "required_non_empty", lack);
      else {
        const left = markers.filter((marker) => text.includes(marker));
        if (left.length > 0) error(field, "placeholder_present", leftWords(left));
      }
    }
    checkVerdict(target, task.qualityVerdict, error, warn);
    if (!task.issuer) warn("Issuer", "recommended", "Nobody is named as the one who made it.");
    if (task.assigneeCount === 0) warn("Assignee", "recommended", "It is assigned to nobody.");
    if (task.priority === null) warn("Priority", "recommended", "It has no priority, so it comes last.");
  }
  if (target === "In Progress") {
    if (task.executor === null)
      error("Executor", "required_set", "Say who or what carries it out (--executor).");
    if (isAi && isBlank(task.workingDirectory))
      error("Working Directory", "required_for_ai", "A program needs a folder to work in (--dir).");
    if (task.executor === "cli" && isBlank(task.branch))
      warn("Branch", "recommended", "Name the branch it works on.");
  }
  if (target === "Blocked") {
    if (isBlank(task.acceptanceCriteria)) error("Acceptance Criteria", "required_non_empty", noCriteria);
    if (!task.issuer) warn("Issuer", "recommended", "Nobody is named as the one who made it.");
    if (isBlank(task.errorMessage)) warn("Error Message", "recommended", "Say what holds it up.");
  }
  if (target === "Done" && isAi && isBlank(task.agentOutput)) {
    if (task.createdBeforeOutputRule)
      warn("Agent Output", "legacy_recommended", "Say what came of the work.");
    else error("Agent Output", "required_for_ai_done", "Say what came of the work (--output).");
  }
  return { errors, warnings };
}

function leftWords(left: readonly string[]): string {
  const how = left.includes("[INFERRED]")
    ? " (a guessed line: owlpost task review TASK --confirm-line N)"
    : "";
  return `Resolve ${left.join(" and ")} in it first${how}.`;
}

type Report = (field: string, rule: string, message: string) => void;

/** The first that fits. */
function checkVerdict(target: TaskStatus, text: string, error: Report, warn: Report): void {
  const field = "Quality Verdict";
  if (isBlank(text)) {
    warn(field, "verdict_recommended", "Nobody has reviewed it.");
    return;
  }
  const line = parseVerdict(text);
  if (!line) error(field, "verdict_format", "The line is malformed; have it reviewed again.");
  else if (line.verdict !== "PASS")
    error(field, "verdict_not_pass", `The review said ${line.verdict}; mend the task, then review it again.`);
  else if (target === "Ready" && line.version !== 2)
    error(field, "verdict_stale_format", "The verdict is in an old format; have it reviewed again.");
  else if (line.version !== 1 && line.version !== 2)
    error(field, "verdict_unknown_version", "The verdict is in an unknown format; have it reviewed again.");
}

export function isBlank(text: string | null): boolean {
  return text === null || trimmed(text) === "";
}

/** Unicode's white space, and the mark of byte order: the engine's own `trim` keeps U+0085. */
function trimmed(text: string): string {
  return text.includes("\x85") ? text.replaceAll("\x85", " ").trim() : text.trim();
}
