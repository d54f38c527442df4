import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { digestQuestion, takeMark } from "../core/digest.ts";
import { decideTake } from "../core/take.ts";
import { toldText } from "../core/told.ts";
import type { Abort } from "../domain/abort.ts";
import { type Claim, type QuestionId, type RunId, runId, taskId } from "../domain/ids.ts";
import type { StoredQuestion } from "../domain/question.ts";
import type { Aborted, Taken, TakeOutcome, TakeRequest } from "./api.ts";
import type { Desk } from "./desk.ts";
import { airlockDir } from "./project.ts";

/** The loop's side: taking what is decided, and saying that it arrived. */
export function taking(desk: Desk) {
  const { config, home, store, now, committed } = desk;

  async function take(request: TakeRequest): Promise<TakeOutcome> {
    const at = now();
    const claim = request.claim ?? randomUUID();
    const task = request.task === undefined ? undefined : taskId(request.task);
    const run = request.run === undefined ? undefined : runId(request.run);
    // A name outside the grammar belongs to no question.
    if (request.task !== undefined && !task) return { taken: [], aborts: [], mismatched: [] };
    if (request.run !== undefined && !run) return { taken: [], aborts: [], mismatched: [] };
    const value = await store.take(
      {
        ...(request.project === undefined ? {} : { project: request.project }),
        ...(task === undefined ? {} : { task }),
        ...(run === undefined ? {} : { run }),
        ...(request.question === undefined ? {} : { question: request.question }),
        ...leavesOf(request),
        claim,
        now: at,
      },
      (snapshot) =>
        decideTake(snapshot, {
          claim,
          ...(run === undefined ? {} : { run }),
          now: at,
          leaseMs: config.leaseMs,
          ...(request.works === undefined ? {} : { works: request.works }),
          intact: (stored) => digestQuestion(stored.question) === (stored.answer?.digest ?? stored.digest),
        }),
    );
    committed();
    return { taken: value.taken.map(taken), aborts: value.aborts.map(aborted), mismatched: value.mismatched };
  }

  function taken(stored: StoredQuestion): Taken {
    const { question, answer, claim } = stored;
    const recommended = question.options.find((option) => option.recommended === true);
    const key =
      answer?.option ??
      (!answer && stored.defaultAction === "take_recommended" ? recommended?.key : undefined);
    const label = question.options.find((option) => option.key === key)?.label;
    return {
      id: question.id,
      task: question.task,
      project: question.project,
      outcome: stored.outcome ?? "answered",
      ...(key === undefined ? {} : { option: key }),
      ...(label === undefined ? {} : { label }),
      ...(answer?.text === undefined ? {} : { text: answer.text }),
      ...(answer?.by === undefined ? {} : { by: answer.by }),
      via: answer?.via ?? "deadline",
      ...(answer?.host === undefined ? {} : { host: answer.host }),
      at: answer?.at ?? stored.deadlineAt,
      digest: stored.digest,
      claim: claim?.claim ?? "",
      ...(answer ? {} : { default: stored.defaultAction }),
      told: toldText(stored, now()),
      steeringFile: join(airlockDir(config, home, question.project), "steering", `${question.task}.md`),
    };
  }

  async function confirm(claim: Claim): Promise<readonly (QuestionId | RunId)[]> {
    const confirmed = await store.confirm(claim, now(), { take: takeMark(claim) });
    if (confirmed.length > 0) committed();
    return confirmed;
  }

  return { take, confirm };
}

/**
 * A hook asks for one call of one agent, and that call comes for the answer itself, also later: a take that does not name the
 * question, the task or the run leaves it. A permission is for nobody else, whatever is named.
 */
export function leavesOf({ question, task, run }: Pick<TakeRequest, "question" | "task" | "run">): {
  readonly leaves?: string;
} {
  if (question !== undefined) return {};
  return { leaves: task === undefined && run === undefined ? "hook:" : "hook:permission:" };
}

function aborted({ run, project, sender, at, claim }: Abort): Aborted {
  return { run, project, ...sender, at, claim: claim?.claim ?? "" };
}
