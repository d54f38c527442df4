import type { NextTask } from "../../app/board/api.ts";
import { fail, plain, printJson, printResult, say } from "../print.ts";
import { type Call, type Exit, textOption, textOptions, type Verb, type VerbOption } from "../verb.ts";
import { projectOption, withBoard } from "./board.ts";
import { beginLines, findingText, table, taskShape } from "./words.ts";

/** So many Ready tasks are looked at, here and by a claim. */
const mostLookedAt = 500;

export const choosing: readonly VerbOption[] = [
  {
    flags: "--for <executor>",
    text: "only tasks of this executor, such as claude-code or human; may be given more than once",
    many: true,
  },
  { flags: "--owner <name>", text: "only theirs: assigned to them, or to nobody and made by them" },
];

/** Which tasks come into question. */
export function chosen(call: Call): { readonly executors?: readonly string[]; readonly owner?: string } {
  const executors = textOptions(call, "for");
  const owner = textOption(call, "owner");
  return {
    ...(executors.length > 0 ? { executors } : {}),
    ...(owner === undefined ? {} : { owner }),
  };
}

export const verb: Verb = {
  usage: "",
  description:
    "The task to begin now: the first that is Ready, that nothing blocks, and that can be begun on this machine. It changes nothing; owlpost task claim begins it.",
  options: [
    ...choosing,
    { flags: "--all", text: "every Ready task that nothing blocks, and why one cannot be begun" },
    projectOption,
  ],
  examples: [
    ["owlpost task next", "what to begin now"],
    ["owlpost task next --json --for claude-code", "for a loop; exit 4 when there is none"],
    ["owlpost task next --all", "why nothing can be begun"],
  ],
  run: (call) =>
    withBoard(
      call,
      async (board) => {
        if (call.options.all === true)
          return printAll(call, await board.next({ ...chosen(call), limit: mostLookedAt }));
        const [first] = await board.next(chosen(call));
        // The first is nearly always the one.
        const found =
          first === undefined || first.findings.length === 0
            ? first
            : (await board.next({ ...chosen(call), limit: mostLookedAt })).find(
                ({ findings }) => findings.length === 0,
              );
        if (!found) return none(call, first);
        const { task } = found.stored;
        if (call.json) await printJson(call, { task: taskShape(task) });
        else await printResult(call, beginLines(task).join("\n"));
        return 0;
      },
      { brief: true },
    ),
};

function none(call: Call, first: NextTask | undefined): Promise<Exit> {
  const message =
    first === undefined
      ? `no ${Object.keys(chosen(call)).length > 0 ? "such task" : "task"} is Ready that nothing blocks; owlpost task list shows those there are`
      : `no Ready task can be begun here. The first is ${first.stored.task.id}: ${first.findings.map(findingText).join(" ")} owlpost task next --all shows each`;
  return fail(call, 4, "nothing-ready", call.json ? message : plain(message));
}

async function printAll(call: Call, found: readonly NextTask[]): Promise<Exit> {
  if (call.json) {
    await printJson(call, {
      results: found.map(({ stored, findings }) => ({ task: taskShape(stored.task), findings })),
    });
  } else if (found.length > 0) {
    const rows = found.map(({ stored: { task }, findings }) => [
      task.id,
      task.priority ?? "",
      plain(task.executor ?? ""),
      findings.length === 0 ? "yes" : "no",
      plain([task.title, ...findings.map(findingText)].join("  ")),
    ]);
    await printResult(call, table(["ID", "PRIORITY", "EXECUTOR", "NOW", "TITLE"], rows).join("\n"));
  } else await say(call, "No task is Ready that nothing blocks.");
  return found.some(({ findings }) => findings.length === 0) ? 0 : 4;
}
