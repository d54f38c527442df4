import { redact } from "../../core/redact.ts";
import { readableText } from "../../core/steering.ts";
import { oneLine } from "../../domain/text.ts";

const mostFolder = 160;

/** Its end says most. */
export function shownFolder(folder: string): string {
  const points = [...oneLine(folder)];
  return points.length <= mostFolder ? points.join("") : `…${points.slice(1 - mostFolder).join("")}`;
}

/** Credentials masked, and nothing hidden: neither by characters that cannot be seen nor by those that reorder. */
export function visible(text: string): string {
  return readableText(redact(text).text);
}

/** The same, on one line. */
export function visibleLine(text: string): string {
  return visible(oneLine(text));
}
