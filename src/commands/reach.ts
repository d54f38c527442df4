import { withOwlpost } from "./open.ts";
import { printJson, printResult, say } from "./print.ts";
import { channelShape, quietShape } from "./shapes.ts";
import { channelLine } from "./status-lines.ts";
import type { Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description:
    "Can anybody be reached now by a channel that rings? Exit 4 when nobody can. The inbox does not ring.",
  examples: [["owlpost reach || exit", "start the night only when somebody can be reached"]],
  run: (call) =>
    withOwlpost(call, async (owlpost) => {
      const { channels, wake, wakeLines } = await owlpost.status();
      const reachable = channels.some((channel) => channel.up && channel.rings);
      if (call.json) {
        const shapes = channels.map(channelShape);
        await printJson(call, { reachable, channels: shapes, quiet_hours: quietShape(wake) });
      } else {
        for (const channel of channels) await printResult(call, channelLine(channel));
        await say(
          call,
          reachable ? "Somebody can be reached." : "Nobody can be reached: no channel that rings is up.",
        );
        for (const line of wakeLines) await say(call, line);
      }
      return reachable ? 0 : 4;
    }),
};
