import { taskId } from "../../domain/ids.ts";
import type { TaskFilter, TaskSort } from "../../domain/provider.ts";
import { taskSorts } from "../../domain/provider.ts";
import { isFinished, type Priority, priorities, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import { fail, printJson, printResult, say } from "../print.ts";
import { type Call, textOption, textOptions, type Verb } from "../verb.ts";
import { projectOption, refuse, withBoard } from "./board.ts";
import { statusNamed, statusUsage, taskShape, taskTable } from "./words.ts";

export const verb: Verb = {
  usage: "",
  description:
    "The tasks of the board, in the order in which they are offered: those that are not finished, unless something else is asked for.",
  options: [
    { flags: "--status <status>", text: "only these; may be given more than once", many: true },
    { flags: "--all", text: "Done and Cancelled ones, too" },
    { flags: "--priority <priority>", text: "urgent, high, medium, low or none", many: true },
    { flags: "--executor <name>", text: "only of these; none: that name nobody", many: true },
    { flags: "--assignee <name>", text: "only theirs; none: that are nobody's" },
    { flags: "--issuer <name>", text: "only those that they made" },
    { flags: "--parent <task>", text: "only the parts of this task; none: that are no part of another" },
    { flags: "--tag <tag>", text: "only with this tag" },
    { flags: "--group <words>", text: "only of this group (the field project)" },
    { flags: "--ready", text: "only those that can be begun: Ready, and nothing blocks them" },
    { flags: "--sort <order>", text: "priority (default), due or created" },
    { flags: "--limit <n>", text: "at most so many, 1 to 1000 (default: 50)" },
    { flags: "--after <place>", text: "the next page: what the one before has printed" },
    projectOption,
  ],
  examples: [
    ["owlpost task list", "what is to be done"],
    ["owlpost task list --status blocked --status in-review", "what waits for somebody"],
    ["owlpost task list --all --json --limit 1000", "for programs"],
  ],
  async run(call) {
    const filter = filterOf(call);
    if (typeof filter === "string") return fail(call, 2, "bad-usage", filter);
    const sort = textOption(call, "sort") ?? "priority";
    if (!isSort(sort)) return fail(call, 2, "bad-usage", `--sort is one of ${taskSorts.join(", ")}`);
    const limit = textOption(call, "limit") ?? "50";
    if (!/^[1-9]\d{0,3}$/.test(limit))
      return fail(call, 2, "bad-usage", "--limit is a number from 1 to 1000");
    const after = textOption(call, "after");
    return withBoard(
      call,
      async (board) => {
        const page = await board.queryTasks({
          filter,
          sort,
          limit: Number(limit),
          ...(after === undefined ? {} : { after }),
        });
        if (!("results" in page)) return refuse(call, page);
        if (call.json) {
          await printJson(call, { results: page.results.map(taskShape), next: page.next });
          return 0;
        }
        if (page.results.length === 0) {
          const isDefault = textOptions(call, "status").length === 0;
          await say(call, emptyWords(filter, board.name, isDefault));
          return 0;
        }
        await printResult(call, taskTable(page.results).join("\n"));
        if (page.next !== undefined) await say(call, `There are more: add --after ${page.next}`);
        return 0;
      },
      { brief: true },
    );
  },
};

/** `isDefault`: no status was asked for. */
function emptyWords({ status, ...others }: TaskFilter, board: string, isDefault: boolean): string {
  if (Object.keys(others).length > 0)
    return `No such task on the board ${board}${status === undefined ? "" : "; finished ones are shown with --all"}.`;
  return status === undefined
    ? `The board ${board} is empty. owlpost task create makes a task.`
    : `No ${isDefault ? "open" : "such"} task on the board ${board}. owlpost task create makes one, and --all shows finished ones.`;
}

function isSort(text: string): text is TaskSort {
  return (taskSorts as readonly string[]).includes(text);
}

/** What the options ask for, or what is wrong with them. */
function filterOf(call: Call): TaskFilter | string {
  const status: TaskStatus[] = [];
  for (const text of textOptions(call, "status")) {
    const named = statusNamed(text);
    if (!named) return `there is no status ${text}; ${statusUsage}`;
    status.push(named);
  }
  const priority: (Priority | null)[] = [];
  for (const text of textOptions(call, "priority")) {
    const named = priorities.find((each) => each.toLowerCase() === text.toLowerCase());
    if (!named && text !== "none") return "--priority is one of urgent, high, medium, low, none";
    priority.push(named ?? null);
  }
  const parent = textOption(call, "parent");
  const parentTask = parent === undefined || parent === "none" ? null : taskId(parent);
  if (parentTask === undefined) return "--parent needs a task's id, or none";
  const open = taskStatuses.filter((each) => !isFinished(each));
  const executors = textOptions(call, "executor");
  const [assignee, issuer, tag, group] = ["assignee", "issuer", "tag", "group"].map((name) =>
    textOption(call, name),
  );
  return {
    ...(status.length > 0 ? { status } : call.options.all === true ? {} : { status: open }),
    ...(priority.length > 0 ? { priority } : {}),
    ...(executors.length > 0 ? { executor: executors.map(orNone) } : {}),
    ...(assignee === undefined ? {} : { assignee: orNone(assignee) }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(parent === undefined ? {} : { parentTask }),
    ...(tag === undefined ? {} : { tag }),
    ...(group === undefined ? {} : { project: group }),
    ...(call.options.ready === true ? { actionable: true } : {}),
  };
}

function orNone(text: string): string | null {
  return text === "none" ? null : text;
}
