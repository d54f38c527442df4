import type { ChannelMessage } from "../src/domain/channel.ts";
import type { View } from "../src/domain/view.ts";

/** A question as plain text, with its buttons beside it. Nothing is cut. */
export function render(view: View): ChannelMessage {
  const progress = [
    view.iteration === undefined ? undefined : `iteration ${view.iteration}`,
    view.progress,
  ].filter((each) => each !== undefined);
  const lines = [
    `🦉 owlpost needs an answer [${view.id}]`,
    `Task: ${view.task}${progress.length > 0 ? ` (${progress.join(", ")})` : ""}`,
    "",
    view.title,
    "",
    view.context.trimEnd(),
    ...(view.tried === undefined ? [] : ["", "Tried:", view.tried.trimEnd()]),
    "",
    ...view.options.flatMap((option) => [
      `${option.key}) ${option.label}${option.recommended ? "  ← recommended" : ""}`,
      `   ${option.consequence}`,
    ]),
    "",
    view.standing ?? `⏰ ${view.deadline}`,
  ];
  return { headline: `${view.title} [${view.id}]`, body: lines.join("\n"), buttons: view.buttons };
}

/** A plain notice. */
export function renderNotice(kind: string, text: string): ChannelMessage {
  return { headline: `🦉 ${kind}`, body: text, buttons: [] };
}
