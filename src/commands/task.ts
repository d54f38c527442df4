import { fail } from "./print.ts";
import type { Verb, Verbs } from "./verb.ts";

const verbs: Verbs = {
  create: { summary: "put a task on the board", load: () => import("./task/create.ts") },
  list: {
    summary: "the tasks, in the order in which they are offered",
    load: () => import("./task/list.ts"),
  },
  next: { summary: "the task to begin now", load: () => import("./task/next.ts") },
  show: { summary: "one task, whole", load: () => import("./task/show.ts") },
  edit: { summary: "change what a task says", load: () => import("./task/edit.ts") },
  move: { summary: "move a task to another status", load: () => import("./task/move.ts") },
  claim: { summary: "begin a task: nobody else gets it", load: () => import("./task/claim.ts") },
  heartbeat: { summary: "keep a claim alive", load: () => import("./task/heartbeat.ts") },
  release: { summary: "give a claim back", load: () => import("./task/release.ts") },
  review: { summary: "judge whether a task says enough", load: () => import("./task/review.ts") },
  import: { summary: "take tasks over from elsewhere", load: () => import("./task/import.ts") },
  export: { summary: "every task, as JSON lines", load: () => import("./task/export.ts") },
};

export const verb: Verb = {
  usage: "",
  description:
    "The board of tasks of a project: what is to be done, in which order, and who works on it. A question that names a task of the board parks it until the answer is taken.",
  verbs,
  otherWords: {
    add: "owlpost task create TITLE",
    new: "owlpost task create TITLE",
    ls: "owlpost task list",
    start: "owlpost task claim TASK",
    begin: "owlpost task claim TASK",
    done: "owlpost task move TASK done --output TEXT",
    finish: "owlpost task move TASK done --output TEXT",
    complete: "owlpost task move TASK done --output TEXT",
    block: "owlpost task move TASK blocked --why TEXT",
    approve: "owlpost task move TASK done --approve",
    cancel: "owlpost task move TASK cancelled",
    delete: "owlpost task move TASK cancelled",
    remove: "owlpost task move TASK cancelled",
    rm: "owlpost task move TASK cancelled",
  },
  examples: [
    ["owlpost task next", "the task to begin now"],
    ["owlpost task claim --json", "begin it, under a claim that must be kept alive"],
    ['owlpost task move 012-fix-auth done --output "Rotation is in"', "it is done"],
  ],
  run: (call) => fail(call, 2, "bad-usage", `name what to do: ${Object.keys(verbs).join(", ")}`),
};
