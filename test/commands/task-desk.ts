import { afterEach, beforeEach } from "vitest";
import { passFor, wholeSpec } from "../contract/provider.ts";
import { aDesk, type Desk, type RunOptions } from "./desk.ts";

/** A desk at which a person or, with `agent`, a program works with the board. */
export type TaskDesk = Desk & {
  /** Exit code and JSON of `owlpost task …`. */
  task(...line: string[]): Promise<Record<string, unknown>>;
  agent(...line: string[]): Promise<Record<string, unknown>>;
  /** What people see: exit code, standard output and standard error. */
  shown(...line: string[]): Promise<readonly [exit: number, out: string, err: string]>;
  /** A task with all that it needs; Ready unless something else is given. */
  ready(id: string, changes?: Record<string, unknown>): Promise<void>;
};

export const env = { WAGGLE_USER_ID: "eric" };

/** A fresh desk for every test of the file. */
export function aTaskDesk(): () => TaskDesk {
  let desk: TaskDesk;
  beforeEach(() => {
    desk = opened();
  });
  afterEach(() => desk.remove());
  return () => desk;
}

function opened(): TaskDesk {
  const desk = aDesk();
  const json = async (line: readonly string[], options: RunOptions = {}) => {
    const ran = await desk.run(["task", ...line, "--json"], { ...options, env: { ...env, ...options.env } });
    return { exit: ran.exit, ...ran.json };
  };
  return {
    ...desk,
    task: (...line) => json(line),
    agent: (...line) => json(line, { env: { OWLPOST_AS: "agent" } }),
    async shown(...line) {
      const { exit, out, err } = await desk.run(["task", ...line], { env });
      return [exit, out, err];
    },
    async ready(id, changes = {}) {
      const spec = { ...wholeSpec, ...changes };
      const stdin = JSON.stringify({ id, status: "ready", qualityVerdict: passFor(spec), ...spec });
      const made = await json(["create", "--file", "-"], { stdin });
      if (made.exit !== 0) throw new Error(JSON.stringify(made));
    },
  };
}
