import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { builtCli } from "../built.ts";
import { newHome } from "../home.ts";
import { absolutes, type Figure, interleave, type Row, ratio, spreadOf } from "../measure.ts";

const size = { blocks: 7, rounds: 5, warm: 2 };
const goal = { most: 1.6 };
/** Of /proc: a hundredth of a second on every Linux that Node runs on. */
const tickMs = 10;

/** A hook of an agent that has nothing to ask, as a process from nothing to its exit, beside a Node that does nothing. */
export const hook: Row = {
  name: "hook",
  async run() {
    const cli = await builtCli();
    const home = newHome();
    const common = { session_id: "5f0c1a9e", cwd: home };
    const events = {
      tool: { ...common, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } },
      notification: {
        ...common,
        hook_event_name: "Notification",
        notification_type: "permission_prompt",
      },
      stop: { ...common, hook_event_name: "Stop", stop_hook_active: false },
    };
    const spent: Record<string, number[]> = {};
    const arm =
      (name: string, input: string, ...args: string[]) =>
      () => {
        const before = childrenMs();
        node(input, ...args);
        spent[name] = [...(spent[name] ?? []), childrenMs() - before];
      };
    // As `owlpost init --claude-code` writes it for a home of one's own.
    const asking = (name: keyof typeof events) =>
      arm(name, JSON.stringify(events[name]), cli, "hook", "claude-code", "--home", home);
    const blocks = await interleave(
      {
        node: arm("node", "", "-e", "0"),
        tool: asking("tool"),
        notification: asking("notification"),
        stop: asking("stop"),
      },
      size,
    );
    return [
      ["tool", "hook of another tool's call"],
      ["notification", "hook of a notification that is not owlpost's"],
      ["stop", "hook at the stop of a session that asked nothing"],
    ].flatMap(([name, words]): Figure[] => {
      const which = name as keyof typeof events;
      return [
        {
          name: `${words} / node -e 0`,
          spread: ratio(blocks, which, "node"),
          unit: "x",
          goal,
          detail: absolutes(blocks, [which, "node"]),
        },
        cpuFigure(`${words}, CPU time / node -e 0`, spent[which] ?? [], spent.node ?? []),
      ];
    });
  },
};

/** Ticks are coarse, so whole blocks are compared, and what counts is the sum of all. */
function cpuFigure(name: string, above: readonly number[], below: readonly number[]): Figure {
  const blocks = Array.from({ length: size.blocks }, (_, block) => {
    const of = (all: readonly number[]) =>
      sum(all.slice(size.warm + block * size.rounds, size.warm + (block + 1) * size.rounds));
    return of(above) / of(below);
  });
  const mean = (all: readonly number[]) => (sum(all) / all.length).toPrecision(3);
  return {
    name,
    spread: { ...spreadOf(blocks), value: sum(above) / sum(below) },
    unit: "x",
    goal,
    detail: `${mean(above)} ms, node ${mean(below)} ms`,
  };
}

function sum(all: readonly number[]): number {
  return all.reduce((total, each) => total + each, 0);
}

/** The CPU time of all children that have ended. */
function childrenMs(): number {
  const [, fields = ""] = readFileSync("/proc/self/stat", "latin1").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(13, 15).map(Number);
  return (user + system) * tickMs;
}

function node(input: string, ...args: string[]): void {
  const ran = spawnSync(process.execPath, args, { input, stdio: ["pipe", "pipe", "pipe"] });
  if (ran.status !== 0 || ran.stdout.length > 0)
    throw new Error(`node ${args.join(" ")}: ${ran.stdout.toString()}${ran.stderr.toString()}`);
}
