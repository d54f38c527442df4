import type { MarkupNode } from "../src/domain/markup-tree.ts";
import type { MarkKind } from "../src/domain/report.ts";
import { node } from "./markup-tree.ts";

type Sign = {
  readonly name: string;
  /** Above the track, on it or below it, so that what happens in one minute does not lie on top of each other. */
  readonly down: number;
  readonly draw: (x: number, y: number) => readonly MarkupNode[];
};

/** Each mark has a shape of its own: on paper, and for who sees no colours, that is all there is. */
const signs: Readonly<Record<MarkKind, Sign>> = {
  asked: { name: "asked", down: 0, draw: (x, y) => [circle("t-hollow", x, y, 4.5)] },
  rung: { name: "rang", down: -9, draw: (x, y) => [path("t-soft", `M${x} ${y - 4}l4 7h-8z`)] },
  answered: {
    name: "decided",
    down: 0,
    draw: (x, y) => [circle("t-good", x, y, 6), path("t-check", `M${x - 3} ${y}l2.2 2.4l3.8 -4.6`)],
  },
  taken: { name: "picked up", down: 9, draw: (x, y) => [path("t-accent", `M${x - 3} ${y - 4}l7 4l-7 4z`)] },
  expired: { name: "no answer", down: 0, draw: (x, y) => [path("t-hollow-warn", diamond(x, y, 6))] },
  defaulted: { name: "default ran", down: 9, draw: (x, y) => [path("t-warn", diamond(x, y, 5))] },
  cancelled: {
    name: "cancelled",
    down: 0,
    draw: (x, y) => [path("t-cross", `M${x - 4} ${y - 4}l8 8M${x + 4} ${y - 4}l-8 8`)],
  },
};

export function markAt(kind: MarkKind, x: number, track: number): MarkupNode {
  const { draw, down } = signs[kind];
  return node("g", { class: `t-mark t-mark-${kind}` }, ...draw(round(x), round(track + down)));
}

/** What each shape means, `perLine` in a line from `left` on. */
export function legend(
  [left, perLine]: readonly [left: number, perLine: number],
  top: number,
  step: number,
): { readonly nodes: readonly MarkupNode[]; readonly bottom: number } {
  const nodes = Object.values(signs).map(({ name, draw }, index) => {
    const x = left + 6 + (index % perLine) * step;
    const y = top + Math.floor(index / perLine) * 20;
    return node(
      "g",
      { class: "t-sign" },
      ...draw(x, y),
      node("text", { class: "t-sign-name", x: x + 11, y: y + 4 }, name),
    );
  });
  return { nodes, bottom: top + Math.ceil(nodes.length / perLine) * 20 };
}

function circle(name: string, x: number, y: number, r: number): MarkupNode {
  return node("circle", { class: name, cx: x, cy: y, r });
}

function path(name: string, d: string): MarkupNode {
  return node("path", { class: name, d });
}

function diamond(x: number, y: number, r: number): string {
  return `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
