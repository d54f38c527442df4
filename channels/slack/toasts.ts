import type { Receipt } from "../../src/domain/channel.ts";
import { visibleForm } from "../../src/domain/text.ts";
import { escaped, fitting, plainText } from "./blocks.ts";
import type { Way } from "./envelope.ts";
import { type Answered, formError } from "./form.ts";
import type { Web } from "./web.ts";

/** What one section shows of plain text. */
const mostToast = 2_900;

/** A receipt that its sender alone sees. Nothing in an agent's label is obeyed, marked up or turned into a mention. */
function ephemeral(words: string) {
  const text = fitting(visible(words), mostToast);
  return { text: escaped(text), blocks: [{ type: "section", text: plainText(text) }] };
}

const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

function visible(words: string): string {
  return words
    .replace(/\p{Cs}/gu, "\uFFFD")
    .split("\n")
    .map((line) => line.replace(obeyed, visibleForm))
    .join("\n");
}

/** What the ack of an envelope says of its receipt. */
export function answerOf(way: Way | undefined, receipt: Receipt | undefined): Answered | undefined {
  if (!way || !receipt) return undefined;
  if (way.kind === "command") return { response_type: "ephemeral", ...ephemeral(receipt.text) };
  return way.kind === "form" && !receipt.accepted ? formError(visible(receipt.text)) : undefined;
}

/** Shows a receipt after the ack. Rejects where it could not be shown. */
export async function show(
  way: Way,
  receipt: Receipt,
  web: Pick<Web, "call" | "respond">,
  options: { readonly signal: AbortSignal; readonly withinMs: number },
): Promise<void> {
  const words = ephemeral(receipt.text);
  // Slack shows an answer at that address in the channel: in a thread, where it was tapped, nobody would see it.
  const inThread = way.kind === "press" && way.thread !== undefined;
  if (way.kind !== "form" && way.url !== undefined && !inThread) {
    const body = { response_type: "ephemeral", replace_original: false, ...words };
    return web.respond(way.url, body, options);
  }
  const at = way.kind === "form" ? way.origin : way.kind === "press" ? way : undefined;
  if (!at || way.kind === "command") throw new Error("nowhere to show it");
  // Beneath the question where that stands in a thread, else in the channel.
  const under = at.thread === undefined ? {} : { thread_ts: at.thread };
  await web.call("chat.postEphemeral", { channel: at.chat, user: way.user, ...under, ...words }, options);
}
