import type { MarkupNode, MarkupTree } from "../src/domain/markup-tree.ts";
import type { Span, TimelineRow, TimelineView } from "../src/domain/report.ts";
import { boundaryBefore } from "./graphemes.ts";
import { node } from "./markup-tree.ts";
import { reveal } from "./neutralise.ts";
import { legend, markAt } from "./timeline-marks.ts";

/** `wide` for a desk and for paper, with names beside the tracks; `narrow` for a phone, with names above them. */
export type TimelineForm = "wide" | "narrow";

type Layout = {
  readonly width: number;
  readonly trackFrom: number;
  readonly trackTo: number;
  readonly rowHeight: number;
  /** From the top of a row to its track. */
  readonly trackDown: number;
  readonly nameDown: number;
  readonly nameWidth: number;
  readonly outcomeAt: number;
  readonly outcomeAnchor: "start" | "end";
  /** At least so much lies between two labels of the axis. */
  readonly tickGap: number;
};

const layouts: Readonly<Record<TimelineForm, Layout>> = {
  wide: {
    width: 840,
    trackFrom: 262,
    trackTo: 690,
    rowHeight: 30,
    trackDown: 16,
    nameDown: 20,
    nameWidth: 240,
    outcomeAt: 704,
    outcomeAnchor: "start",
    tickGap: 4,
  },
  narrow: {
    width: 358,
    trackFrom: 12,
    trackTo: 346,
    rowHeight: 46,
    trackDown: 32,
    nameDown: 14,
    nameWidth: 206,
    outcomeAt: 354,
    outcomeAnchor: "end",
    tickGap: 8,
  },
};

const axisHeight = 40;
const hourWidth = 33;
const outageHeight = 26;

/** The night as a picture. Its shapes alone tell what colours tell; `title` and `desc` say it in words. */
export function timelineSvg(view: TimelineView, form: TimelineForm): MarkupNode {
  const layout = layouts[form];
  const { width, trackFrom, trackTo, rowHeight } = layout;
  const length = Math.max(1, view.toAt - view.fromAt);
  const x = (at: number): number => trackFrom + ((at - view.fromAt) / length) * (trackTo - trackFrom);
  const outageTop = axisHeight;
  const outageRow = form === "wide" ? outageHeight : rowHeight;
  const rowsTop = outageTop + view.outages.length * outageRow;
  const bottom = rowsTop + Math.max(1, view.rows.length) * rowHeight + 4;
  const signs = legend(
    form === "wide" ? [trackFrom - 250, 7] : [12, 3],
    bottom + 22,
    form === "wide" ? 118 : 114,
  );
  const height = signs.bottom;
  const ids = { title: `timeline-title-${form}`, description: `timeline-description-${form}` };
  return node(
    "svg",
    {
      class: `timeline timeline-${form}`,
      viewBox: `0 0 ${width} ${Math.round(height)}`,
      role: "img",
      "aria-labelledby": `${ids.title} ${ids.description}`,
    },
    node("title", { id: ids.title }, view.title),
    node("desc", { id: ids.description }, reveal(view.description)),
    hatching(form),
    ...view.quiet.map((span) => quietBand(span, x, bottom)),
    ...axis(view, layout, x, bottom),
    ...view.outages.map((outage, index) =>
      outageLine(outage, layout, x, outageTop + index * outageRow, form),
    ),
    ...(view.rows.length === 0
      ? [
          node(
            "text",
            { class: "t-none", x: (trackFrom + trackTo) / 2, y: rowsTop + 20, "text-anchor": "middle" },
            "no question",
          ),
        ]
      : view.rows.map((row, index) => rowLine(row, layout, x, rowsTop + index * rowHeight, form))),
    ...signs.nodes,
  );
}

/** Bars of an outage are hatched, so that they differ from all else without their colour. */
function hatching(form: TimelineForm): MarkupNode {
  return node(
    "defs",
    {},
    node(
      "pattern",
      {
        id: `hatch-${form}`,
        width: 6,
        height: 6,
        patternUnits: "userSpaceOnUse",
        patternTransform: "rotate(45)",
      },
      node("rect", { class: "t-hatch-ground", width: 6, height: 6 }),
      node("rect", { class: "t-hatch", width: 2.5, height: 6 }),
    ),
  );
}

function quietBand({ fromAt, toAt }: Span, x: (at: number) => number, bottom: number): MarkupNode {
  const [from, to] = [x(fromAt), x(toAt)];
  return node(
    "g",
    {},
    node("rect", {
      class: "t-quiet",
      x: from,
      y: axisHeight - 8,
      width: to - from,
      height: bottom - axisHeight + 8,
    }),
    node("rect", { class: "t-quiet-edge", x: from, y: axisHeight - 10, width: to - from, height: 3 }),
    to - from > 84 ? node("text", { class: "t-quiet-name", x: from + 2, y: 10 }, "☾ quiet hours") : undefined,
  );
}

function axis(
  { ticks }: TimelineView,
  { trackFrom, trackTo, tickGap, width }: Layout,
  x: (at: number) => number,
  bottom: number,
): readonly MarkupNode[] {
  const nodes = [
    node("line", { class: "t-axis", x1: trackFrom, y1: axisHeight - 8, x2: trackTo, y2: axisHeight - 8 }),
  ];
  let free = Number.NEGATIVE_INFINITY;
  for (const { at, label, day } of ticks) {
    const place = x(at);
    nodes.push(
      node("line", {
        class: day === undefined ? "t-grid" : "t-grid t-midnight",
        x1: place,
        y1: axisHeight - 8,
        x2: place,
        y2: bottom,
      }),
    );
    // A label at the edge stays inside the picture, and none touches the one before it.
    const centre = Math.min(Math.max(place, hourWidth / 2 + 4), width - hourWidth / 2 - 4);
    if (centre - hourWidth / 2 < free) continue;
    free = centre + hourWidth / 2 + tickGap;
    nodes.push(node("text", { class: "t-hour", x: centre, y: 24, "text-anchor": "middle" }, label));
  }
  return nodes;
}

function outageLine(
  { name, spans, label }: TimelineView["outages"][number],
  layout: Layout,
  x: (at: number) => number,
  top: number,
  form: TimelineForm,
): MarkupNode {
  const { trackDown, nameWidth, nameDown, trackFrom } = layout;
  const nameAt = form === "wide" ? 12 : 4;
  const track = top + (form === "wide" ? 12 : trackDown - 4);
  return node(
    "g",
    { class: "t-outages" },
    node("title", {}, reveal(label)),
    clipped(
      "t-outage-name",
      nameAt,
      top,
      nameDown - (form === "wide" ? 4 : 0),
      nameWidth + (form === "wide" ? 0 : 130),
      `not heard: ${name}`,
    ),
    ...spans.map(({ fromAt, toAt }) =>
      node("rect", {
        class: "t-outage",
        fill: `url(#hatch-${form})`,
        x: Math.max(trackFrom, x(fromAt)),
        y: track - 7,
        width: Math.max(2, x(toAt) - x(fromAt)),
        height: 14,
        rx: 2,
      }),
    ),
  );
}

function rowLine(
  row: TimelineRow,
  layout: Layout,
  x: (at: number) => number,
  top: number,
  form: TimelineForm,
): MarkupNode {
  const { trackFrom, trackTo, trackDown, nameDown, nameWidth, outcomeAt, outcomeAnchor, rowHeight, width } =
    layout;
  const track = top + trackDown;
  const marks = row.marks.map(({ kind, at }): MarkupTree => markAt(kind, x(at), track));
  return node(
    "g",
    { class: row.question === undefined ? "t-row t-group" : "t-row" },
    node("title", {}, reveal(`${row.title}: ${row.outcome}`)),
    node("line", { class: "t-rule", x1: 4, y1: top, x2: width - 4, y2: top }),
    node("line", { class: "t-track", x1: trackFrom, y1: track, x2: trackTo, y2: track }),
    row.waited
      ? node("line", {
          class: "t-wait",
          x1: x(row.waited.fromAt),
          y1: track,
          x2: x(row.waited.toAt),
          y2: track,
        })
      : undefined,
    ...marks,
    clipped("t-name", form === "wide" ? 12 : 4, top, nameDown, nameWidth, row.title, rowHeight),
    node(
      "text",
      { class: "t-outcome", x: outcomeAt, y: top + nameDown, "text-anchor": outcomeAnchor },
      reveal(row.outcome),
    ),
  );
}

/** Text of others that ends inside its place: cut on a grapheme, and clipped where a glyph is wider than was thought. */
function clipped(
  name: string,
  left: number,
  top: number,
  down: number,
  width: number,
  text: string,
  height = 26,
): MarkupNode {
  return node(
    "svg",
    { x: left, y: top, width, height, overflow: "hidden" },
    node("text", { class: name, x: 0, y: down }, cut(reveal(text).replace(/\s+/g, " "), width)),
  );
}

const charWidth = 6.9;

/** At most as much as fits: characters of East Asia and pictures are about twice as wide as others. */
function cut(text: string, width: number): string {
  let room = width / charWidth;
  let at = 0;
  for (const character of text) {
    room -= /\p{M}/u.test(character) ? 0 : wide.test(character) ? 1.9 : 1;
    if (room < 1) return `${text.slice(0, boundaryBefore(text, at))}…`;
    at += character.length;
  }
  return text;
}

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{ExtPict}/u;
