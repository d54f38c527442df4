import type { Markup } from "./markup.ts";
import { plain } from "./plain.ts";

/** Markdown is read by some clients only, so none is written; the server trims what it gets. */
export const ntfy: Markup = plain;
