import { decideChange } from "../../src/core/board/change.ts";
import { decideCreate } from "../../src/core/board/create.ts";
import { isActionable } from "../../src/core/board/next.ts";
import type { BoardSettings } from "../../src/core/board/settings.ts";
import { specHash } from "../../src/core/board/verdict.ts";
import type { TaskId } from "../../src/domain/ids.ts";
import type { Task, TaskStatus } from "../../src/domain/task.ts";
import { evening } from "../builders.ts";
import { aTaskRow, memoryBoard } from "../memory-board.ts";
import { type CaseKind, type Fields, isCaseList, judge } from "./case-kind.ts";

type Given = {
  readonly id: string;
  readonly status: TaskStatus;
  readonly parent?: string;
  readonly blockedBy?: readonly TaskId[];
  readonly requiresReview?: boolean;
};
type Action =
  | { readonly type: "set-status"; readonly task: TaskId; readonly to: TaskStatus }
  | { readonly type: "create"; readonly task: Given }
  | { readonly type: "set-parent"; readonly task: TaskId; readonly parent: TaskId | null }
  | { readonly type: "set-blocked-by"; readonly task: TaskId; readonly blockedBy: readonly TaskId[] };

const settings: BoardSettings = {
  now: evening,
  iso: "2026-07-06T21:00:00.000Z",
  actor: { kind: "person", name: "eric" },
  directories: new Set(["/srv/app"]),
};

/** `board/cascade.json`: one action on a small board, whose own conditions count as met, and the board afterwards. */
export const caseKind: CaseKind = {
  name: "board cascade",
  knows: (file) => isCaseList(file.content, "tasks", "action", "expect"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) => {
      const expect = each.expect as Fields;
      return judge(String(each.id), expect.refused ? { refused: true } : sorted(expect), () => {
        const board = memoryBoard((each.tasks as readonly Given[]).map(row));
        const before = board.statuses();
        const taken = act(board, each.action as Action);
        if (!taken) {
          if (JSON.stringify(board.statuses()) !== JSON.stringify(before))
            throw new Error("something changed");
          return { refused: true };
        }
        const tasks = board.all();
        const statuses = new Map<string, TaskStatus>(tasks.map(({ id, status }) => [id, status]));
        return sorted({
          statuses: Object.fromEntries(statuses),
          ...("actionable" in expect
            ? {
                actionable: tasks
                  .filter(({ status, blockedBy }) =>
                    isActionable(status, blockedBy, (id) => statuses.get(id)),
                  )
                  .map(({ id }) => id),
                flagged: tasks
                  .filter(({ id }) => (board.get(id)?.cancelledBlockers ?? 0) > 0)
                  .map(({ id }) => id),
              }
            : {}),
        });
      });
    }),
};

function act(board: ReturnType<typeof memoryBoard>, action: Action): boolean {
  if (action.type === "create") {
    const { id, status, parent, blockedBy } = action.task;
    const parentTask = (parent ?? null) as TaskId | null;
    return board.run({ tasks: [id as TaskId, ...(parentTask ? [parentTask] : [])] }, (snapshot) =>
      decideCreate(
        snapshot,
        {
          board: "shop",
          id: id as TaskId,
          status,
          issuer: "eric",
          fields: { title: id, parentTask, blockedBy: blockedBy ?? [] },
        },
        settings,
      ),
    ).ok;
  }
  const named = {
    "set-status": [],
    "set-parent": action.type === "set-parent" && action.parent !== null ? [action.parent] : [],
    "set-blocked-by": action.type === "set-blocked-by" ? action.blockedBy : [],
  }[action.type];
  return board.run({ tasks: [action.task, ...named] }, (snapshot) =>
    decideChange(
      snapshot,
      {
        id: action.task,
        approved: true,
        changesRequested: true,
        fields:
          action.type === "set-parent"
            ? { parentTask: action.parent }
            : action.type === "set-blocked-by"
              ? { blockedBy: action.blockedBy }
              : { agentOutput: "It is done.", errorMessage: "It stands still." },
        ...(action.type === "set-status" ? { status: action.to } : {}),
      },
      settings,
    ),
  ).ok;
}

/** Everything that a move may need is there. */
function row({ id, parent, ...rest }: Given): Task {
  const task = aTaskRow({
    id,
    description: "Build the login page with the existing form kit and keep the old URL working.",
    acceptanceCriteria: "- the suite passes",
    executionPlan: "1. write it",
    executor: "human",
    assignee: [{ id: "eric", name: "eric" }],
    parentTask: (parent ?? null) as TaskId | null,
    ...rest,
  });
  return { ...task, qualityVerdict: `PASS hash=${specHash(task)} @2026-07-06T20:00:00Z v2` };
}

function sorted(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [
        name,
        Array.isArray(value)
          ? [...value].sort()
          : Object.fromEntries(Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1))),
      ]),
  );
}
