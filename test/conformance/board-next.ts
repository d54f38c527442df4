import { compareNext, isActionable } from "../../src/core/board/next.ts";
import type { TaskId } from "../../src/domain/ids.ts";
import type { Priority, TaskStatus } from "../../src/domain/task.ts";
import { type CaseKind, type Fields, isCaseList, judge } from "./case-kind.ts";

type Given = {
  readonly id: TaskId;
  readonly status: TaskStatus;
  readonly priority: Priority | null;
  readonly dueDate: string | null;
  readonly createdAt: string;
  readonly blockedBy: readonly TaskId[];
};

/** `board/next-task.json`: the Ready and actionable tasks, in the order in which they are offered. */
export const caseKind: CaseKind = {
  name: "board next",
  knows: (file) =>
    isCaseList(file.content, "tasks", "expect") && file.content.every((each) => Array.isArray(each.expect)),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) =>
      judge(String(each.id), each.expect, () => {
        const tasks = each.tasks as readonly Given[];
        const statuses = new Map<string, TaskStatus>(tasks.map(({ id, status }) => [id, status]));
        return tasks
          .filter(({ status, blockedBy }) => isActionable(status, blockedBy, (id) => statuses.get(id)))
          .map((task) => ({ ...task, createdAt: Date.parse(task.createdAt) }))
          .sort(compareNext)
          .map(({ id }) => id);
      }),
    ),
};
