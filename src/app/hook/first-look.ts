import { agents, readEvent, textField, workOf } from "./event.ts";
import { hasAsked, sessionRun } from "./session.ts";

/** Is it certain, without the store, that there is nothing to do about this event? */
export function isNothing(agentName: string, text: string, home: string): boolean {
  const agent = agents.find((each) => each === agentName);
  // OpenCode's plugin hands over what is to be asked, and nothing else.
  if (!agent || agent === "opencode") return false;
  const event = readEvent(text);
  if (!event) return false;
  const work = workOf(agent, event);
  return (
    work === undefined ||
    (work === "stop" && !hasAsked(home, sessionRun(textField(event, "session_id") ?? "")))
  );
}
