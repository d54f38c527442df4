import { shorten } from "../../domain/text.ts";
import { type Agent, agentNames, type Fields, textField } from "./event.ts";
import { shownFolder, visibleLine } from "./shown.ts";

const mostSaid = 200;

/** That an agent stands still, where, and what it says about it itself: one line. */
export function idleText(agent: Agent, event: Fields, folder: string): string {
  const said = textField(event, "message") ?? "it waits for the next instruction";
  return `${agentNames[agent]} stands still in ${visibleLine(shownFolder(folder))}: ${shorten(visibleLine(said), mostSaid)}`;
}
