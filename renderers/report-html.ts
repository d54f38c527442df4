import type { MarkupNode, MarkupTree } from "../src/domain/markup-tree.ts";
import type { ReportEntry, ReportSection, ReportView, TimelineView } from "../src/domain/report.ts";
import { node, told, writeHtml } from "./markup-tree.ts";
import { reportStyle } from "./report-style.ts";
import { timelineSvg } from "./timeline-svg.ts";

/** What a browser may do with the file: show it with its own style. No script, no picture, no address. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The report as one file that needs nothing else. */
export function reportHtml(view: ReportView): string {
  const head = node(
    "head",
    {},
    node("meta", { charset: "utf-8" }),
    node("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    node("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    node("meta", { name: "color-scheme", content: "light dark" }),
    node("meta", { name: "robots", content: "noindex" }),
    node("title", {}, `${view.title}, ${view.period}`),
    node("style", {}, reportStyle),
  );
  const body = node("body", { class: "report-page" }, node("main", {}, reportTree(view, 1)));
  return `<!doctype html>\n${writeHtml(node("html", { lang: "en" }, head, body))}\n`;
}

/** The report inside a page whose headings before it are of the level above `level`. */
export function reportTree(view: ReportView, level: 1 | 2): MarkupNode {
  const places = placesOf(view);
  return node(
    "article",
    { class: "report" },
    node(
      "header",
      { class: "report-head" },
      node(`h${level}`, {}, view.title),
      node("p", { class: "report-period" }, view.period),
      node("p", { class: "report-summary" }, view.summary),
    ),
    ...view.sections.filter(({ urgent }) => urgent).map((section) => sectionTree(section, level, places)),
    timeline(view.timeline, level),
    ...view.sections.filter(({ urgent }) => !urgent).map((section) => sectionTree(section, level, places)),
    figures(view, level, places),
  );
}

/** Sections whose entries tell what became of a question: a link to it leads to the first of these that has it. */
const telling = ["waiting", "answered", "defaults", "never-shown", "cancelled"];

function placesOf({ sections }: ReportView): ReadonlyMap<string, ReportEntry> {
  const places = new Map<string, ReportEntry>();
  for (const { name, entries } of sections) {
    if (!telling.includes(name)) continue;
    for (const entry of entries) {
      if (entry.question !== undefined && !places.has(entry.question)) places.set(entry.question, entry);
    }
  }
  return places;
}

type Places = ReturnType<typeof placesOf>;

/** Leads to where the report tells of that question; a mere id where it does not. */
function pointer(question: string, places: Places): MarkupNode {
  const name = node("code", {}, question);
  return places.has(question) ? node("a", { href: `#report-${question}` }, name) : name;
}

function figures({ figures: list }: ReportView, level: 1 | 2, places: Places): MarkupNode | undefined {
  if (list.length === 0) return undefined;
  return node(
    "section",
    { class: "report-section report-numbers", "aria-labelledby": "report-numbers-heading" },
    node(`h${level + 1}`, { id: "report-numbers-heading" }, "In numbers"),
    node(
      "dl",
      { class: "report-figures" },
      ...list.map(({ name, value, question }) =>
        node(
          "div",
          {},
          node("dt", {}, name),
          node("dd", {}, value, ...(question === undefined ? [] : [" ", pointer(question, places)])),
        ),
      ),
    ),
  );
}

function timeline(view: TimelineView, level: 1 | 2): MarkupNode {
  return node(
    "section",
    { class: "report-timeline" },
    node(`h${level + 1}`, {}, "Timeline"),
    timelineSvg(view, "wide"),
    timelineSvg(view, "narrow"),
    view.folded === undefined ? undefined : node("p", { class: "report-hint" }, view.folded),
    ...view.outages.map(({ label }) => node("p", { class: "report-hint" }, "Not heard: ", told(label))),
    view.table.rows.length === 0 ? undefined : table(view),
  );
}

function table({ table: { head, rows } }: TimelineView): MarkupNode {
  const cells = (row: readonly string[]): readonly MarkupTree[] =>
    row.map((text, index) =>
      node(index === 0 ? "th" : "td", index === 0 ? { scope: "row" } : {}, told(text)),
    );
  return node(
    "details",
    { class: "report-table" },
    node("summary", {}, "The timeline as a table"),
    node(
      "div",
      { class: "report-scroll", tabindex: "0", role: "group", "aria-label": "The timeline as a table" },
      node(
        "table",
        {},
        node("thead", {}, node("tr", {}, ...head.map((text) => node("th", { scope: "col" }, text)))),
        node("tbody", {}, ...rows.map((row) => node("tr", {}, ...cells(row)))),
      ),
    ),
  );
}

function sectionTree({ name, title, entries }: ReportSection, level: 1 | 2, places: Places): MarkupNode {
  const heading = `report-${name}-heading`;
  return node(
    "section",
    { class: `report-section report-${name}`, "aria-labelledby": heading },
    node(
      `h${level + 1}`,
      { id: heading },
      title,
      " ",
      node("span", { class: "report-count" }, String(entries.length)),
    ),
    ...entries.map((entry) => entryTree(entry, level, places)),
  );
}

function entryTree(entry: ReportEntry, level: 1 | 2, places: Places): MarkupNode {
  const { question, title, standing, lines, quote } = entry;
  return node(
    "div",
    {
      class: "report-entry",
      "data-question": question,
      id: question !== undefined && places.get(question) === entry ? `report-${question}` : undefined,
    },
    title === undefined
      ? undefined
      : node(
          `h${level + 2}`,
          {},
          told(title),
          ...(question === undefined ? [] : [" ", node("code", {}, question)]),
        ),
    standing === undefined ? undefined : node("p", { class: "report-standing" }, told(standing)),
    lines.length === 0
      ? undefined
      : node(
          "ul",
          {},
          ...lines.map(({ label, text, question: other }) =>
            node(
              "li",
              {},
              ...(label === undefined ? [] : [node("span", { class: "report-label" }, label), " "]),
              ...(other === text ? [] : [told(text), " "]),
              other === undefined ? undefined : pointer(other, places),
            ),
          ),
        ),
    quote === undefined ? undefined : node("blockquote", { dir: "auto" }, told(quote)),
  );
}
