import { readRefusal, refusalText } from "../app/config-refusal.ts";
import { withOwlpost } from "./open.ts";
import { fail, plain, printJson, printResult } from "./print.ts";
import { channelShape, copyShape, iso, questionShape, quietShape } from "./shapes.ts";
import { questionLines, statusLines } from "./status-lines.ts";
import type { Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "[question]",
  description: "What is open, what was decided and not taken yet, and the health of every channel.",
  examples: [
    ["owlpost status", "everything at a glance"],
    ["owlpost status q-a3f2-012-1", "one question in full, and where it stands"],
  ],
  run: (call) =>
    withOwlpost(
      call,
      async (owlpost) => {
        const id = call.args[0];
        if (id !== undefined) {
          const stored = await owlpost.question(id);
          if (!stored)
            return fail(
              call,
              3,
              "no-such-question",
              `there is no question ${plain(id)}; owlpost pending lists the open ones`,
            );
          const copies = await owlpost.copies(id);
          const again = await owlpost.askedAgainAs(id);
          const shapes = copies.map((copy) => copyShape(copy, stored));
          if (call.json) {
            const shape = { ...questionShape(stored), asked_again_as: again };
            await printJson(call, { ...shape, copies: shapes, question: stored.question });
          } else await printResult(call, questionLines(stored, copies, again).join("\n"));
          return 0;
        }
        const status = await owlpost.status();
        const refusal = readRefusal(call.home);
        if (call.json) {
          await printJson(call, {
            service: { ...status.service, since: iso(status.service.since) },
            zone: status.zone,
            configuration: refusal && { refused_since: iso(refusal.sinceAt), errors: refusal.lines },
            open: status.open.map((stored) => ({
              ...questionShape(stored),
              copies: (status.copies.get(stored.question.id) ?? []).map((copy) => copyShape(copy, stored)),
            })),
            decided: status.decided.map(questionShape),
            counts: status.counts,
            channels: status.channels.map(channelShape),
            quiet_hours: quietShape(status.wake),
            wake: status.wake.questions,
          });
        } else {
          const refused = refusal && plain(`configuration: ${refusalText(refusal, Date.now())}`);
          await printResult(call, [...(refused ? [refused] : []), ...statusLines(status)].join("\n"));
        }
        return 0;
      },
      { tellsRefusal: call.args[0] === undefined },
    ),
};
