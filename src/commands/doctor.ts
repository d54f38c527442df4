import { examine, type Finding } from "../app/doctor.ts";
import { palette, plain, printJson, printResult, say } from "./print.ts";
import type { Call, Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description:
    "Checks the home, the configuration, the store, the zone, the clock, the service, the inbox and every configured channel, and says how to mend what is wrong. Nothing is sent to anybody. Exit 0 when nothing failed (warnings are allowed), 1 when something did.",
  examples: [
    ["owlpost doctor", "after every change of the configuration"],
    ["owlpost doctor --json", "ok, and each check with its level: ok, warn or fail"],
  ],
  async run(call) {
    const checks = await examine({ home: call.home, env: call.io.env });
    const count = (level: Finding["level"]): number => checks.filter((each) => each.level === level).length;
    const [failed, warned] = [count("fail"), count("warn")];
    if (call.json) await printJson(call, { ok: failed === 0, checks });
    else {
      for (const each of checks) await printResult(call, findingLine(call, each));
      await say(call, summary(failed, warned));
    }
    return failed === 0 ? 0 : 1;
  },
};

/** `fail  telegram webhook: a webhook is set …`. */
function findingLine(call: Call, { about, level, text }: Finding): string {
  const { red, green, bold } = palette(call.io, "stdout");
  const paint = { ok: green, warn: bold, fail: red }[level];
  return `${paint(level.padEnd(4))}  ${about}: ${plain(text)}`;
}

function summary(failed: number, warned: number): string {
  const look = warned === 0 ? "" : `, ${warned} to look at`;
  if (failed > 0) return `${failed} to mend${look}.`;
  return warned === 0 ? "All is well." : `Nothing is broken${look}.`;
}
