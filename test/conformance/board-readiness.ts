import { checkStructure, type Structure } from "../../src/core/board/readiness.ts";
import type { Finding } from "../../src/domain/board.ts";
import type { TaskStatus } from "../../src/domain/task.ts";
import { type CaseKind, type Fields, isCaseList, judge } from "./case-kind.ts";

/** `board/readiness.json`: the structural checks for a move to a status. */
export const caseKind: CaseKind = {
  name: "board readiness",
  knows: (file) => isCaseList(file.content, "target", "task", "expect"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) => {
      const expect = each.expect as { errors: readonly Finding[]; warnings: readonly Finding[] };
      const wanted = { errors: pairs(expect.errors), warnings: pairs(expect.warnings) };
      return judge(String(each.id), wanted, () => {
        const { errors, warnings } = checkStructure(
          each.target as TaskStatus,
          structure(each.task as Fields),
        );
        return { errors: pairs(errors), warnings: pairs(warnings) };
      });
    }),
};

function structure(task: Fields): Structure {
  const text = (name: string): string => String(task[name] ?? "");
  return {
    description: text("description"),
    acceptanceCriteria: text("acceptanceCriteria"),
    executionPlan: text("executionPlan"),
    issuer: task.issuer === true,
    assigneeCount: Number(task.assigneeCount),
    priority: task.priority as string | null,
    executor: task.executor as string | null,
    workingDirectory: text("workingDirectory"),
    branch: text("branch"),
    agentOutput: text("agentOutput"),
    errorMessage: text("errorMessage"),
    createdBeforeOutputRule: Date.parse(text("createdAt")) < Date.parse("2026-04-14T00:00:00Z"),
    qualityVerdict: text("qualityVerdict"),
    hasParent: task.parentTaskId !== null,
    hasChildren: task.hasChildren === true,
  };
}

function pairs(findings: readonly Finding[]): string[] {
  return findings.map(({ field, rule }) => `${field}: ${rule}`).sort();
}
