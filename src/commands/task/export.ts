import { resolve } from "node:path";
import type { Board } from "../../app/board/api.ts";
import { fail, plain, printJson, say } from "../print.ts";
import type { Call, Exit, Verb } from "../verb.ts";
import { projectOption, withBoard } from "./board.ts";
import { progress } from "./progress.ts";

/** Written at once. */
const chunkLength = 65_536;

export const verb: Verb = {
  usage: "[file]",
  description:
    'Every task of the board, the oldest first: one JSON document a line, to a file or standard output. With --json and no file one document, {"results": […]}. owlpost task import reads both. Claims stay here: they are tokens of this machine.',
  options: [projectOption],
  examples: [
    ["owlpost task export tasks.jsonl", "to a file"],
    ['owlpost task export | grep \'"status":"Done"\'', "to a program"],
  ],
  run: (call) =>
    withBoard(
      call,
      async (board) => {
        const file = call.args[0];
        if (file !== undefined) return toFile(call, board, resolve(call.io.cwd, file));
        await toOutput(call, board);
        return 0;
      },
      { brief: true },
    ),
};

async function toFile(call: Call, board: Board, path: string): Promise<Exit> {
  const { writeLines } = await import("../../app/board/export-file.ts");
  const counter = progress(call, "Exported");
  const written = await writeLines(path, board.export(), counter.count).finally(counter.end);
  if (!written.ok) return fail(call, 2, "bad-file", plain(written.message));
  if (call.json) await printJson(call, { file: path, tasks: written.lines });
  else
    await say(call, `${written.lines} ${written.lines === 1 ? "task is" : "tasks are"} in ${plain(path)}.`);
  return 0;
}

async function toOutput(call: Call, board: Board): Promise<void> {
  const { stdout } = call.io;
  const counter = progress(call, "Exported");
  const [begin, between, end] = call.json ? ['{"results":[', ",", "]}\n"] : ["", "\n", "\n"];
  let text = begin;
  let lines = 0;
  for await (const line of board.export()) {
    text += lines === 0 ? line : `${between}${line}`;
    lines += 1;
    counter.count(lines);
    if (text.length < chunkLength) continue;
    await stdout.write(text);
    text = "";
  }
  await counter.end();
  if (lines > 0 || call.json) await stdout.write(text + end);
}
