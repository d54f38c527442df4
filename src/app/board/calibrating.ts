import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { calibrate, leastAgreement, leastSamples } from "../../core/board/calibration.ts";
import { refusal } from "../../core/board/graph.ts";
import type { Spec } from "../../core/board/verdict.ts";
import { type Calibration, type Sample, type VerdictWord, verdictWords } from "../../domain/review.ts";
import { writeWhole } from "../airlock/files.ts";
import type { Reviewer } from "../config-values.ts";
import type { CalibrationOutcome, CalibrationRequest } from "./api.ts";
import type { BoardDesk } from "./board-desk.ts";
import { readTask } from "./document.ts";
import { documentsIn } from "./incoming.ts";
import { askReviewer, failed } from "./reviewer.ts";

/** So many reviews go on at once. */
const atOnce = 4;

/** What was measured of which command. */
type Measured = Pick<Calibration, "samples" | "agreed"> & {
  readonly command: string;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** Why its verdicts do not count (yet); undefined where they do. */
export async function whyNotCounted(home: string, reviewer: Reviewer): Promise<string | undefined> {
  const measured = await readMeasured(home);
  const how = `owlpost task review --calibrate FILE measures it on ${leastSamples} tasks or more that people have judged (docs/board.md)`;
  if (!measured) return `The reviewer was never measured, so its verdicts do not count: ${how}.`;
  if (measured.command !== markOf(reviewer))
    return `The reviewer's command was changed after it was measured, so its verdicts do not count: ${how}.`;
  const { samples, agreed } = measured;
  if (samples < leastSamples || agreed / samples < leastAgreement)
    return `The reviewer agreed with people on ${agreed} of ${samples} tasks, so its verdicts do not count: ${how}.`;
  return undefined;
}

/** Asks the reviewer about every sample, keeps what came of it, and says where it disagreed. */
export async function calibrateReviewer(
  { desk, options }: BoardDesk,
  { text, env, told }: CalibrationRequest,
): Promise<CalibrationOutcome> {
  const { home, config, now } = desk;
  const { reviewer } = config;
  if (options.actor.kind === "agent")
    return refusal(
      "not-allowed",
      "An agent (OWLPOST_AS=agent) may not measure the reviewer: leave this to a person.",
    );
  if (!reviewer)
    return failed("no-reviewer", "No reviewer is configured: set reviewer in config.yaml (docs/board.md).");
  const labelled = readSamples(text);
  if (typeof labelled === "string") return refusal("field-invalid", labelled);
  const samples: Sample[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < labelled.length; at = next++) {
      const { id, expected, spec } = labelled[at] as Labelled;
      const reviewed = await askReviewer(reviewer, id, spec, env);
      samples[at] = { id, expected, got: reviewed.ok ? reviewed.review.verdict : undefined };
      told?.(samples.filter(Boolean).length, labelled.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const calibration = calibrate(samples);
  const measured: Measured = {
    command: markOf(reviewer),
    samples: calibration.samples,
    agreed: calibration.agreed,
    at: new Date(now()).toISOString(),
  };
  await writeWhole(placeOf(home), `${JSON.stringify(measured)}\n`, 0o600);
  return { ok: true, calibration };
}

type Labelled = { readonly id: string; readonly expected: VerdictWord; readonly spec: Spec };

/** The samples, or what is wrong with the first that is none. */
function readSamples(text: string): readonly Labelled[] | string {
  const found: Labelled[] = [];
  for (const { line, value } of documentsIn(text)) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return `Sample ${line} is no JSON document.`;
    const { verdict, ...document } = value as Record<string, unknown>;
    const expected = verdictWords.find((word) => word === verdict);
    if (!expected) return `Sample ${line} has no verdict; it is one of ${verdictWords.join(", ")}.`;
    const { fields, id, misfits } = readTask(document);
    if (misfits[0]) return `Sample ${line}: ${misfits[0].message}.`;
    found.push({ id: id ?? `sample-${line}`, expected, spec: fields });
  }
  return found.length === 0 ? "There are no samples in it." : found;
}

function placeOf(home: string): string {
  return join(home, "reviewer.json");
}

/** A reviewer with another command is another reviewer. */
function markOf({ command }: Reviewer): string {
  return createHash("sha256").update(JSON.stringify(command)).digest("hex").slice(0, 16);
}

async function readMeasured(home: string): Promise<Measured | undefined> {
  try {
    const read = JSON.parse(await readFile(placeOf(home), "utf8")) as Partial<Measured> | null;
    const { command, samples, agreed, at } = read ?? {};
    const isWhole = typeof command === "string" && typeof samples === "number" && typeof agreed === "number";
    return isWhole ? { command, samples, agreed, at: String(at) } : undefined;
  } catch {
    // Without it, it was never measured.
    return undefined;
  }
}
