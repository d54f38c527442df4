import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Task } from "../../src/domain/task.ts";
import { benchFolder } from "./home.ts";

/** Another program that keeps tasks, with the same tasks; or why it cannot be had. */
export type TaskPeer =
  | { readonly ok: true; readonly version: string; next(): void }
  | { readonly ok: false; readonly why: string };

/** taskwarrior, with a folder and settings of its own. */
export function taskwarrior(tasks: readonly Task[]): TaskPeer {
  const version = said("task", ["--version"], {});
  if (version === undefined) return { ok: false, why: "task is not installed (apt-get install taskwarrior)" };
  const folder = mkdtempSync(join(benchFolder(), "taskwarrior-"));
  const env = { ...process.env, TASKRC: join(folder, "taskrc"), TASKDATA: folder, HOME: folder };
  writeFileSync(env.TASKRC, `data.location=${folder}\nconfirmation=off\n`);
  const uuids = new Map(
    tasks.map(({ id }, n) => [id, `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`]),
  );
  const documents = tasks.map((task) => ({
    uuid: uuids.get(task.id),
    status: "pending",
    description: task.title,
    entry: compact(task.createdAt),
    modified: compact(task.updatedAt),
    project: task.board,
    tags: task.tags,
    ...(task.priority === null
      ? {}
      : { priority: { Urgent: "H", High: "H", Medium: "M", Low: "L" }[task.priority] }),
    ...(task.dueDate === null ? {} : { due: `${task.dueDate.replaceAll("-", "")}T000000Z` }),
    ...(task.blockedBy.length === 0 ? {} : { depends: task.blockedBy.map((id) => uuids.get(id)) }),
    annotations: [task.description, task.acceptanceCriteria, task.executionPlan, task.context].map(
      (text, n) => ({
        entry: compact(task.createdAt + n * 1000),
        description: text.replaceAll("\n", " "),
      }),
    ),
  }));
  writeFileSync(join(folder, "tasks.json"), JSON.stringify(documents));
  must("task", ["import", join(folder, "tasks.json")], env);
  return { ok: true, version, next: () => must("task", ["next", "limit:1"], env) };
}

function compact(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
}

const backlogPackage = "backlog.md@1.52.0";

/** Backlog.md, without Git, which is its fastest way; installed for this run where it is not on the path. */
export function backlogMd(tasks: readonly Task[]): TaskPeer {
  const program = backlogProgram();
  if (program === undefined)
    return { ok: false, why: `backlog is not installed, and npm install ${backlogPackage} failed` };
  const folder = mkdtempSync(join(benchFolder(), "backlog-"));
  const env = { ...process.env, HOME: folder };
  const run = (...args: string[]): string => must(program, args, env, folder);
  run("init", "bench", "--no-git", "--defaults");
  // The first is made by itself, and the others are written as that one was.
  const [first, ...others] = tasks;
  if (!first) throw new Error("there are no tasks");
  run("task", "create", first.title, "--plain");
  const place = join(folder, "backlog", "tasks");
  const sample = readdirSync(place)[0] ?? "";
  const fields = readFileSync(join(place, sample), "utf8").split("\n---\n")[0] ?? "";
  const id = /^id: (.*?)1$/m.exec(fields)?.[1];
  const prefix = /^(.*?)1 - /.exec(sample)?.[1];
  if (id === undefined || prefix === undefined)
    throw new Error(`no task of Backlog.md looks like this:\n${fields}`);
  const numbers = new Map(tasks.map((task, n) => [task.id, n + 1]));
  const file = (task: Task): string => {
    const head = fields
      .replace(/^id: .*$/m, `id: ${id}${numbers.get(task.id)}`)
      .replace(/^ordinal: .*$/m, `ordinal: ${(numbers.get(task.id) ?? 0) * 1000}`)
      .replace(/^title: .*$/m, `title: ${task.title}`)
      .replace(
        /^dependencies: .*$/m,
        task.blockedBy.length === 0
          ? "dependencies: []"
          : `dependencies:\n${task.blockedBy.map((each) => `  - ${id}${numbers.get(each)}`).join("\n")}`,
      )
      .replace(/^labels: .*$/m, `labels:\n${task.tags.map((tag) => `  - ${tag}`).join("\n")}`);
    const priority =
      task.priority === null
        ? ""
        : `priority: ${task.priority === "Urgent" ? "high" : task.priority.toLowerCase()}\n`;
    return `${head}\n${priority}---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\n${task.description}\n\n${task.context}\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n${task.acceptanceCriteria.replaceAll(/^- /gm, "- [ ] ")}\n<!-- AC:END -->\n\n## Implementation Plan\n\n<!-- SECTION:PLAN:BEGIN -->\n${task.executionPlan}\n<!-- SECTION:PLAN:END -->\n`;
  };
  writeFileSync(join(place, sample), file(first));
  for (const task of others) {
    const number = numbers.get(task.id);
    writeFileSync(join(place, `${prefix}${number} - ${task.title.replaceAll(" ", "-")}.md`), file(task));
  }
  return {
    ok: true,
    version: run("--version").trim(),
    next: () => run("task", "list", "--ready", "--sort", "priority", "--limit", "1", "--plain"),
  };
}

function backlogProgram(): string | undefined {
  if (said("backlog", ["--version"], {}) !== undefined) return "backlog";
  const folder = join(benchFolder(), "backlog-program");
  mkdirSync(folder, { recursive: true });
  process.stderr.write(`  installing ${backlogPackage} for this run\n`);
  spawnSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", backlogPackage], {
    stdio: "ignore",
  });
  const program = join(folder, "node_modules", ".bin", "backlog");
  return existsSync(program) ? program : undefined;
}

/** What a program prints; undefined where it cannot be run. */
function said(program: string, args: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const ran = spawnSync(program, args, { env: { ...process.env, ...env }, encoding: "utf8" });
  return ran.status === 0 ? ran.stdout.trim() : undefined;
}

function must(program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): string {
  const ran = spawnSync(program, args, {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (ran.status !== 0 || ran.stdout === "")
    throw new Error(`${program} ${args.join(" ")} ended with ${ran.status}: ${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}
