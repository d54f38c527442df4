import { homedir } from "node:os";
import { resolve } from "node:path";
import { homePath } from "../app/home.ts";
import { type HookCommand, hookSettings } from "../app/hook/settings.ts";
import {
  hasOtherHooks,
  type Plan,
  planSettings,
  startLine,
  writeSettings,
} from "../app/hook/settings-file.ts";
import { readConfig } from "./open.ts";
import { fail, printJson, say } from "./print.ts";
import { type Call, type Exit, textOption } from "./verb.ts";

/** Claude Code stops a hook only after the deadline has come and the answer to it was given. */
const afterDeadlineMs = 60_000;
/** Longer ones end at once. */
const mostSeconds = 2_147_483;

/** `owlpost init --claude-code`: the hooks in Claude Code's own settings, shown before they are written. */
export async function initClaudeCode(call: Call, isTerminal: boolean): Promise<Exit> {
  const byFlags = call.options.yes === true;
  if (!byFlags && !isTerminal)
    return fail(call, 2, "bad-usage", "init --claude-code asks in a terminal. Without one, say --yes");
  const config = await readConfig(call);
  if (typeof config === "number") return config;
  const { env, cwd } = call.io;
  const named = textOption(call, "projectSettings");
  const folder = named === undefined ? env.HOME || homedir() : resolve(cwd, named);
  const isUsual = call.home === homePath(undefined, { HOME: env.HOME });
  const start = (words: string): string =>
    startLine(words, process.argv[1] ?? "owlpost", isUsual ? undefined : call.home, env);
  const how: HookCommand = {
    command: start("hook claude-code"),
    timeoutSeconds: Math.min(Math.ceil((config.hookDeadlineMs + afterDeadlineMs) / 1_000), mostSeconds),
  };
  const planned = planSettings(folder, how);
  if (!planned.ok) {
    await say(call, `To put them in by hand:\n${JSON.stringify(hookSettings(how), null, 2)}`);
    return fail(call, 2, "bad-settings", planned.message);
  }
  const { plan } = planned;
  if (!byFlags && plan.changed) {
    const { terminalPrompts } = await import("./init-prompts.ts");
    const prompts = terminalPrompts(call.io.stdin);
    prompts.show(`Into ${plan.file}`, JSON.stringify(plan.ours, null, 2));
    if (!(await prompts.yes({ message: "Write it? Everything else in the file stays.", otherwise: true })))
      return fail(call, 2, "stopped", "Nothing was written.");
  } else if (plan.changed) {
    await say(call, `Into ${plan.file}:\n${JSON.stringify(plan.ours, null, 2)}`);
  }
  const written = plan.changed ? await writeSettings(folder, how, plan) : { ok: true as const };
  if (!written.ok) return fail(call, 2, "bad-settings", written.message);
  const exit = await told(call, plan, {
    backup: "backup" in written ? written.backup : undefined,
    mcp: `claude mcp add owlpost -- ${start("mcp")}`,
  });
  // Claude Code runs the hooks of both files, and the very same line only once.
  const account = env.HOME || homedir();
  if (folder !== account && hasOtherHooks(account, how))
    await say(
      call,
      `The settings of your account have hooks of owlpost, too: in ${folder} everything would be asked twice. Take them out of one of the two.`,
    );
  return exit;
}

async function told(
  call: Call,
  plan: Plan,
  { backup, mcp }: { readonly backup: string | undefined; readonly mcp: string },
): Promise<Exit> {
  const { file, changed, ours, disabled } = plan;
  const undo =
    backup === undefined
      ? `take the entries with "hook claude-code" out of ${file}`
      : `take the entries with "hook claude-code" out of ${file}; as it was before it is kept in ${backup}`;
  if (call.json)
    await printJson(call, {
      file,
      written: changed,
      ...(backup === undefined ? {} : { backup }),
      settings: ours,
      disabled,
      mcp,
      undo,
    });
  await say(call, changed ? `Written to ${file}.` : `It is in ${file} already; nothing was changed.`);
  if (disabled) await say(call, 'Claude Code runs no hooks while "disableAllHooks" is true there.');
  await say(call, `To undo it: ${undo}.`);
  await say(call, `Next: start a new session of Claude Code. So that it can ask by itself, too: ${mcp}`);
  return 0;
}
