import type { Verb } from "./verb.ts";

type Entry = { readonly summary: string; readonly load: () => Promise<{ readonly verb: Verb }> };

/** Every verb; only the file of the one that is typed is loaded. */
export const verbs: Readonly<Record<string, Entry>> = {
  serve: { summary: "run the service and the local inbox", load: () => import("./serve.ts") },
  inbox: { summary: "print a fresh link to the local inbox", load: () => import("./inbox.ts") },
  ask: { summary: "ask a question", load: () => import("./ask.ts") },
  answer: { summary: "answer a question", load: () => import("./answer.ts") },
  skip: { summary: "skip the spec", load: () => import("./skip.ts") },
  retry: { summary: "run the task again without an answer", load: () => import("./retry.ts") },
  steer: { summary: "leave a note for the next iteration", load: () => import("./steer.ts") },
  override: { summary: "change an answer that was not taken", load: () => import("./override.ts") },
  cancel: { summary: "take an open question back", load: () => import("./cancel.ts") },
  abort: { summary: "stop a run", load: () => import("./abort.ts") },
  take: { summary: "take what is decided (for the loop)", load: () => import("./take.ts") },
  confirm: { summary: "confirm a take", load: () => import("./confirm.ts") },
  resolve: { summary: "close a question whose answer was taken", load: () => import("./resolve.ts") },
  notify: { summary: "send a plain notice", load: () => import("./notify.ts") },
  status: { summary: "what is open, decided, up and down", load: () => import("./status.ts") },
  pending: { summary: "what is open, and what may still ring", load: () => import("./pending.ts") },
  report: { summary: "the morning report: what the night brought", load: () => import("./report.ts") },
  init: { summary: "the guided set-up", load: () => import("./init.ts") },
  pair: { summary: "make a code that pairs a person", load: () => import("./pair.ts") },
  pairing: { summary: "who may speak: list, revoke", load: () => import("./pairing.ts") },
  doctor: { summary: "check everything, and say how to mend it", load: () => import("./doctor.ts") },
  reach: { summary: "can anybody be reached now?", load: () => import("./reach.ts") },
  mcp: { summary: "ask_human for agents, over MCP on a pipe", load: () => import("./mcp.ts") },
  hook: { summary: "answer a hook of an agent", load: () => import("./hook.ts") },
  events: { summary: "the event log as JSON lines", load: () => import("./events.ts") },
};
