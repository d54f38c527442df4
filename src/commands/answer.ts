import { decide } from "./decide.ts";
import { fail } from "./print.ts";
import { argument, textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<question> [key]",
  description: "Answer a question: choose an option by its key, or answer in free words with --text.",
  options: [{ flags: "--text <text>", text: "answer in free words instead of choosing an option" }],
  examples: [
    ["owlpost answer q-a3f2-012-1 1", "choose option 1"],
    ["owlpost answer q-a3f2-012-1 go", "at night: go ahead with what is recommended"],
    ['owlpost answer q-a3f2-012-1 --text "keep the cookie, drop the table"', "answer in free words"],
  ],
  async run(call) {
    const question = argument(call, 0);
    const key = call.args[1];
    const text = textOption(call, "text");
    if ((key === undefined) === (text === undefined)) {
      const message = "give either the key of an option or --text with an answer in words";
      return fail(call, 2, "bad-usage", message);
    }
    if (text !== undefined) return decide(call, { verb: "answer", question, text });
    return decide(call, { verb: "choose", question, key: key ?? "" });
  },
};
