import type { Actor, BoardRefusal } from "../../domain/board.ts";
import {
  changedTask,
  hasRunOut,
  type StoredTask,
  type TaskFields,
  type TaskStatus,
} from "../../domain/task.ts";
import { writesBlocks } from "./blocks.ts";
import type { MoveWords } from "./conditions.ts";
import { refusal } from "./graph.ts";
import { adoptsGuess } from "./inferred.ts";
import type { BoardSettings } from "./settings.ts";
import { isExemptFromReview } from "./worthiness.ts";

/** A program judges neither its own work nor its own plan, and speaks for nobody. */
export function refusedToAgent(
  { actor: { kind }, now }: BoardSettings,
  { task, claim, parkedFor, leftBy }: StoredTask,
  { approved, status, claim: token }: MoveWords & { readonly status?: TaskStatus },
  fields: Partial<TaskFields>,
  /** The one that the fields name. */
  parent?: StoredTask,
): BoardRefusal | undefined {
  if (kind === "person") return undefined;
  if (approved === true) return notAllowed("approve of work: leave this to a person.");
  if (fields.qualityVerdict !== undefined) return verdictRefused;
  if (fields.requiresReview === false)
    return notAllowed("take a task's review away: leave this to a person.");
  if (fields.tags !== undefined && isExemptFromReview({ tags: fields.tags }) && !isExemptFromReview(task))
    return exemptionRefused;
  if (fields.context !== undefined && writesBlocks(task.context, fields.context)) return blocksRefused;
  if (adoptsGuess(task, changedTask(task, fields)))
    return notAllowed(
      `adopt a guessed line ([INFERRED]): a person does, with owlpost task review ${task.id} --confirm-line N. What is no guess any more is written in other words.`,
    );
  const part = parent && refusedPart(parent, changedTask(task, fields));
  if (part) return part;
  if (status === undefined || status === task.status) return undefined;
  if (parkedFor.length > 0)
    return notAllowed(
      `move a task that waits for an answer (${parkedFor.join(", ")}): owlpost take --task ${task.id} brings the answer and lets it go on.`,
    );
  if (leftBy.length > 0)
    return notAllowed(
      `move a task that was skipped, or for which nobody answered (${leftBy.join(", ")}): leave this to a person, or ask anew about it.`,
    );
  const isHeld = task.status === "In Progress" && claim !== null && !hasRunOut(claim, now);
  if (isHeld && token === undefined && (status === "Backlog" || status === "Cancelled"))
    return notAllowed(
      `take ${task.id} away from ${claim.by}, who works on it, without that claim (--claim).`,
    );
  return undefined;
}

/** The same of a task that is only made. */
export function newRefusedToAgent(
  { kind }: Actor,
  { qualityVerdict = "", tags = [], context = "", requiresReview = false }: Partial<TaskFields>,
  parent?: StoredTask,
): BoardRefusal | undefined {
  if (kind === "person") return undefined;
  if (qualityVerdict.trim() !== "") return verdictRefused;
  if (isExemptFromReview({ tags })) return exemptionRefused;
  if (writesBlocks("", context)) return blocksRefused;
  return parent && refusedPart(parent, { requiresReview });
}

/** A parent is Done with its last part, whatever it waits for: so a part that a program gives to it decides about it. */
function refusedPart(
  { task: { id, requiresReview }, parkedFor, leftBy }: StoredTask,
  part: Pick<TaskFields, "requiresReview">,
): BoardRefusal | undefined {
  const heldUpBy = [...parkedFor, ...leftBy];
  if (heldUpBy.length > 0)
    return notAllowed(
      `give a part to ${id}, which is Blocked by a question (${heldUpBy.join(", ")}) and would be Done with that part.`,
    );
  return requiresReview && !part.requiresReview
    ? notAllowed(
        `give a part to ${id}, which must be reviewed and would be Done with that part: let the part be reviewed, too (--review).`,
      )
    : undefined;
}

function notAllowed(what: string): BoardRefusal {
  return refusal("not-allowed", `An agent (OWLPOST_AS=agent) may not ${what}`);
}

const verdictRefused = notAllowed("write a verdict: owlpost task review asks the reviewer.");
const exemptionRefused = notAllowed(
  "exempt a task from its review (a tag worthiness:…): leave this to a person.",
);
const blocksRefused = notAllowed(
  "write what the board itself keeps in a context (--- … --- and what stands below it): leave those lines as they stand, and write around them.",
);
