import { withOwlpost } from "./open.ts";
import { fail, printJson, say } from "./print.ts";
import { readSource } from "./source.ts";
import { argument, textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<file>",
  description: "Send a plain notice to every configured channel. FILE may be - for standard input.",
  options: [
    {
      flags: "--kind <kind>",
      text: "what the notice is about",
      choices: ["run-complete", "stalled", "blocked"],
      mandatory: true,
    },
  ],
  examples: [
    [
      'echo "5 of 5 specs done" | owlpost notify --kind run-complete -',
      "tell everybody that the run is over",
    ],
  ],
  async run(call) {
    const source = await readSource(argument(call, 0), call.io);
    if (!source.ok) return fail(call, 2, "unreadable", source.message);
    const text = source.text.trim();
    if (text === "")
      return fail(call, 2, "unreadable", `${source.origin} is empty: a notice needs some words`);
    return withOwlpost(call, async (owlpost) => {
      const { channels } = await owlpost.notify(textOption(call, "kind") ?? "", text);
      if (call.json) await printJson(call, { channels });
      else await say(call, `The notice goes to ${channels.length > 0 ? channels.join(", ") : "no channel"}.`);
      return 0;
    });
  },
};
