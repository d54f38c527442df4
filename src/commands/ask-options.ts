import type { Call, VerbOption } from "./verb.ts";

/** Options that few asks need; what they do is loaded only then. */
export const factOptions: readonly VerbOption[] = [
  {
    flags: "--fact <key=value>",
    text: "something that was measured; may be given more than once",
    many: true,
  },
  {
    flags: "--fact-command <command>",
    text: "runs it in the shell (at most 10 minutes) and adds its exit code and its last 10 lines",
  },
  { flags: "--diff-stat <folder>", text: "adds what changed in that git work tree, and its branch" },
];

export const outputOptions: readonly VerbOption[] = [
  {
    flags: "--from-output <file>",
    text: "asks what an agent's output ends with: its last <promise>, with the <question> before it; - for standard input",
  },
  {
    flags: "--default <action>",
    text: "with --from-output: skip_spec, take_recommended or stay_parked; skip_spec unless the agent says so",
  },
  {
    flags: "--at <deadline>",
    text: "with --from-output: when the default counts, such as 06:00 or 2h; else 8h",
  },
];

/** Are there any to gather? */
export function hasFacts(call: Call): boolean {
  return ["fact", "factCommand", "diffStat"].some((name) => call.options[name] !== undefined);
}
