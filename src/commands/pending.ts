import type { StoredQuestion } from "../domain/question.ts";
import { withOwlpost } from "./open.ts";
import { printJson, printResult, say } from "./print.ts";
import { questionShape, quietShape } from "./shapes.ts";
import { questionLine } from "./status-lines.ts";
import type { Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description: "The open questions, and which of them may still ring.",
  examples: [["owlpost pending", "what waits for an answer now"]],
  run: (call) =>
    withOwlpost(call, async (owlpost) => {
      const status = await owlpost.status();
      const { open, counts, zone, wake, wakeLines } = status;
      const ringing = wake.channels;
      const held = new Set(wake.questions.filter((each) => each.wake === "held").map(({ id }) => id));
      if (call.json) {
        const shapes = open.map((each) => ({
          ...questionShape(each),
          // At night, only what has not gone out yet.
          may_ring: ringing.length > 0 && mayRing(each, held, wake.quietHours?.inside === true),
        }));
        await printJson(call, { zone, open: shapes, channels: ringing, quiet_hours: quietShape(wake) });
        return 0;
      }
      for (const each of open) await printResult(call, questionLine(each, status));
      await say(call, openWords(counts.pending + counts.posted, open.length));
      for (const line of wakeLines) await say(call, line);
      return 0;
    }),
};

function mayRing(stored: StoredQuestion, held: ReadonlySet<string>, night: boolean): boolean {
  return !held.has(stored.question.id) && (!night || stored.state === "pending");
}

function openWords(count: number, shown: number): string {
  if (count === 0) return "No question is open.";
  return shown < count ? `${count} open; the first ${shown} are shown.` : `${count} open.`;
}
