import { isProjectName, questionId, runId, taskId } from "../domain/ids.ts";
import type { TakeOptions } from "./types.ts";

type Names = Pick<TakeOptions, "task" | "run" | "project" | "question">;

const rules: Readonly<
  Record<keyof Names, { readonly holds: (name: string) => unknown; readonly says: string }>
> = {
  task: { holds: taskId, says: "small letters, digits and dashes, such as 012-fix-auth" },
  run: { holds: runId, says: "1 to 8 small letters and digits, such as a3f2" },
  project: { holds: isProjectName, says: "letters, digits, `.`, `_` and `-`, at most 64" },
  question: { holds: questionId, says: "a question's id, such as q-a3f2-012-fix-auth-1" },
};

/**
 * A name outside its grammar belongs to no question: said at once, not answered with "nothing yet" for ever.
 *
 * @throws TypeError
 */
export function checkNames(names: Names): void {
  for (const name of Object.keys(rules) as (keyof Names)[]) {
    const given: unknown = names[name];
    if (given === undefined) continue;
    const { holds, says } = rules[name];
    if (typeof given === "string" && holds(given)) continue;
    throw new TypeError(`\`${name}\` needs ${says} (found ${JSON.stringify(given)?.slice(0, 80)})`);
  }
}

/** @throws TypeError */
export function checkKey(key: unknown): void {
  if (key === undefined) return;
  if (typeof key !== "string" || key.length < 1 || key.length > 200)
    throw new TypeError("`key` needs 1 to 200 characters: asks with the same key are the same ask");
  if (key.startsWith("hook:"))
    throw new TypeError(
      "a `key` that begins with hook: is one of agents' hooks, and a take leaves it alone: choose another",
    );
}
