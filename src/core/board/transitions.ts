import { type TaskStatus, taskStatuses } from "../../domain/task.ts";

/**
 * Who moves a task: a person or agent that asks for it, the board itself because of parents and children, the end of a
 * lease, whoever gives a claim back, or a question that parks the task and its answer.
 */
export type Mover = "user" | "cascade" | "lapse" | "release" | "question";

export const needs = [
  "layer1",
  "description",
  "acceptance_criteria",
  "execution_plan",
  "assignee",
  "verdict_v2_pass",
  "executor",
  "dispatched_at",
  "dispatch_ready",
  "requires_review",
  "no_review_required",
  "agent_output",
  "error_message",
  "review_approved",
  "changes_requested",
  "same_claim",
  "audited",
] as const;
export type Need = (typeof needs)[number];

type Rule = {
  readonly from: TaskStatus;
  readonly to: TaskStatus;
  readonly by: Mover;
  readonly needs: readonly Need[];
};

const waggle: readonly Rule[] = [
  {
    from: "Backlog",
    to: "Ready",
    by: "user",
    needs: ["layer1", "description", "acceptance_criteria", "execution_plan", "assignee", "verdict_v2_pass"],
  },
  {
    from: "Ready",
    to: "In Progress",
    by: "user",
    needs: ["layer1", "executor", "dispatched_at", "dispatch_ready"],
  },
  { from: "In Progress", to: "In Review", by: "user", needs: ["requires_review", "agent_output"] },
  { from: "In Progress", to: "Done", by: "user", needs: ["no_review_required", "agent_output"] },
  { from: "In Progress", to: "Blocked", by: "user", needs: ["error_message"] },
  { from: "In Review", to: "Done", by: "user", needs: ["review_approved", "agent_output"] },
  { from: "In Review", to: "In Progress", by: "user", needs: ["changes_requested"] },
];

/** What the board's own flows need beside the table; each leaves an event of its own. */
const added: readonly Rule[] = [
  { from: "Backlog", to: "Blocked", by: "user", needs: ["audited"] },
  { from: "Ready", to: "Blocked", by: "user", needs: ["audited"] },
  { from: "Blocked", to: "Ready", by: "user", needs: ["layer1", "audited"] },
  { from: "Blocked", to: "In Progress", by: "user", needs: ["same_claim", "audited"] },
  { from: "Done", to: "In Progress", by: "cascade", needs: ["audited"] },
  { from: "In Progress", to: "Ready", by: "lapse", needs: ["audited"] },
  { from: "In Progress", to: "Ready", by: "release", needs: ["same_claim", "audited"] },
  { from: "In Progress", to: "Blocked", by: "question", needs: ["audited"] },
  { from: "Blocked", to: "Ready", by: "question", needs: ["audited"] },
  { from: "Blocked", to: "In Progress", by: "question", needs: ["same_claim", "audited"] },
];

const fromAny: readonly Rule[] = taskStatuses.flatMap((from) => [
  ...(["Backlog", "Cancelled"] as const)
    .filter((to) => to !== from)
    .map((to): Rule => ({ from, to, by: "user", needs: [] })),
  // A Cancelled parent stays.
  ...(from === "Done" || from === "Cancelled"
    ? []
    : [{ from, to: "Done", by: "cascade", needs: [] } satisfies Rule]),
]);

/** Every move that exists. What is not listed is refused. */
export const transitions: readonly Rule[] = [...waggle, ...added, ...fromAny];

export type MoveRule =
  | { readonly kind: "no-op" }
  | { readonly kind: "refused" }
  | { readonly kind: "allowed"; readonly needs: readonly Need[] };

/** May a task go from one status to another, and under which conditions? The same status is no move. */
export function moveRule(from: TaskStatus, to: TaskStatus, by: Mover): MoveRule {
  if (from === to) return { kind: "no-op" };
  const rule = transitions.find((each) => each.from === from && each.to === to && each.by === by);
  return rule ? { kind: "allowed", needs: rule.needs } : { kind: "refused" };
}

/** What Ready needs of a task that nobody has judged yet. */
export const readyNeeds: readonly Need[] =
  waggle.find(({ from, to }) => from === "Backlog" && to === "Ready")?.needs ?? [];

/** Where a task may go from here when somebody asks for it. */
export function movesFrom(from: TaskStatus): readonly TaskStatus[] {
  return transitions.filter((each) => each.from === from && each.by === "user").map(({ to }) => to);
}
