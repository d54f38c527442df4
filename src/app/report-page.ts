import type { MarkupNode } from "../domain/markup-tree.ts";

export type { MarkupNode, MarkupTree } from "../domain/markup-tree.ts";

/** What the inbox's page gets of a report: markup as data, of which it builds elements. */
export type ReportPage = { readonly tree: MarkupNode };
