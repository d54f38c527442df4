import { reportHtml, reportTree } from "../../renderers/report-html.ts";
import { reportJson } from "../core/report-json.ts";
import { reportText } from "../core/report-text.ts";
import { reportView } from "../core/report-view.ts";
import type { MarkupNode } from "../domain/markup-tree.ts";
import type { Report } from "../domain/report.ts";

/** A report in each of its forms, made when it is asked for. */
export type ReportShown = {
  /** For a terminal. */
  text(): string;
  /** For programs. */
  json(): Readonly<Record<string, unknown>>;
  /** One file that needs nothing else. */
  html(): string;
  /** For the inbox's page. */
  tree(): MarkupNode;
};

export function reportShown(report: Report): ReportShown {
  return {
    text: () => reportText(report),
    json: () => reportJson(report),
    html: () => reportHtml(reportView(report)),
    tree: () => reportTree(reportView(report), 2),
  };
}
