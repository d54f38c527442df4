import type { Aborted, Taken } from "../app/api.ts";
import { plain } from "./print.ts";

/** What came of a question, on one line: `answered: 1 — Keep the cookie`. Only a person's answer is called one. */
export function takenLine(taken: Taken): string {
  const choice = taken.option === undefined ? undefined : `${taken.option} — ${taken.label ?? ""}`;
  if (taken.outcome === "defaulted") {
    const done = choice === undefined ? "spec skipped" : `recommended option ${choice} taken`;
    return plain(`no answer by the deadline: ${done}`);
  }
  const what = choice ?? taken.text;
  return plain(what === undefined ? taken.outcome : `${taken.outcome}: ${what}`);
}

/** `abort  a3f2  by eric via telegram`. */
export function abortLine({ run, by, via, host }: Aborted): string {
  const where =
    via === "cli" ? `from the command line${host === undefined ? "" : ` on ${host}`}` : `via ${via}`;
  return plain(`abort  ${run}  ${by === undefined ? "" : `by ${by} `}${where}`);
}
