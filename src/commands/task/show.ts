import type { Config } from "../../app/config.ts";
import type { Finding, InferredLine } from "../../domain/board.ts";
import type { StoredTask } from "../../domain/task.ts";
import { localTime } from "../local-time.ts";
import { fail, plain, printJson, printResult } from "../print.ts";
import { argument, type Verb } from "../verb.ts";
import { projectOption, withBoard } from "./board.ts";
import { findingText, heldShape, leaseWords, taskShape } from "./words.ts";

export const verb: Verb = {
  usage: "<task>",
  description: "One task, whole: what it says, where it stands, who works on it and what it waits for.",
  options: [projectOption],
  examples: [
    ["owlpost task show 012-fix-auth", "for people"],
    ["owlpost task show 012-fix-auth --json", "for programs"],
  ],
  run: (call) =>
    withBoard(
      call,
      async (board, config) => {
        const id = argument(call, 0);
        const stored = await board.stored(id);
        if (!stored) {
          const message = `there is no task ${id} on the board ${board.name}; owlpost task list shows those there are`;
          return fail(call, 3, "no-such-task", plain(message));
        }
        const inferred = board.inferred(stored.task);
        const advice = board.advice(stored);
        if (call.json) {
          const { task, claim, openBlockers, cancelledBlockers, children, parkedFor } = stored;
          await printJson(call, {
            task: taskShape(task),
            claim: claim && heldShape(claim),
            open_blockers: openBlockers,
            cancelled_blockers: cancelledBlockers,
            children,
            parked_for: parkedFor,
            unconfirmed: inferred.map(({ n, field, text }) => ({ line: n, field, text })),
            advice,
          });
        } else await printResult(call, [...lines(stored, inferred, config), ...advised(advice)].join("\n"));
        return 0;
      },
      { brief: true },
    ),
};

function lines(stored: StoredTask, inferred: readonly InferredLine[], { zone }: Config): readonly string[] {
  const { task, claim, openBlockers, cancelledBlockers, children, parkedFor } = stored;
  const row = (name: string, value: string | null | undefined): string[] =>
    value ? [`${`${name}:`.padEnd(14)}${plain(value)}`] : [];
  const text = (name: string, value: string): string[] =>
    value.trim() === "" ? [] : ["", `${name}:`, ...value.split(/\r\n?|\n/).map((line) => `  ${plain(line)}`)];
  const blockers =
    task.blockedBy.length > 0 ? `${task.blockedBy.join(", ")} (${openBlockers} still open)` : "";
  return [
    `${task.id}  ${plain(task.title)}`,
    ...row("Status", task.status),
    ...row("Held up by", task.status === "Blocked" ? task.errorMessage : ""),
    ...row("Waits for", parkedFor.join(", ")),
    ...row("Claimed by", claim ? `${claim.by}, ${leaseWords(claim, zone)}` : ""),
    ...row("Priority", task.priority),
    ...row("Due", task.dueDate),
    ...row("Starts", task.startDate),
    ...row("Executor", task.executor),
    ...row("Assignee", task.assignee.map(({ name }) => name).join(", ")),
    ...row("Issuer", task.issuer.name),
    ...row("Needs review", task.requiresReview ? "yes" : ""),
    ...row("Blocked by", blockers),
    ...row("Look at", cancelledBlockers > 0 ? `${cancelledBlockers} of its blockers were cancelled` : ""),
    ...row("Part of", task.parentTask),
    ...row("Parts", children.all > 0 ? `${children.done} of ${children.all} done` : ""),
    ...row("Group", task.project),
    ...row("Team", task.team),
    ...row("Tags", task.tags.join(", ")),
    ...row("Folder", task.workingDirectory),
    ...row("Repository", task.repository),
    ...row("Branch", task.branch),
    ...row("Session", task.sessionReference),
    ...row("Verdict", task.qualityVerdict),
    ...row("Files", task.attachments.map(({ name, url }) => `${name} ${url}`).join(", ")),
    ...row("Dispatched", task.dispatchedAt === null ? "" : localTime(task.dispatchedAt, zone)),
    ...row("Made", localTime(task.createdAt, zone)),
    ...row("Changed", localTime(task.updatedAt, zone)),
    ...text("Description", task.description),
    ...text("Acceptance criteria", task.acceptanceCriteria),
    ...text("Execution plan", task.executionPlan),
    ...text("Context", task.context),
    ...text("Artifacts", task.artifacts),
    ...text("Error message", task.status === "Blocked" ? "" : task.errorMessage),
    ...text("Output", task.agentOutput),
    ...unconfirmed(task.id, inferred),
  ];
}

function advised(advice: readonly Finding[]): readonly string[] {
  if (advice.length === 0) return [];
  return ["", "Recommended:", ...advice.map((each) => `  ${findingText(each)}`)];
}

/** Lines that a program has guessed, with their numbers. */
function unconfirmed(id: string, inferred: readonly InferredLine[]): readonly string[] {
  if (inferred.length === 0) return [];
  return [
    "",
    `Guessed, and confirmed by nobody yet (owlpost task review ${id} --confirm-line N):`,
    ...inferred.map(({ n, text }) => `  ${n}  ${plain(text)}`),
  ];
}
