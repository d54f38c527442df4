import { visible } from "./visible.ts";

export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Builds an element. Text becomes text nodes only: nothing here, or anywhere on the page, parses HTML. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== undefined && child !== false) element.append(child);
  return element;
}

/** Text of an agent or an engine: its own direction, controls that could mislead made visible. */
export function told<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  text: string,
): HTMLElementTagNameMap[Tag] {
  const element = el(tag, { dir: "auto", ...attributes });
  for (const part of visible(text)) {
    element.append(part.control ? el("span", { class: "control" }, part.text) : part.text);
  }
  return element;
}

/** The owl, as large as its class says. */
export function owl(className: string): SVGSVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(namespace, "use");
  use.setAttribute("href", "#owl");
  svg.append(use);
  return svg;
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/** For screen readers: said once, seen nowhere. */
export function announce(text: string): void {
  byId("announce").textContent = text;
}
