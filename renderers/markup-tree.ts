import type { MarkupNode, MarkupTree } from "../src/domain/markup-tree.ts";
import { reveal } from "./neutralise.ts";

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element of ours; attributes without a value are left out. */
export function node(
  tag: string,
  attributes: Attributes,
  ...children: readonly (MarkupTree | undefined)[]
): MarkupNode {
  const given = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === "number" ? String(round(value)) : value]],
  );
  return {
    tag,
    attributes: Object.fromEntries(given) as Record<string, string>,
    children: children.filter((child) => child !== undefined),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Text in which other people's words stand: in its own direction, and with nothing hidden in it. */
export function told(text: string): MarkupNode {
  return node("bdi", {}, reveal(text));
}

const empty = new Set(["meta", "br", "hr"]);
/** Their text is not escaped by HTML's rules; only constants of ours may stand there. */
const raw = new Set(["style"]);

/** The tree as HTML. */
export function writeHtml(tree: MarkupTree): string {
  if (typeof tree === "string") return escapeText(tree);
  const { tag, attributes, children } = tree;
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`);
  const start = `<${tag}${written.join("")}>`;
  if (empty.has(tag)) return start;
  const inner = raw.has(tag) ? children.join("") : children.map(writeHtml).join("");
  return `${start}${inner}</${tag}>`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}
