import type { MarkupTree } from "../app/report-page.ts";

const svgSpace = "http://www.w3.org/2000/svg";

/** What a report is made of; anything else is left out. No script, no link to elsewhere, no handler is among it. */
const tags = new Set(
  (
    "article header section div p h1 h2 h3 h4 ul li dl dt dd span bdi code a blockquote details summary table thead " +
    "tbody tr th td svg title desc defs pattern g rect line circle path text"
  ).split(" "),
);
const attributes = new Set(
  (
    "class id data-question role href dir scope tabindex aria-label aria-labelledby viewBox x y x1 y1 x2 y2 cx cy r rx width height d " +
    "fill text-anchor overflow patternUnits patternTransform"
  ).split(" "),
);

/** Builds what the service describes; text becomes text nodes only. */
export function build(tree: MarkupTree, inPicture = false): Node {
  if (typeof tree === "string") return document.createTextNode(tree);
  if (!tags.has(tree.tag)) return document.createDocumentFragment();
  const isPicture = inPicture || tree.tag === "svg";
  const element = isPicture ? document.createElementNS(svgSpace, tree.tag) : document.createElement(tree.tag);
  for (const [name, value] of Object.entries(tree.attributes)) {
    const leadsOut = name === "href" && !value.startsWith("#");
    if (attributes.has(name) && !leadsOut) element.setAttribute(name, value);
  }
  element.append(...tree.children.map((child) => build(child, isPicture)));
  return element;
}
