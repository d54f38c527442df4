import type { BoardReason, BoardSnapshot, Finding } from "../../domain/board.ts";
import type { Claim, Instant } from "../../domain/ids.ts";
import { aiExecutors, isFinished, type StoredTask, type Task, type TaskStatus } from "../../domain/task.ts";
import { checkStructure, isBlank, type Structure } from "./readiness.ts";
import type { BoardSettings } from "./settings.ts";
import type { Need } from "./transitions.ts";
import { verdictStanding } from "./verdict.ts";
import { isExemptFromReview } from "./worthiness.ts";

/** What a move says beside where it goes. */
export type MoveWords = {
  readonly claim?: Claim;
  readonly approved?: boolean;
  readonly changesRequested?: boolean;
};

/** The task as it would be, beside what is stored. */
export type Wanted = { readonly stored: StoredTask; readonly task: Task; readonly openBlockers: number };

/** From this instant on, finished work must say what came of it: 2026-04-14T00:00:00Z. */
const outputRuleAt: Instant = 1_776_124_800_000;

export function structureOf(task: Task, hasChildren: boolean): Structure {
  return {
    description: task.description,
    acceptanceCriteria: task.acceptanceCriteria,
    executionPlan: task.executionPlan,
    priority: task.priority,
    executor: task.executor,
    workingDirectory: task.workingDirectory,
    branch: task.branch,
    agentOutput: task.agentOutput,
    errorMessage: task.errorMessage,
    qualityVerdict: task.qualityVerdict,
    issuer: task.issuer.id !== "",
    assigneeCount: task.assignee.length,
    createdBeforeOutputRule: task.createdAt < outputRuleAt,
    hasParent: task.parentTask !== null,
    hasChildren,
  };
}

/** What the structural checks miss in a task, whatever its verdict. */
export function structureFindings({ task, children }: StoredTask, target: TaskStatus): readonly Finding[] {
  return checkStructure(target, { ...structureOf(task, children.all > 0), qualityVerdict: "" }).errors;
}

const ahead: Partial<Record<TaskStatus, TaskStatus>> = {
  Backlog: "Ready",
  Ready: "In Progress",
  "In Progress": "Done",
};

/** What is recommended for where it stands and goes next, and is missing; it holds nothing up. */
export function adviceOn({ task, children }: StoredTask): readonly Finding[] {
  if (isFinished(task.status)) return [];
  const target = ahead[task.status] ?? task.status;
  return checkStructure(target, structureOf(task, children.all > 0)).warnings;
}

/** Every condition of a move that does not hold, each once. */
export function unmetNeeds(
  needs: readonly Need[],
  to: TaskStatus,
  wanted: Wanted,
  words: MoveWords,
  settings: BoardSettings,
): readonly Finding[] {
  const all = needs.flatMap((need) => unmet(need, to, wanted, words, settings));
  // Two conditions may look at the same field: the first says enough.
  return all.filter((each, at) => all.findIndex(({ field }) => field === each.field) === at);
}

/** In which refusal they are told. */
export function unmetReason(from: TaskStatus, to: TaskStatus): BoardReason {
  if (to === "Ready") return "not-ready";
  return from === "Ready" && to === "In Progress" ? "not-dispatch-ready" : "needs-missing";
}

function unmet(
  need: Need,
  to: TaskStatus,
  { stored, task, openBlockers }: Wanted,
  words: MoveWords,
  settings: BoardSettings,
): readonly Finding[] {
  const filled = (field: string, text: string, message: string): readonly Finding[] =>
    isBlank(text) ? [{ field, rule: "required_non_empty", message }] : [];
  const holds = (condition: boolean, field: string, rule: string, message: string): readonly Finding[] =>
    condition ? [] : [{ field, rule, message }];
  switch (need) {
    case "layer1":
      return checkStructure(to, structureOf(task, stored.children.all > 0)).errors;
    case "description":
      return filled("Description", task.description, "Say what the task should accomplish (--description).");
    case "acceptance_criteria":
      return filled(
        "Acceptance Criteria",
        task.acceptanceCriteria,
        "Say how anybody can see that it is done (--acceptance).",
      );
    case "execution_plan":
      return filled("Execution Plan", task.executionPlan, "Write down the steps (--plan).");
    case "agent_output":
      return filled("Agent Output", task.agentOutput, "Say what came of the work (--output).");
    case "error_message":
      return filled("Error Message", task.errorMessage, "Say what holds it up (--why).");
    case "assignee":
      return holds(
        task.assignee.length > 0,
        "Assignee",
        "required_set",
        "Assign it to somebody (--assignee).",
      );
    case "executor":
      return holds(
        task.executor !== null,
        "Executor",
        "required_set",
        "Say who or what carries it out (--executor).",
      );
    case "verdict_v2_pass":
      return verdictFindings(task, 2);
    case "dispatch_ready":
      return dispatchFindings(task, openBlockers, settings);
    case "requires_review":
      return holds(
        task.requiresReview,
        "Requires Review",
        "review_not_required",
        "It needs no review: it may go to Done.",
      );
    case "no_review_required":
      return holds(
        !task.requiresReview,
        "Requires Review",
        "review_required",
        "It must be reviewed: it goes to In Review first.",
      );
    case "review_approved":
      return holds(
        words.approved === true,
        "Review",
        "review_approved",
        "Say that the review approved of it (--approve).",
      );
    case "changes_requested":
      return holds(
        words.changesRequested === true,
        "Review",
        "changes_requested",
        "Say that the review asks for changes (--changes).",
      );
    case "same_claim":
      return holds(
        stored.claim !== null && stored.claim.token === words.claim,
        "Claim",
        "same_claim",
        "Only whoever has claimed it may go on with it: give that claim (--claim).",
      );
    // The move itself sets the one and is logged for the other.
    case "dispatched_at":
    case "audited":
      return [];
  }
}

/** Everything that must hold before work begins; a folder that is missing blocks nothing for good. */
export function dispatchFindings(
  task: Task,
  openBlockers: number,
  { directories }: BoardSettings,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (openBlockers > 0) {
    const message =
      openBlockers === 1 ? "It waits for another task." : `It waits for ${openBlockers} other tasks.`;
    findings.push({ field: "Blocked By", rule: "open_blockers", message });
  }
  const isAi = task.executor !== null && aiExecutors.includes(task.executor);
  // What runs elsewhere has its folders elsewhere.
  const isHere = isAi && task.executor !== "cowork";
  if (isHere && !isBlank(task.workingDirectory) && !directories.has(task.workingDirectory)) {
    findings.push({
      field: "Working Directory",
      rule: "not_a_directory",
      message: `${task.workingDirectory} is no folder on this machine.`,
    });
  }
  return [...findings, ...verdictFindings(task, 1)];
}

/** A verdict counts for the very text that was judged. */
function verdictFindings(task: Task, leastVersion: 1 | 2): readonly Finding[] {
  if (isExemptFromReview(task)) return [];
  const field = "Quality Verdict";
  const standing = verdictStanding(task);
  const again = `review it first (owlpost task review ${task.id})`;
  if (standing.kind === "none")
    return [{ field, rule: "verdict_missing", message: `Nobody has reviewed it: ${again}.` }];
  if (standing.kind === "stale")
    return [{ field, rule: "verdict_stale", message: `It was changed after its review: ${again}.` }];
  if (standing.kind !== "current")
    return [{ field, rule: "verdict_format", message: `The verdict cannot be read: ${again}.` }];
  const { line } = standing;
  if (line.verdict !== "PASS")
    return [{ field, rule: "verdict_not_pass", message: `The review said ${line.verdict}: ${again}.` }];
  if (line.version < leastVersion)
    return [{ field, rule: "verdict_stale_format", message: `The verdict is in an old format: ${again}.` }];
  return [];
}

/** How many of the blockers are open, where the change names them anew. */
export function openBlockersOf(
  snapshot: BoardSnapshot,
  stored: StoredTask | undefined,
  blockedBy: Task["blockedBy"] | undefined,
): number {
  if (blockedBy === undefined) return stored?.openBlockers ?? 0;
  return blockedBy.filter((id) => {
    const blocker = snapshot.tasks.get(id);
    return blocker !== undefined && !isFinished(blocker.task.status);
  }).length;
}
