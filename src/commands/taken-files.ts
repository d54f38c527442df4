import type { Taken } from "../app/api.ts";
import type { Config } from "../app/config.ts";
import type { Call } from "./verb.ts";

/** What was taken, as files in the airlock: `answers/<qid>.yaml` and the note that `steering_file` promises. */
export async function writeAnswers(call: Call, config: Config, taken: readonly Taken[]): Promise<void> {
  if (taken.length === 0) return;
  const { writeAnswer } = await import("../app/airlock/answer.ts");
  const settings = { home: call.home, airlocks: config.airlocks, zone: config.zone };
  for (const each of taken) await writeAnswer(each, settings);
}
