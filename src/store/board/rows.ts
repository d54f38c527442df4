import { mintQuestionId, type QuestionId, type RunId, type TaskId } from "../../domain/ids.ts";
import {
  type Attachment,
  isFinished,
  type Priority,
  type StoredTask,
  type TaskClaim,
  type TaskPerson,
  type TaskStatus,
} from "../../domain/task.ts";

/** A task as it is read: a plain list, since the driver takes half as long again to name every column of every row. */
export type TaskRow = [
  n: number,
  board: string,
  id: string,
  revision: number,
  status: TaskStatus,
  priority: Priority | null,
  executor: string | null,
  requiresReview: number,
  parent: string | null,
  openBlockers: number,
  children: number,
  openChildren: number,
  doneChildren: number,
  claim: string | null,
  claimedBy: string | null,
  claimedAt: number | null,
  leaseMs: number | null,
  leaseUntilAt: number | null,
  leaseLeftMs: number | null,
  startDate: string | null,
  dueDate: string | null,
  dispatchedAt: number | null,
  acknowledgedAt: number | null,
  createdAt: number,
  updatedAt: number,
  issuer: string,
  sourceMessageId: string | null,
  project: string | null,
  team: string | null,
  repository: string | null,
  branch: string,
  workingDirectory: string,
  sessionReference: string,
  qualityVerdict: string,
  tags: string,
  assignee: string,
  attachments: string,
  title: string,
  errorMessage: string,
  description: string,
  acceptanceCriteria: string,
  executionPlan: string,
  context: string,
  artifacts: string,
  agentOutput: string,
  blockers: string | null,
  parkings: string | null,
];

const plainColumns = `t.n, t.project, t.id, t.revision, t.status, t.priority, t.executor, t.requires_review,
  (SELECT p.id FROM tasks p WHERE p.n = t.parent), t.open_blockers, t.children, t.open_children, t.done_children,
  t.claim, t.claimed_by, t.claimed_at, t.lease_ms, t.lease_until_at, t.lease_left_ms,
  t.start_date, t.due_date, t.dispatched_at, t.acknowledged_at, t.created_at, t.updated_at, t.issuer,
  t.source_message_id, t.project_name, t.team, t.repository, t.branch, t.working_directory, t.session_reference,
  t.quality_verdict, t.tags, t.assignee, t.attachments, t.title, t.error_message, t.description,
  t.acceptance_criteria, t.execution_plan, t.context, t.artifacts, t.agent_output`;

/** The blockers that stand on the board, with their statuses, and the questions that hold the task up, each as one JSON text. */
export const taskColumns = `${plainColumns},
  (SELECT json_group_array(json_array(b.id, b.status)) FROM task_dependencies d JOIN tasks b ON b.n = d.blocked_by
    WHERE d.task = t.n AND b.project = t.project),
  CASE WHEN t.status = 'Blocked' THEN
    (SELECT json_group_array(json_array(q.run, q.part, q.seq, k.open)) FROM parkings k JOIN questions q ON q.n = k.question
    WHERE k.task = t.n AND (k.open = 1 OR q.state <> 'cancelled')) END`;

export type FoundTask = { readonly n: number; readonly stored: StoredTask };

export function foundTask(row: TaskRow): FoundTask {
  const blockers =
    row[45] === null || row[45] === "[]" ? [] : (JSON.parse(row[45]) as [string, TaskStatus][]);
  const blockedBy = blockers.map(([id]) => id as TaskId).sort();
  return {
    n: row[0],
    stored: {
      task: {
        id: row[2] as TaskId,
        board: row[1],
        title: row[37],
        description: row[39],
        acceptanceCriteria: row[40],
        status: row[4],
        priority: row[5],
        executor: row[6],
        blockedBy,
        requiresReview: row[7] === 1,
        executionPlan: row[41],
        workingDirectory: row[31],
        sessionReference: row[32],
        dispatchedAt: row[21],
        agentOutput: row[44],
        errorMessage: row[38],
        issuer: { id: row[25], name: row[25] },
        qualityVerdict: row[33],
        context: row[42],
        artifacts: row[43],
        repository: row[29],
        startDate: row[19],
        dueDate: row[20],
        tags: listOf<string>(row[34]),
        parentTask: row[8] as TaskId | null,
        project: row[27],
        team: row[28],
        assignee: listOf<TaskPerson>(row[35]),
        attachments: listOf<Attachment>(row[36]),
        branch: row[30],
        acknowledgedAt: row[22],
        sourceMessageId: row[26],
        createdAt: row[23],
        updatedAt: row[24],
        revision: row[3],
      },
      claim: claimOf(row),
      // Not the number that is kept for the index: that one may lag behind a blocker with very many dependants.
      openBlockers: blockers.filter(([, status]) => !isFinished(status)).length,
      cancelledBlockers: blockers.filter(([, status]) => status === "Cancelled").length,
      children: { all: row[10], open: row[11], done: row[12] },
      ...(row[46] === null || row[46] === "[]" ? notHeldUp : heldUp(row[46])),
    },
  };
}

function claimOf(row: TaskRow): TaskClaim | null {
  const [token, by, claimedAt, leaseMs, leaseUntilAt, leftMs] = row.slice(13, 19) as [
    string | null,
    string | null,
    number | null,
    number | null,
    number | null,
    number | null,
  ];
  if (token === null || by === null || claimedAt === null || leaseMs === null) return null;
  return { token, by, claimedAt, leaseMs, leaseUntilAt, leftMs };
}

function listOf<Value>(text: string): readonly Value[] {
  return text === "[]" ? [] : (JSON.parse(text) as Value[]);
}

type HeldUp = Pick<StoredTask, "parkedFor" | "leftBy">;
const notHeldUp: HeldUp = { parkedFor: [], leftBy: [] };

function heldUp(text: string): HeldUp {
  const parts = JSON.parse(text) as [string, string, number, 0 | 1][];
  const those = (wanted: 0 | 1): QuestionId[] =>
    parts
      .filter(([, , , open]) => open === wanted)
      .map(([run, part, seq]) => mintQuestionId(run as RunId, part, seq));
  return { parkedFor: those(1), leftBy: those(0) };
}
