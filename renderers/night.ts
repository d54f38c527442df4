import type { Capabilities } from "../src/domain/capabilities.ts";
import type { ConsentView, HeldView, NightView } from "../src/domain/view.ts";
import { areComplete } from "./buttons.ts";
import { same, type Written } from "./markup.ts";
import type { Pen } from "./pen.ts";
import type { Fixed } from "./pieces.ts";
import type { Piece } from "./sizes.ts";
import { nightReplyLine, recommendedLabel, stuckLabel } from "./words.ts";

/** A night form, from the whole of it to what is never cut. */
export type NightForms = Pick<Fixed, "opening" | "bareId" | "isStanding" | "deadline"> & {
  readonly forms: readonly (readonly Piece[])[];
};

export function nightForms(view: NightView, row: Capabilities, pen: Pen): NightForms {
  const { markup } = pen;
  const opening = markup.opening?.(view.id) ?? same("");
  const bareId = pen.own(`[${view.id}]`);
  const greeting = pen.join(["🦉 ", strong(pen.own(view.task), pen), " ", bareId]);
  const isStanding = view.standing !== undefined;
  const deadline = pen.lines((view.standing ?? view.deadline).split("\n").map(pen.inline));
  const reply = view.answerable
    ? pen.own(nightReplyLine(view, row, { hasButtons: areComplete(view, row), isBare: markup.isBare }))
    : undefined;
  const compose = (front: Written, lines: readonly Written[]): readonly Piece[] => [
    { name: "header", written: pen.join([opening, pen.part(front)]) },
    { name: "text", written: pen.part(pen.lines(lines)) },
    { name: isStanding ? "standing" : "deadline", written: pen.part(deadline) },
    ...(reply ? [{ name: "reply" as const, written: pen.part(reply) }] : []),
  ];
  const { most, least } = view.type === "consent" ? consentLines(view, pen) : heldLines(view, pen);
  const forms = [compose(greeting, most), compose(bareId, most)];
  if (least.length < most.length) forms.push(compose(bareId, least));
  return { opening, bareId, isStanding, deadline, forms };
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
    strong(pen.inline(label), pen),
    " — ",
    pen.inline(consequence),
  ]);
  // What was decided needs no reasons any more.
  if (!view.answerable) {
    const title = strong(pen.line(view.title), pen);
    return { most: [title, recommended], least: [title] };
  }
  const stuck = pen.join([`${stuckLabel} `, strong(pen.inline(view.title), pen)]);
  return { most: [stuck, recommended, pen.own(view.safety)], least: [stuck, recommended] };
}

function heldLines(view: HeldView, pen: Pen): Lines {
  const title = strong(pen.line(view.title), pen);
  const lines = view.answerable ? [title, pen.own(view.held)] : [title];
  return { most: lines, least: lines };
}

function strong(written: Written, { markup }: Pen): Written {
  return { sent: markup.strong(written.sent), shown: written.shown };
}
