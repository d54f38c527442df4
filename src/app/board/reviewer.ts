import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reviewerContext } from "../../core/board/blocks.ts";
import { readReview } from "../../core/board/review.ts";
import { type Spec, specHash } from "../../core/board/verdict.ts";
import { axes, axisMarks, type Review } from "../../domain/review.ts";
import type { Reviewer } from "../config-values.ts";
import type { Environment } from "../home.ts";
import type { ReviewerReason, ReviewerRefusal } from "./api.ts";

export type Reviewed = { readonly ok: true; readonly review: Review } | ReviewerRefusal;

const mostOutputBytes = 256 * 1024;
const mostErrorLength = 400;
/** Between the request to stop and the end. */
const graceMs = 2_000;
/** What a program needs to run at all. Nothing of owlpost's own is among it. */
const usualVariables = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];

/**
 * Asks the reviewer about one spec. It starts in an empty folder that it may not write to, with no path of the task's and
 * none of owlpost's, as an agent: it is there to read and to judge. That is an intent and no sandbox.
 */
export async function askReviewer(
  reviewer: Reviewer,
  id: string,
  spec: Spec,
  env: Environment,
): Promise<Reviewed> {
  const folder = await mkdtemp(join(tmpdir(), "owlpost-review-"));
  try {
    await chmod(folder, 0o500);
    const ran = await runReviewer(reviewer, `${JSON.stringify(reviewInput(id, spec))}\n`, folder, env);
    if (!ran.ok) return ran;
    const review = readReview(parsed(ran.output));
    return review
      ? { ok: true, review }
      : failed(
          "reviewer-malformed",
          `What ${reviewer.name} wrote is no review: six axes with ${axisMarks.join(" ")}, gaps and fixes are wanted (docs/board.md). Nothing was stored.`,
        );
  } finally {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the reviewer reads: the spec as it is hashed, and what is wanted of it. */
export function reviewInput(id: string, spec: Spec): Readonly<Record<string, unknown>> {
  return {
    version: 1,
    rubric: "irc-6axis",
    axes,
    marks: axisMarks,
    task: {
      id,
      hash: specHash(spec),
      title: spec.title ?? "",
      description: spec.description ?? "",
      acceptanceCriteria: spec.acceptanceCriteria ?? "",
      executionPlan: spec.executionPlan ?? "",
      context: reviewerContext(spec.context ?? ""),
    },
  };
}

type Ran = { readonly ok: true; readonly output: string } | ReviewerRefusal;

function runReviewer(reviewer: Reviewer, input: string, folder: string, env: Environment): Promise<Ran> {
  const { command, name, timeLimitMs } = reviewer;
  const [program, ...words] = command;
  return new Promise((resolve) => {
    // A group of its own, so that what it starts ends with it.
    const child = spawn(program, words, {
      cwd: folder,
      env: variables(reviewer, env),
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    const output: Buffer[] = [];
    let bytes = 0;
    let complaint = "";
    const end = (signal: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal);
      } catch {
        // It is gone already.
      }
    };
    const interrupted = (signal: NodeJS.Signals): void => {
      end("SIGKILL");
      process.kill(process.pid, signal);
    };
    let told: Ran | undefined;
    let grace: NodeJS.Timeout | undefined;
    const done = (ran: Ran): void => {
      clearTimeout(limit);
      clearTimeout(grace);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      resolve(told ?? ran);
    };
    /** Asked to go first; what is there after the grace is ended, and only then is it over. */
    const stop = (ran: Ran): void => {
      if (told) return;
      told = ran;
      clearTimeout(limit);
      child.stdout.destroy();
      end("SIGTERM");
      grace ??= setTimeout(() => {
        end("SIGKILL");
        done(ran);
      }, graceMs);
    };
    const limit = setTimeout(() => {
      const message = `${name} gave no review within ${timeLimitMs / 1_000} s and was stopped. Nothing was stored.`;
      stop(failed("reviewer-timeout", message));
    }, timeLimitMs);
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    child.once("error", (error: NodeJS.ErrnoException) =>
      done(
        failed(
          "reviewer-failed",
          `${program} could not be started (${error.code ?? error.message}): look at reviewer.command in config.yaml.`,
        ),
      ),
    );
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostOutputBytes) output.push(chunk);
      else stop(failed("reviewer-malformed", `${name} wrote more than 256 KiB. Nothing was stored.`));
    });
    child.stderr.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk.toString("utf8")).slice(-mostErrorLength);
    });
    // It may judge without having read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const ended = (code: number | null, signal: NodeJS.Signals | null): Ran => {
      if (code === 0) return { ok: true, output: Buffer.concat(output).toString("utf8") };
      const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
      const why = complaint.trim().replace(/\.$/, "");
      return failed("reviewer-failed", `${name} ${how}${why === "" ? "" : `: ${why}`}. Nothing was stored.`);
    };
    child.once("exit", (code, signal) => {
      // What it has started ends with it, and what has left its group holds nobody up by an open pipe.
      end("SIGKILL");
      clearTimeout(limit);
      clearTimeout(grace);
      grace = setTimeout(() => done(ended(code, signal)), graceMs);
    });
    child.once("close", (code, signal) => done(ended(code, signal)));
  });
}

function variables({ env: wanted }: Reviewer, env: Environment): Record<string, string> {
  const given = [...usualVariables, ...wanted].flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(given), OWLPOST_AS: "agent" };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function failed(reason: ReviewerReason, message: string): ReviewerRefusal {
  return { ok: false, reason, message };
}
