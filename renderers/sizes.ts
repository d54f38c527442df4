import { utf8Bytes } from "../src/domain/bytes.ts";
import type { Capabilities, Extent } from "../src/domain/capabilities.ts";
import type { PartName } from "../src/domain/channel.ts";
import type { Written } from "./markup.ts";
import type { Pen } from "./pen.ts";

/** A part of a message as it is sent and as it is shown. */
export type Piece = { readonly name: PartName; readonly written: Written };

/** `whole`: nothing was cut. `pointer`: not even what is never cut fits; the options stand elsewhere. */
export type Laid = { readonly pieces: readonly Piece[]; readonly fit: "whole" | "cut" | "pointer" };

/** The most a body may hold in this row: what is posted must leave room for what it becomes. */
export function roomOf(row: Capabilities): number {
  return Math.min(row.body.max, row.body.editMax ?? row.body.max);
}

export function sizeOfPieces(pieces: readonly Piece[], pen: Pen): number {
  let size = 2 * Math.max(0, pieces.length - 1);
  for (const piece of pieces) size += pen.size(piece.written);
  return size;
}

export function fits(pieces: readonly Piece[], pen: Pen, row: Capabilities, most: number): boolean {
  const { partMax } = row.body;
  if (partMax !== undefined && pieces.some((piece) => pen.size(piece.written) > partMax)) return false;
  return sizeOfPieces(pieces, pen) <= most;
}

/** How many bytes the request would be too long as JSON. */
export function wireExcess(pieces: readonly Piece[], row: Capabilities): number {
  const { wire } = row.body;
  if (!wire) return 0;
  const room = wire.maxBytes - wire.restBytes;
  let bytes = 0;
  for (const piece of pieces) bytes += 4 + utf8Bytes(piece.written.sent);
  // No character that is left in a text takes more than twice its bytes as JSON.
  return bytes * 2 + 2 <= room ? 0 : wireBytes(pieces) - room;
}

function wireBytes(pieces: readonly Piece[]): number {
  return utf8Bytes(JSON.stringify(pieces.map((piece) => piece.written.sent).join("\n\n")));
}

/** Of a row's limits the one that is exceeded most, or that comes nearest. */
export function tightest(pieces: readonly Piece[], pen: Pen, row: Capabilities): Extent {
  const { unit, partMax, wire } = row.body;
  const all: Extent[] = [{ size: sizeOfPieces(pieces, pen), room: roomOf(row), unit, of: "message" }];
  if (partMax !== undefined) {
    const size = Math.max(0, ...pieces.map((piece) => pen.size(piece.written)));
    all.push({ size, room: partMax, unit, of: "part" });
  }
  if (wire)
    all.push({
      size: wireBytes(pieces),
      room: wire.maxBytes - wire.restBytes,
      unit: "utf8",
      of: "request",
    });
  return all.reduce((most, each) => (each.size * most.room > most.size * each.room ? each : most));
}
