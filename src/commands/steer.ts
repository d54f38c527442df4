import { projectFor } from "../app/project.ts";
import { decide } from "./decide.ts";
import { argument, textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<question-or-task> <text...>",
  description: "Leave a note for the next iteration of a task. It does not answer the question.",
  options: [{ flags: "--project <name>", text: "the project of the task, where there are several" }],
  examples: [
    ['owlpost steer 012-fix-auth "look at middleware.ts first"', "a note for a task"],
    ['owlpost steer q-a3f2-012-1 "no new table, please"', "a note for the task of a question"],
    ['owlpost steer run:a3f2 "stop after this one"', "a note for a whole run"],
  ],
  run(call) {
    const flag = textOption(call, "project");
    const { cwd } = call.io;
    return decide(call, (config) => ({
      verb: "steer",
      target: argument(call, 0),
      text: call.args.slice(1).join(" "),
      project: projectFor({ flag, cwd, config }),
    }));
  },
};
