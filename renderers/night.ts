import type { Capabilities } from "../src/domain/capabilities.ts";
import type { ConsentView, HeldView, NightView } from "../src/domain/view.ts";
import { areComplete } from "./buttons.ts";
import type { Written } from "./markup.ts";
import type { Pen } from "./pen.ts";
import { deadlinePiece, type Fixed } from "./pieces.ts";
import type { Piece } from "./sizes.ts";
import { nightReplyLine, recommendedLabel, stuckLabel } from "./words.ts";

/** A night form, from the whole of it to what is never cut. */
export type NightForms = Pick<Fixed, "bareId" | "isStanding" | "deadline"> & {
  readonly forms: readonly (readonly Piece[])[];
};

export function nightForms(view: NightView, row: Capabilities, pen: Pen): NightForms {
  const { markup } = pen;
  const bareId = pen.own(`[${view.id}]`);
  const greeting = pen.join(["🦉 ", pen.strong(pen.own(view.task)), " ", bareId]);
  const isStanding = view.standing !== undefined;
  const deadline = deadlinePiece(view, pen);
  const reply = view.answerable
    ? pen.own(nightReplyLine(view, row, { hasButtons: areComplete(view, row), isBare: markup.isBare }))
    : undefined;
  const compose = (front: Written, lines: readonly Written[]): readonly Piece[] => [
    { name: "header", written: pen.opening(view.id, front) },
    { name: "text", written: pen.part(pen.lines(lines)) },
    { name: isStanding ? "standing" : "deadline", written: pen.part(deadline) },
    ...(reply ? [{ name: "reply" as const, written: pen.part(reply) }] : []),
  ];
  const { most, least } = view.type === "consent" ? consentLines(view, pen) : heldLines(view, pen);
  const forms = [compose(greeting, most), compose(bareId, most)];
  if (least.length < most.length) forms.push(compose(bareId, least));
  return { bareId, isStanding, deadline, forms };
}

type Lines = { readonly most: readonly Written[]; readonly least: readonly Written[] };

/**
 * Three lines, whatever the agent wrote: each is folded into one.
 *
 *     Stuck on: Token refresh strategy for the auth middleware?
 *     Recommended: Refresh-token rotation, in memory — no schema change
 *     Either answer is safe: everything stays on the branch, and nothing merges tonight.
 */
function consentLines(view: ConsentView, pen: Pen): Lines {
  const { label, consequence } = view.recommended;
  const recommended = pen.join([
    `${recommendedLabel} `,
    pen.strong(pen.inline(label)),
    " — ",
    pen.inline(consequence),
  ]);
  // What was decided needs no reasons any more.
  if (!view.answerable) {
    const title = pen.strong(pen.line(view.title));
    return { most: [title, recommended], least: [title] };
  }
  const stuck = pen.join([`${stuckLabel} `, pen.strong(pen.inline(view.title))]);
  return { most: [stuck, recommended, pen.own(view.safety)], least: [stuck, recommended] };
}

function heldLines(view: HeldView, pen: Pen): Lines {
  const title = pen.strong(pen.line(view.title));
  const lines = view.answerable ? [title, pen.own(view.held)] : [title];
  return { most: lines, least: lines };
}
