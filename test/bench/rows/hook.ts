import { spawnSync } from "node:child_process";
import { builtCli } from "../built.ts";
import { newHome } from "../home.ts";
import { absolutes, interleave, type Row, ratio } from "../measure.ts";

/** A hook of an agent that has nothing to ask, as a process from nothing to its exit, beside a Node that does nothing. */
export const hook: Row = {
  name: "hook",
  async run() {
    const cli = await builtCli();
    const home = newHome();
    const common = { session_id: "5f0c1a9e", cwd: home };
    const notification = {
      ...common,
      hook_event_name: "Notification",
      notification_type: "permission_prompt",
    };
    const stop = { ...common, hook_event_name: "Stop", stop_hook_active: false };
    const asking = (event: object) => () =>
      node(JSON.stringify(event), cli, "hook", "claude-code", "--home", home);
    const blocks = await interleave(
      { node: () => node("", "-e", "0"), notification: asking(notification), stop: asking(stop) },
      { blocks: 7, rounds: 5, warm: 2 },
    );
    const figure = (name: string, arm: keyof typeof blocks) => ({
      name,
      spread: ratio(blocks, arm, "node"),
      unit: "x" as const,
      goal: { most: 1.6 },
      detail: absolutes(blocks, [arm, "node"]),
    });
    return [
      figure("hook of an event that is not owlpost's / node -e 0", "notification"),
      figure("hook at the stop of a session that asked nothing / node -e 0", "stop"),
    ];
  },
};

function node(input: string, ...args: string[]): void {
  const ran = spawnSync(process.execPath, args, { input, stdio: ["pipe", "pipe", "pipe"] });
  if (ran.status !== 0 || ran.stdout.length > 0)
    throw new Error(`node ${args.join(" ")}: ${ran.stdout.toString()}${ran.stderr.toString()}`);
}
