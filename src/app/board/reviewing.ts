import { noSuchTask } from "../../core/board/change.ts";
import { refusal } from "../../core/board/graph.ts";
import { decideReview, planReview, structuralFindings } from "../../core/board/review.ts";
import { specHash } from "../../core/board/verdict.ts";
import type { BoardRefusal, Finding } from "../../domain/board.ts";
import { taskId } from "../../domain/ids.ts";
import type { Review } from "../../domain/review.ts";
import type { StoredTask } from "../../domain/task.ts";
import type { ReviewOutcome, ReviewRequest } from "./api.ts";
import type { BoardDesk } from "./board-desk.ts";
import { whyNotCounted } from "./calibrating.ts";
import { askReviewer, failed } from "./reviewer.ts";

/** One review: a person's own word, a verdict that stands, or the reviewer's. */
export async function review(
  { desk, options, change }: BoardDesk,
  request: ReviewRequest,
): Promise<ReviewOutcome> {
  const { store, config, home } = desk;
  const known = taskId(request.id);
  const stored = known && (await store.task(options.board, known));
  if (!stored) return noSuchTask(request.id);
  return request.said ? bySomebody(stored, request.said) : byReviewer(stored);

  async function bySomebody(found: StoredTask, said: Review): Promise<ReviewOutcome> {
    const { kind, name } = options.actor;
    if (kind === "agent")
      return refusal(
        "not-allowed",
        "An agent (OWLPOST_AS=agent) may not write a verdict: owlpost task review asks the reviewer.",
      );
    const lacks = said.verdict === "PASS" ? structuralFindings(found.task, found.children.all > 0) : [];
    return lacks.length > 0 ? notReady(found, lacks) : write(found, said, name);
  }

  async function byReviewer(found: StoredTask): Promise<ReviewOutcome> {
    const { task, children } = found;
    const { reviewer } = config;
    const mode = request.mode ?? (request.advice ? "live" : (reviewer?.mode ?? "cache-aware"));
    const plan = planReview(task, children.all > 0, mode);
    if (plan.kind === "hit") {
      const { verdict, gaps, fixes, line } = plan.review;
      return { ok: true, how: "stood", id: task.id, review: { verdict, gaps, fixes }, line };
    }
    if (plan.kind === "unreviewed")
      return failed("unreviewed", `Nobody has reviewed ${task.id} as it stands now.`);
    if (plan.kind === "rejected") return notReady(found, plan.findings);
    if (!reviewer) {
      const message = `No reviewer is configured (docs/board.md); owlpost task review ${task.id} --verdict pass says a person's own word.`;
      return failed("no-reviewer", message);
    }
    const why = request.advice ? undefined : await whyNotCounted(home, reviewer);
    if (why !== undefined) return failed("reviewer-disabled", why);
    const reviewed = await askReviewer(reviewer, task.id, task, request.env);
    if (!reviewed.ok) return reviewed;
    if (request.advice) return { ok: true, how: "advice", id: task.id, review: reviewed.review };
    return write(found, reviewed.review, reviewer.name);
  }

  /** Counts only for the very text that was judged. */
  async function write({ task }: StoredTask, judged: Review, reviewer: string): Promise<ReviewOutcome> {
    const { id } = task;
    const wanted = { id, hash: specHash(task), review: judged, reviewer };
    const written = await change({ tasks: [id] }, (snapshot, settings) =>
      decideReview(snapshot, wanted, settings),
    );
    return written.ok ? { ok: true, how: "stored", id, review: judged, line: written.review.line } : written;
  }
}

function notReady({ task: { id } }: StoredTask, findings: readonly Finding[]): BoardRefusal {
  const lacks = findings.map((each) => `${each.field}: ${each.message}`).join(" ");
  return refusal("not-ready", `${id} is not reviewed before this is mended: ${lacks}`, findings);
}
