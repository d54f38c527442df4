/**
 * Markup as data: text is text until the very end, so that no text of others can become markup. A file gets it written and
 * escaped, the inbox's page builds elements of it.
 */
export type MarkupTree = string | MarkupNode;

export type MarkupNode = {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly MarkupTree[];
};
