import { z } from "zod";
import { defaultActions, kinds } from "./question.ts";

/**
 * The shape of a question document, for editors and for other programs (`config/question.schema.json`). Whether a
 * question is taken is decided by the contract, which also names what to mend and does without this module: zod is
 * slow to load and asking is not allowed to be.
 */

/** JSON Schema counts code points, zod counts UTF-16 units: the limit is checked here and written down there. */
function text(limit: number, what: string) {
  return z
    .string()
    .min(1)
    .refine((value) => [...value].length <= limit, { message: `at most ${limit} characters` })
    .meta({ minLength: 1, maxLength: limit, description: what });
}

function line(limit: number, what: string) {
  return text(limit, what).regex(/^[^\n\r\u2028\u2029]*$/);
}

/** YAML reads `key: 1` as a number; there is only one text that can be meant. */
function textOrInteger(pattern: RegExp, what: string) {
  return z.union([z.string().regex(pattern), z.int().min(0)]).meta({ description: what });
}

const option = z.looseObject({
  key: textOrInteger(/^[a-z0-9]{1,8}$/, "What a reply names: 1 to 8 lower-case letters and digits."),
  label: z.union([text(80, "The words on the button."), z.int().min(0)]),
  consequence: line(160, "What happens when this option is chosen, on one line."),
  recommended: z
    .boolean()
    .nullish()
    .meta({ description: "Exactly one option is; none of a `fact` question." }),
  reversible: z
    .boolean()
    .nullish()
    .meta({ description: "Can it be undone? Only then may it be decided at night." }),
});

const fallback = z.looseObject({
  action: z.enum(defaultActions).meta({ description: "What happens without an answer." }),
  at: z.string().min(1).meta({
    description: 'Until when: "06:00" in the configured zone, 45m, 2h, 1d, PT2H, or ISO 8601 with an offset.',
  }),
});

export const questionSchema = z
  .looseObject({
    id: z
      .string()
      .regex(/^q-[a-z0-9]{1,8}-[a-z0-9][a-z0-9-]{0,23}-[1-9][0-9]{0,3}$/)
      .nullish()
      .meta({ description: "Made by owlpost when absent." }),
    kind: z.enum(kinds).nullish().meta({ description: "`decide` when absent." }),
    task: textOrInteger(/^[a-z0-9][a-z0-9-]{0,63}$/, "The task that waits for the answer.").nullish(),
    spec: z.union([z.string(), z.int()]).nullish().meta({
      description: "Another name for `task`: the spec's file, such as `012-fix-auth.md`.",
    }),
    project: z.string().nullish(),
    run: textOrInteger(/^[a-z0-9]{1,8}$/, "Engine field: the run's id.").nullish(),
    iteration: z.int().min(0).nullish().meta({ description: "Engine field." }),
    progress: z.string().nullish().meta({ description: 'Engine field, such as "2 of 5 specs done".' }),
    title: line(120, "The question, on one line."),
    context: text(600, "What somebody must know to decide; it names a file, a test, an issue or the task."),
    tried: z.string().nullish().meta({ description: "What already happened; at most 65,536 bytes." }),
    options: z.array(option).min(2).max(9),
    default: fallback,
    facts: z.record(z.string(), z.unknown()).nullish().meta({
      description:
        "Engine field: command, exit_code, output_tail, diff_stat, branch, next_task and free keys.",
    }),
    links: z
      .record(z.string(), z.union([z.string(), z.int(), z.null()]))
      .nullish()
      .meta({ description: "Branch, log, pull request." }),
    answerable_by: z.array(z.string().min(1)).nullish().meta({
      description: "Engine field: roles or names of people; every owner and member when absent.",
    }),
    auto_default: z.boolean().nullish().meta({ description: "Engine field: needed for take_recommended." }),
    low_fidelity: z.boolean().nullish().meta({ description: "The options are made up by owlpost." }),
    source: z.string().nullish().meta({ description: "`permission`: an agent's permission prompt." }),
    again: z.string().nullish().meta({ description: "The question that is asked again." }),
  })
  .meta({ title: "owlpost question", description: "A question for a person, as YAML or JSON." });

export type QuestionDocument = z.infer<typeof questionSchema>;
