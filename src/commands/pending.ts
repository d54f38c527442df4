import { withOwlpost } from "./open.ts";
import { printJson, printResult, say } from "./print.ts";
import { questionShape } from "./shapes.ts";
import { questionLine } from "./status-lines.ts";
import type { Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description: "The open questions, and which of them may still ring.",
  examples: [["owlpost pending", "what waits for an answer now"]],
  run: (call) =>
    withOwlpost(call, async (owlpost) => {
      const { open, counts, zone, channels } = await owlpost.status();
      const ringing = channels.filter((channel) => channel.rings).map((channel) => channel.channel);
      if (call.json) {
        const shapes = open.map((each) => ({
          ...questionShape(each),
          may_ring: ringing.length > 0 && each.heldUntilAt === undefined,
        }));
        await printJson(call, { zone, open: shapes, channels: ringing });
        return 0;
      }
      for (const each of open) await printResult(call, questionLine(each));
      await say(call, openWords(counts.pending + counts.posted, open.length));
      await say(
        call,
        ringing.length === 0
          ? "No configured channel rings: nothing can wake anybody tonight."
          : `May still ring: ${ringing.join(", ")}.`,
      );
      return 0;
    }),
};

function openWords(count: number, shown: number): string {
  if (count === 0) return "No question is open.";
  return shown < count ? `${count} open; the first ${shown} are shown.` : `${count} open.`;
}
