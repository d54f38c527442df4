import type { Aborted, Taken } from "../app/api.ts";
import type { Config } from "../app/config.ts";
import { plain, say } from "./print.ts";
import type { Call } from "./verb.ts";

/**
 * What was taken, as files in the airlock: `answers/<qid>.yaml` and the note that `steering_file` promises.
 * A file that cannot be written is told, and holds up no other answer. Returns the questions whose files are missing.
 */
export async function writeAnswers(
  call: Call,
  config: Config,
  taken: readonly Taken[],
): Promise<readonly string[]> {
  if (taken.length === 0) return [];
  const { writeAnswer } = await import("../app/airlock/answer.ts");
  const settings = { home: call.home, airlocks: config.airlocks, zone: config.zone };
  const missing: string[] = [];
  for (const each of taken) {
    try {
      await writeAnswer(each, settings);
    } catch (error) {
      missing.push(each.id);
      const why = error instanceof Error ? error.message : String(error);
      await say(
        call,
        `The files of ${each.id} (project ${each.project}) could not be written: ${plain(why)}`,
      );
    }
  }
  return missing;
}

/** The same for runs that are to stop: `answers/abort-<run>.yaml`. Returns the names of the files that are missing. */
export async function writeAborts(
  call: Call,
  config: Config,
  aborts: readonly Aborted[],
): Promise<readonly string[]> {
  if (aborts.length === 0) return [];
  const { writeAbort } = await import("../app/airlock/abort-file.ts");
  const missing: string[] = [];
  for (const each of aborts) {
    try {
      await writeAbort(each, { home: call.home, airlocks: config.airlocks });
    } catch (error) {
      missing.push(`abort-${each.run}`);
      const why = error instanceof Error ? error.message : String(error);
      await say(
        call,
        `The file that stops run ${each.run} (project ${each.project}) could not be written: ${plain(why)}`,
      );
    }
  }
  return missing;
}
