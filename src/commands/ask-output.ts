import { randomUUID } from "node:crypto";
import type { AskOutcome, AskRequest, Owlpost } from "../app/api.ts";
import type { Config } from "../app/config.ts";
import { type AskedOutput, type OutputFlags, questionsIn } from "../app/promised.ts";
import { withoutEngine } from "./ask-engine.ts";
import type { Gathered } from "./ask-facts.ts";
import { printOutcome } from "./ask-outcome.ts";
import { withOwlpost } from "./open.ts";
import { fail, printJson, printResult, say } from "./print.ts";
import { askedShape } from "./shapes.ts";
import { type Call, type Exit, isAgent, textOption } from "./verb.ts";

export type OutputAsk = {
  /** What every one of its questions is asked with. */
  readonly base: AskRequest;
  /** What the engine measures: run only where there is something to ask. */
  gather(): Promise<Gathered>;
  readonly waitMs: number | undefined;
};

/** Asks each question of an output, in order. */
export async function askFromOutput(call: Call, output: string, asking: OutputAsk): Promise<Exit> {
  const { base, waitMs } = asking;
  const { task } = base;
  if (task === undefined)
    return fail(call, 2, "bad-usage", "--from-output needs --task: what the agent worked on");
  const action = textOption(call, "default");
  const at = textOption(call, "at");
  const flags: OutputFlags = {
    task,
    asAgent: isAgent(call.io),
    ...(action === undefined ? {} : { action }),
    ...(at === undefined ? {} : { at }),
  };
  const bare = questionsIn(output, flags);
  if (bare.questions.length === 0) return nothingAsked(call, bare);
  if (waitMs !== undefined && bare.questions.length > 1) {
    const message = `--wait waits for one question, and this output asks ${bare.questions.length}: leave --wait out, and take the answers later`;
    return fail(call, 2, "bad-usage", message);
  }
  const gathered = await asking.gather();
  if (!gathered.ok) return fail(call, 2, "bad-usage", gathered.message);
  const { facts } = gathered;
  const found = facts ? questionsIn(output, { ...flags, facts }) : bare;
  return withOwlpost(call, (owlpost, config) => askEach(call, owlpost, config, { found, base, waitMs }), {
    brief: waitMs === undefined,
  });
}

type Asking = { readonly found: AskedOutput; readonly base: AskRequest; readonly waitMs: number | undefined };

async function askEach(call: Call, owlpost: Owlpost, config: Config, asking: Asking): Promise<Exit> {
  const { found, base, waitMs } = asking;
  const key = base.key ?? `auto:${randomUUID()}`;
  const outcomes: AskOutcome[] = [];
  for (const [index, question] of found.questions.entries()) {
    const { text: _text, ...rest } = base;
    const request = { ...rest, ...question, key: index === 0 ? key : `${key}#${index + 1}` };
    outcomes.push(withoutEngine(call, await owlpost.ask(request)));
  }
  const [first] = outcomes;
  if (waitMs !== undefined && first?.ok) {
    const { waitForAnswer } = await import("./ask-wait.ts");
    return waitForAnswer(call, owlpost, first, waitMs, config);
  }
  if (!call.json) {
    let exit: Exit = 0;
    for (const outcome of outcomes) exit = Math.max(exit, await printOutcome(call, outcome)) as Exit;
    return exit;
  }
  const refused = outcomes.find((outcome) => !outcome.ok);
  await printJson(call, { promise: found.word, asked: outcomes.map(outcomeShape) });
  return refused === undefined ? 0 : refused.error === "id-conflict" ? 3 : 2;
}

function outcomeShape(outcome: AskOutcome): object {
  if (outcome.ok) return askedShape(outcome);
  const { ok: _ok, ...refused } = outcome;
  return refused;
}

async function nothingAsked(call: Call, { word }: AskedOutput): Promise<Exit> {
  if (call.json) await printJson(call, { promise: word, asked: [] });
  else {
    const why =
      word === "DONE"
        ? "the output ends with <promise>DONE</promise>"
        : "the output holds no complete <promise>";
    if (word === "DONE") await printResult(call, "DONE");
    await say(call, `Nothing to ask: ${why}.`);
  }
  return 4;
}
