import { z } from "zod";

/** What the tools take. Limits are the contract's, which names every broken rule at once: here they are only told. */

const option = z.object({
  key: z
    .string()
    .optional()
    .describe("What a reply names: 1 to 8 lower-case letters and digits. Left out: 1, 2, 3 …"),
  label: z.string().describe("The words on the button, at most 80 characters."),
  consequence: z
    .string()
    .describe(
      "What happens when this one is chosen, on one line of at most 160 characters: cost, risk, what is lost.",
    ),
  recommended: z
    .boolean()
    .optional()
    .describe("true for the one option that you would take. Exactly one, unless kind is fact."),
  reversible: z
    .boolean()
    .optional()
    .describe("true where it can be undone later without loss. Only then may it be decided at night."),
});

export const askSchema = z.object({
  title: z
    .string()
    .describe("The question itself on one line, at most 120 characters, ending in a question mark."),
  context: z
    .string()
    .describe(
      "What somebody must know to decide who has not followed your work and reads it on a phone: what is stuck and why, at most 600 characters. Name the file, test, identifier in backticks, or issue.",
    ),
  tried: z.string().optional().describe("What you tried already and how it failed."),
  options: z
    .array(option)
    .describe("2 to 9 different ways to go on that you could carry out at once, each with its consequence."),
  kind: z
    .string()
    .optional()
    .describe(
      "decide (a choice; the default), blocked (you cannot go on), stalled (no progress), approval (may you do this?), fact (is this true? neutral, without a recommendation).",
    ),
  task: z
    .string()
    .optional()
    .describe("What you work on, in lower-case letters, digits and dashes, such as 012-fix-auth."),
  deadline: z
    .string()
    .optional()
    .describe("Until when: 45m, 2h, 06:00 (the next one in the owner's zone) or ISO 8601. Left out: 8h."),
  default: z
    .string()
    .optional()
    .describe(
      "What happens when nobody answers by then: skip_spec (the task is skipped; the default) or stay_parked (it waits on).",
    ),
  idempotency_key: z
    .string()
    .optional()
    .describe("The same key is the same question: use one when you may have to call this again."),
  wait_seconds: z
    .number()
    .optional()
    .describe(
      "How long to wait here for the answer, 0 to 45 (45 where it is left out). Then you get a ticket.",
    ),
});

/** What came of it, whatever its shape: the keys that are known, without those that say nothing. */
export type AskInput = { readonly [Name in keyof z.infer<typeof askSchema>]?: unknown };

/**
 * A client is shown what is required; what comes is taken as it is, since the contract's check names every broken rule at
 * once, in words that say how to mend it.
 */
export const askInput = {
  "~standard": {
    ...askSchema["~standard"],
    validate: (input: unknown) => ({ value: picked(input, askSchema.shape) as AskInput }),
  },
};

function picked(input: unknown, known: object): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return {};
  const said = Object.entries(input).filter(
    ([name, value]) => Object.hasOwn(known, name) && value !== undefined && value !== null,
  );
  return Object.fromEntries(said);
}

export const answerSchema = z.object({
  id: z.string().describe("The question's id, such as q-a3f2-012-1."),
  wait_seconds: z.number().optional().describe("How long to wait for it, 0 to 45. Left out: 0."),
});

export const cancelSchema = z.object({
  id: z
    .string()
    .describe("The question's id. Only a question that was asked through this connection can be cancelled."),
  why: z.string().describe("Why nobody needs to answer any more, in a few words: the owner reads them."),
});

export const noneSchema = z.object({});

export const descriptions = {
  ask_human:
    "Ask the owner of this machine to decide something, on their phone. Use it when you cannot go on without a decision that is not yours: a choice with consequences, a missing permission, a fact that you cannot check. Do not use it for what you can find out or undo yourself, and never to ask for a password, key or token. Ask one question at a time. It waits at most 45 seconds for the answer; after that you get a ticket with the question's id, its deadline and what happens by default, and you go on with other work, or end, and call get_answer later. No answer is never a yes.",
  get_answer:
    "Get the answer to a question that was asked before, by its id. An answer is handed out once: act on it when you get it. Says also when nobody has answered, and what the default did.",
  list_pending: "List the questions that wait for an answer, with their deadlines and defaults.",
  cancel_question:
    "Take back a question that you asked through this connection and that is no longer needed, so that nobody answers it in vain.",
  reachable:
    "Say whether the owner can be reached at present by a channel that rings, such as a phone. Where not, a question waits until its deadline.",
} as const;
