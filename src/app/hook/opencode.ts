import type { Choice } from "./choices.ts";
import type { ChoicesOutcome, PermissionOutcome } from "./desk.ts";
import { type Fields, isFields, textField } from "./event.ts";

/**
 * OpenCode has no hook that can answer: its plugin hands over an event of the stream, with the folder beside it, and sends what
 * comes out, `{ path, body }`, to OpenCode's own server.
 */
export type OpenCodeReply = { readonly path: string; readonly body: Fields };

/** An event of the stream in the names that the other agents use. */
export function fromOpenCode(event: Fields): Fields {
  const properties = isFields(event.properties) ? event.properties : {};
  const { questions, permission, patterns, metadata } = properties;
  const isQuestion = event.type === "question.asked";
  return {
    hook_event_name: event.type,
    session_id: properties.sessionID,
    tool_use_id: properties.id,
    cwd: event.directory,
    tool_name: isQuestion ? "question" : permission,
    tool_input: isQuestion ? { questions } : argumentsOf(permission, patterns, metadata),
  };
}

function argumentsOf(permission: unknown, patterns: unknown, metadata: unknown): Fields {
  const more = isFields(metadata) ? metadata : {};
  const [only, ...others]: readonly unknown[] = Array.isArray(patterns) ? patterns : [];
  if (permission === "bash" && typeof only === "string" && others.length === 0)
    return { command: only, ...more };
  return { patterns, ...more };
}

/** Undefined where OpenCode's own prompt stays as it is. */
export function questionReply(
  event: Fields,
  asked: readonly Choice[],
  outcome: ChoicesOutcome,
): OpenCodeReply | undefined {
  const path = `/question/${encodeURIComponent(textField(event, "tool_use_id") ?? "")}`;
  if (outcome.kind === "answered") {
    const answers = asked.map(({ labels }, index) => {
      const answer = outcome.settled[index]?.stored.answer;
      return [(answer?.option === undefined ? undefined : labels.get(answer.option)) ?? answer?.text ?? ""];
    });
    return { path: `${path}/reply`, body: { answers } };
  }
  if (outcome.kind !== "declined") return undefined;
  // A bare rejection would not say what a person has said.
  return takesWords(event)
    ? { path: `${path}/reply`, body: { answers: outcome.settled.map(({ told }) => [told]) } }
    : { path: `${path}/reject`, body: {} };
}

export function permissionReply(
  event: Fields,
  { kind, settled }: Exclude<PermissionOutcome, { kind: "unasked" }>,
): OpenCodeReply {
  return {
    path: `/permission/${encodeURIComponent(textField(event, "tool_use_id") ?? "")}/reply`,
    body: kind === "allowed" ? { reply: "once" } : { reply: "reject", message: settled.told },
  };
}

function takesWords({ tool_input: input }: Fields): boolean {
  const questions: readonly unknown[] =
    isFields(input) && Array.isArray(input.questions) ? input.questions : [];
  return questions.every((question) => !(isFields(question) && question.custom === false));
}
