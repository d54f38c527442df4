import { type Agent, agents, type Fields, readEvent, sessionOf, type Work, workOf } from "./event.ts";
import { forgetIdle, hasAsked, isIdleTold, sessionRun } from "./session.ts";

/** Is it certain, without the store, that there is nothing to do about this event? */
export function isNothing(agentName: string, text: string, home: string): boolean {
  const agent = agents.find((each) => each === agentName);
  // OpenCode's plugin hands over what is to be asked, and nothing else.
  if (!agent || agent === "opencode") return false;
  const event = readEvent(text);
  return event !== undefined && firstLook(agent, event, home) === undefined;
}

/** What there is to do about an event, as far as the session's own marks tell; that a session has stopped is taken down. */
export function firstLook(agent: Agent, event: Fields, home: string): Work | undefined {
  const work = workOf(agent, event);
  // Many agents call for every tool: what is not for owlpost costs no look at the disk.
  if (work === "choices" || work === "permission") return work;
  if (work === undefined && event.hook_event_name !== "Stop") return undefined;
  const run = sessionRun(sessionOf(event));
  if (work === "idle") return isIdleTold(home, run) ? undefined : work;
  forgetIdle(home, run);
  return work === "stop" && hasAsked(home, run) ? work : undefined;
}
