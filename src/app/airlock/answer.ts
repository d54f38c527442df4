import { createHash } from "node:crypto";
import { join } from "node:path";
import { noAnswerNote, steeringNote } from "../../core/steering.ts";
import { withFileLock } from "../../store/file-lock.ts";
import type { Taken } from "../api.ts";
import { writeWhole } from "./files.ts";
import { ensurePlace, type Home, lockPath, lockTimeoutMs, placeOf } from "./place.ts";
import { appendNote, dayOf } from "./steering-file.ts";
import { yamlText } from "./yaml-text.ts";

export type AnswerSettings = Home & { readonly zone: string };

/**
 * Hands a taken answer to file engines: a note in `steering/<task>.md`, then `answers/<qid>.yaml`. Doing it again
 * adds nothing, so a take that was killed half-way is simply done once more.
 */
export async function writeAnswer(taken: Taken, settings: AnswerSettings): Promise<void> {
  const place = placeOf(settings, taken.project);
  const answer = await yamlText(
    {
      id: taken.id,
      task: taken.task,
      outcome: taken.outcome,
      option: taken.option,
      label: taken.label,
      text: taken.text,
      by: taken.by,
      via: taken.via,
      at: new Date(taken.at).toISOString(),
      digest: taken.digest,
    },
    ["Written by owlpost when this answer was taken."],
  );
  const note = {
    mark: `answer ${answerHash(taken)}`,
    day: dayOf(taken.at, settings.zone),
    text: noteOf(taken, settings),
    mode: place.fileMode,
  };
  await withFileLock(
    lockPath(settings.home),
    async () => {
      await ensurePlace(settings, place);
      await appendNote(join(place.dir, "steering", `${taken.task}.md`), note);
      await writeWhole(join(place.dir, "answers", `${taken.id}.yaml`), answer, place.fileMode);
    },
    lockTimeoutMs,
  );
}

/** An answer that was changed before it was taken again is another answer, with a note of its own. */
function answerHash(taken: Taken): string {
  const parts = [taken.id, taken.outcome, taken.at, taken.option ?? null, taken.text ?? null];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

function noteOf(taken: Taken, { zone }: AnswerSettings): string {
  if (taken.via === undefined || taken.via === "deadline") {
    return noAnswerNote({
      question: taken.id,
      deadlineAt: taken.at,
      zone,
      action: taken.default ?? (taken.option === undefined ? "skip_spec" : "take_recommended"),
      ...(taken.option === undefined ? {} : { option: taken.option }),
    });
  }
  return steeringNote({
    question: taken.id,
    at: taken.at,
    zone,
    sender: {
      via: taken.via,
      ...(taken.host === undefined ? {} : { host: taken.host }),
      ...(taken.by === undefined ? {} : { by: taken.by }),
    },
    text: saidWords(taken),
  });
}

/** What the person said: an option as its key and label, or the verb, with the words beside it; else the words. */
function saidWords(taken: Taken): string {
  if (taken.option !== undefined) {
    const choice = taken.label === undefined ? taken.option : `${taken.option} — ${taken.label}`;
    return taken.text === undefined ? choice : `${choice}\n${taken.text}`;
  }
  const verb = taken.outcome === "skipped" ? "skip" : taken.outcome === "retried" ? "retry" : undefined;
  if (verb === undefined) return taken.text ?? taken.outcome;
  return taken.text === undefined ? verb : `${verb}\n${taken.text}`;
}
