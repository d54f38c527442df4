import { randomUUID } from "node:crypto";
import type { Asked, Owlpost, Taken } from "../app/api.ts";
import type { Config } from "../app/config.ts";
import type { StoredQuestion } from "../domain/question.ts";
import { sayAsked } from "./ask-outcome.ts";
import { fail, printJson, printResult, say } from "./print.ts";
import { askedShape, takenShape } from "./shapes.ts";
import { writeAnswers } from "./taken-files.ts";
import { takenLine } from "./taken-line.ts";
import type { Call, Exit } from "./verb.ts";

/** The deadline comes by the clock, without a commit: nobody waits longer than this without looking. */
const lookMs = 1_000;

/** Waits for the answer, takes it, hands it over on stdout, and confirms it only when it was delivered. */
export async function waitForAnswer(
  call: Call,
  owlpost: Owlpost,
  asked: Asked,
  waitMs: number,
  config: Config,
): Promise<Exit> {
  await sayAsked(call, asked);
  const claim = `wait:${randomUUID()}`;
  const end = performance.now() + waitMs;
  for (;;) {
    const left = end - performance.now();
    const looked = new AbortController();
    // Waiting begins before looking, so that nothing falls between the two.
    const change = owlpost.changed(Math.max(1, Math.min(left, lookMs)), looked.signal);
    try {
      const stored = await owlpost.question(asked.id);
      if (stored && isTakeable(stored)) {
        const { taken } = await owlpost.take({ question: asked.id, claim, works: "asker" });
        if (taken[0]) {
          await writeAnswers(call, config, taken);
          return await deliver(call, owlpost, asked, taken[0]);
        }
      }
      const over = stored ? whyOver(stored) : "the question is gone from the store";
      if (over !== undefined) return await fail(call, 3, "not-open", over, waitedShape(asked, stored));
      if (left <= 0) return await timedOut(call, asked, stored);
      await change;
    } finally {
      looked.abort();
      await change;
    }
  }
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
  else
    await say(
      call,
      `Nothing yet: ${asked.id} is ${(stored?.state ?? asked.state).replace("_", " ")}. Ask again with --wait, or take it later.`,
    );
  return 4;
}

function waitedShape(
  asked: Asked,
  stored: StoredQuestion | undefined,
  taken: readonly Taken[] = [],
): Readonly<Record<string, unknown>> {
  return { ...askedShape(asked), state: stored?.state ?? asked.state, taken: taken.map(takenShape) };
}

function isTakeable(stored: StoredQuestion): boolean {
  if (stored.state === "answered") return true;
  return stored.state === "expired" && stored.defaultAction !== "stay_parked";
}

/** Why nothing will ever come; undefined while something may. A take that was not confirmed may come back. */
function whyOver({ state, why, claim, question }: StoredQuestion): string | undefined {
  if (state === "cancelled") return `${question.id} was cancelled${why ? `: ${why}` : ""}`;
  if (state === "resolved") return `${question.id} is closed`;
  if (claim?.confirmedAt !== undefined && (state === "applied" || state === "default_applied")) {
    return `${question.id} was taken already${claim.run ? ` by run ${claim.run}` : ""}`;
  }
  return undefined;
}
