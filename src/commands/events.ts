import type { Owlpost } from "../app/api.ts";
import { withOwlpost } from "./open.ts";
import { fail } from "./print.ts";
import { eventShape } from "./shapes.ts";
import { type Call, textOption, type Verb } from "./verb.ts";

const page = 500;
const lookMs = 60_000;

export const verb: Verb = {
  usage: "",
  description: "Print the event log, one JSON document a line.",
  options: [
    { flags: "--since <seq>", text: "only events after this number (default: 0, all)" },
    { flags: "--follow", text: "go on with new events until stopped" },
  ],
  examples: [
    ["owlpost events", "everything that ever happened"],
    ["owlpost events --since 120 --follow", "what happened after event 120, and what happens from now on"],
  ],
  async run(call) {
    const written = textOption(call, "since") ?? "0";
    if (!/^\d{1,15}$/.test(written)) {
      return fail(call, 2, "bad-usage", "--since needs the number of an event, such as 120");
    }
    return withOwlpost(call, async (owlpost) => {
      const stop = new AbortController();
      const halt = (): void => stop.abort();
      process.once("SIGINT", halt).once("SIGTERM", halt);
      try {
        await printEvents(call, owlpost, Number(written), stop.signal);
      } catch (error) {
        // Whoever read the lines has seen enough.
        if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
      } finally {
        process.off("SIGINT", halt).off("SIGTERM", halt);
      }
      return 0;
    });
  },
};

async function printEvents(call: Call, owlpost: Owlpost, since: number, signal: AbortSignal): Promise<void> {
  let last = since;
  while (!signal.aborted) {
    const wait = new AbortController();
    // Waiting begins before reading, so that nothing falls between the two.
    const change = owlpost.changed(lookMs, AbortSignal.any([signal, wait.signal]));
    try {
      const events = await owlpost.events(last, page);
      for (const event of events) {
        await call.io.stdout.write(`${JSON.stringify(eventShape(event))}\n`);
        last = event.seq;
      }
      if (events.length > 0) continue;
      if (call.options.follow !== true) return;
      await change;
    } finally {
      wait.abort();
      await change;
    }
  }
}
