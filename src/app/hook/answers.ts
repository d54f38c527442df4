import type { Choice, Scene } from "./choices.ts";
import { choicesOf } from "./choices.ts";
import type { Delivered, HookDesk, Settled } from "./desk.ts";
import { type Agent, agentNames, type Fields, isFields, textField, type Work } from "./event.ts";
import { permissionReply, questionReply } from "./opencode.ts";
import { permissionAsk } from "./permission.ts";

/** What the agent is told, as JSON; nothing where its own prompt is to ask. */
export type HookAnswer = {
  readonly output?: Fields;
  /** Called once the agent has it: only then what was taken is confirmed. */
  readonly delivered?: Delivered;
  /** A person has said something to it, so that the session goes on. */
  readonly byPerson?: true;
  /** Why nothing is said, for the agent's log. */
  readonly why?: string;
};

export type HookCall = {
  readonly agent: Agent;
  readonly event: Fields;
  /** A run without anybody at a terminal: it is parked, not held up. */
  readonly headless: boolean;
  readonly folder: string;
  readonly task: string;
  readonly deadline: string;
  readonly session: string;
};

/** Gemini CLI gives up on a hook after 60 seconds. */
const geminiWaitMs = 45_000;

const later = {
  "claude-code": {
    open: "an answer that comes later is handed over when this session stops",
    expired: "an answer that comes later is handed over when this session stops",
  },
  "gemini-cli": {
    open: "ask the very same question again later to get the answer",
    expired: "ask the very same question again later to get the answer",
  },
};

/** The agent's questions and permission prompts, answered in the shapes that it knows. */
export async function answerHook(
  work: Extract<Work, "choices" | "permission">,
  call: HookCall,
  desk: HookDesk,
): Promise<HookAnswer> {
  return work === "permission" ? permission(call, desk) : choices(call, desk);
}

function sceneOf({ agent, event, folder, task, deadline }: HookCall): Scene {
  const tool = textField(event, "tool_name") ?? "its own prompt";
  return { agent: agentNames[agent], tool, folder, task, at: deadline };
}

async function choices(call: HookCall, desk: HookDesk): Promise<HookAnswer> {
  const { agent, event, headless, session } = call;
  const asked = choicesOf(event.tool_input, sceneOf(call));
  if (!asked) return { why: "these questions have no single answer out of a list" };
  const isGemini = agent === "gemini-cli";
  const outcome = await desk.choices({
    choices: asked,
    // Gemini CLI has no id of a call: there, the same question of the same session is the same ask.
    key: `${agent}:${session}:${(isGemini ? undefined : textField(event, "tool_use_id")) ?? ""}`,
    ...(isGemini ? { waitMs: geminiWaitMs } : headless ? { waitMs: 0 } : {}),
    takesRest: isGemini || headless,
    takesBack: agent === "opencode",
    later: isGemini ? later["gemini-cli"] : later["claude-code"],
  });
  if (outcome.kind === "unasked") return { why: outcome.why };
  if (agent === "opencode") {
    const output = questionReply(event, asked, outcome);
    return output && "delivered" in outcome
      ? { output, delivered: outcome.delivered, byPerson: true }
      : { why: "nobody decided it" };
  }
  const { settled } = outcome;
  const isDecided = outcome.kind === "answered" || outcome.kind === "declined";
  const delivered = {
    ...("delivered" in outcome ? { delivered: outcome.delivered } : {}),
    ...(isDecided ? { byPerson: true as const } : {}),
  };
  if (isGemini)
    return { output: { decision: "deny", reason: geminiWords(settled, outcome.kind) }, ...delivered };
  switch (outcome.kind) {
    case "answered":
      return {
        output: preToolUse("allow", {
          permissionDecisionReason: words(settled),
          updatedInput: answeredInput(event.tool_input, asked, settled),
        }),
        ...delivered,
      };
    case "declined":
      return { output: preToolUse("deny", { permissionDecisionReason: words(settled) }), ...delivered };
    case "open":
      return headless ? { output: preToolUse("defer", {}) } : { why: "still open" };
    case "silent":
      if (headless)
        return { output: preToolUse("deny", { permissionDecisionReason: words(settled) }), ...delivered };
      // No decision of ours: the agent's own prompt asks, and is told beside it that nobody has chosen.
      return { output: { systemMessage: `${words(settled)} The agent's own prompt asks now.` } };
  }
}

async function permission(call: HookCall, desk: HookDesk): Promise<HookAnswer> {
  const { event } = call;
  const says = isFields(event.tool_input) ? textField(event.tool_input, "description") : undefined;
  const asked = permissionAsk(event.tool_input, says, sceneOf(call));
  if (!asked) return { why: "its arguments are too long for anybody to judge on a phone" };
  const outcome = await desk.permission(asked);
  if (outcome.kind === "unasked") return { why: outcome.why };
  const { delivered, settled } = outcome;
  const more = { delivered, ...(settled.taken?.default ? {} : { byPerson: true as const }) };
  if (call.agent === "opencode") return { output: permissionReply(event, outcome), ...more };
  const decision =
    outcome.kind === "allowed" ? { behavior: "allow" } : { behavior: "deny", message: settled.told };
  // Codex lets a hook fail that says one field more than these.
  return {
    output: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } },
    ...more,
  };
}

function preToolUse(permissionDecision: "allow" | "deny" | "defer", more: Fields): Fields {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...more } };
}

function words(settled: readonly Settled[]): string {
  return settled.map(({ told }) => told).join("\n");
}

function geminiWords(settled: readonly Settled[], kind: string): string {
  const how =
    kind === "answered" ? "It was asked through owlpost and has its answer" : "It was asked through owlpost";
  return `This prompt is not shown at the terminal. ${how}:\n${words(settled)}`;
}

/** The tool's own input with the answers in it, by the question's text: the label as the agent wrote it, or a person's words. */
function answeredInput(input: unknown, asked: readonly Choice[], settled: readonly Settled[]): Fields {
  const answers: [string, string][] = [];
  const annotations: [string, Fields][] = [];
  for (const [index, { text, labels }] of asked.entries()) {
    const answer = settled[index]?.stored.answer;
    const label = answer?.option === undefined ? undefined : labels.get(answer.option);
    const said = label ?? answer?.text;
    if (said === undefined) continue;
    answers.push([text, said]);
    if (label !== undefined && answer?.text !== undefined) annotations.push([text, { notes: answer.text }]);
  }
  return {
    ...(isFields(input) ? input : {}),
    answers: Object.fromEntries(answers),
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  };
}
