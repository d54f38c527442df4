import type { AskedView } from "../src/domain/view.ts";
import type { Pen } from "./pen.ts";
import type { Fixed } from "./pieces.ts";
import { type Piece, sizeOfPieces } from "./sizes.ts";
import { elsewhereWords } from "./words.ts";

/** Headline, id, deadline, and where the options are. */
export function pointer(
  view: AskedView,
  pen: Pen,
  fixed: Pick<Fixed, "bareId" | "isStanding" | "deadline">,
  most: number,
): readonly Piece[] {
  const last: Piece[] = [
    { name: fixed.isStanding ? "standing" : "deadline", written: pen.part(fixed.deadline) },
    ...(view.answerable ? [{ name: "text" as const, written: pen.part(pen.own(elsewhereWords(view))) }] : []),
  ];
  const id: Piece = { name: "header", written: pen.opening(view.id, fixed.bareId) };
  const room = most - sizeOfPieces([id, ...last], pen) - 2 - pen.frame;
  const whole = pen.inline(view.title);
  const title = pen.size(whole) <= room ? whole : pen.head(view.title, room);
  const pieces = title ? [id, { name: "title" as const, written: pen.part(title) }, ...last] : [id, ...last];
  if (sizeOfPieces(pieces, pen) <= most) return pieces;
  const rest = pen.head(`[${view.id}] ${view.deadline}`, most - pen.frame);
  return rest ? [{ name: "text", written: pen.part(rest) }] : [];
}
