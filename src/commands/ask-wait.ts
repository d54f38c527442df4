import { randomUUID } from "node:crypto";
import type { Asked, Owlpost, Taken } from "../app/api.ts";
import { awaitDecision } from "../app/awaiting.ts";
import type { Config } from "../app/config.ts";
import type { StoredQuestion } from "../domain/question.ts";
import { sayAsked } from "./ask-outcome.ts";
import { fail, printJson, printResult, say } from "./print.ts";
import { askedShape, takenShape } from "./shapes.ts";
import { writeAnswers } from "./taken-files.ts";
import { takenLine } from "./taken-line.ts";
import type { Call, Exit } from "./verb.ts";

/** Waits for the answer, takes it, hands it over on stdout, and confirms it only when it was delivered. */
export async function waitForAnswer(
  call: Call,
  owlpost: Owlpost,
  asked: Asked,
  waitMs: number,
  config: Config,
): Promise<Exit> {
  await sayAsked(call, asked);
  const awaited = await awaitDecision(owlpost, asked.id, { waitMs, claim: `wait:${randomUUID()}` });
  if (awaited.kind === "over") {
    return fail(call, 3, "not-open", awaited.why, waitedShape(asked, awaited.stored));
  }
  if (awaited.kind === "waiting") return timedOut(call, asked, awaited.stored);
  await writeAnswers(call, config, [awaited.taken]);
  return deliver(call, owlpost, asked, awaited.taken);
}

async function deliver(call: Call, owlpost: Owlpost, asked: Asked, taken: Taken): Promise<Exit> {
  const stored = await owlpost.question(asked.id);
  if (call.json) await printJson(call, waitedShape(asked, stored, [taken]));
  else await printResult(call, takenLine(taken));
  await owlpost.confirm(taken.claim);
  return 0;
}

async function timedOut(call: Call, asked: Asked, stored: StoredQuestion | undefined): Promise<Exit> {
  if (call.json) await printJson(call, waitedShape(asked, stored));
  else {
    const state = (stored?.state ?? asked.state).replace("_", " ");
    // Without a key the same command would ask once more.
    const again = call.options.key === undefined ? "" : ", or ask again with the same --key and --wait";
    await say(
      call,
      `Nothing yet: ${asked.id} is ${state}. Take it later with owlpost take --task ${asked.task}${again}.`,
    );
  }
  return 4;
}

function waitedShape(
  asked: Asked,
  stored: StoredQuestion | undefined,
  taken: readonly Taken[] = [],
): Readonly<Record<string, unknown>> {
  return { ...askedShape(asked), state: stored?.state ?? asked.state, taken: taken.map(takenShape) };
}
