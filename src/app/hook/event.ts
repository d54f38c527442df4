/** Agents whose hooks owlpost speaks. */
export const agents = ["claude-code", "codex", "gemini-cli", "opencode"] as const;
export type Agent = (typeof agents)[number];

/** As a person reads it. */
export const agentNames: Readonly<Record<Agent, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  opencode: "OpenCode",
};

/** What an agent hands to a hook. It was written by a program, and holds what a model wrote. */
export type Fields = Readonly<Record<string, unknown>>;

/** `stop` hands over what was answered meanwhile; `idle` tells that the agent stands still. */
export type Work = "choices" | "permission" | "stop" | "idle";

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined where it is no JSON object. */
export function readEvent(text: string): Fields | undefined {
  try {
    const event: unknown = JSON.parse(text);
    return isFields(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

export function textField(event: Fields, name: string): string | undefined {
  const value = event[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What an agent calls its session; where it names none, its folder stands for it. */
export function sessionOf(event: Fields): string {
  return textField(event, "session_id") ?? textField(event, "cwd") ?? "";
}

/** The tools with which agents ask by themselves; their own prompt is the question, and no permission to it. */
const askingTools: Readonly<Record<Agent, string>> = {
  "claude-code": "AskUserQuestion",
  codex: "request_user_input",
  "gemini-cli": "ask_user",
  opencode: "question",
};

/** What there is to do about an event; undefined for nothing, and then nothing more is loaded. */
export function workOf(agent: Agent, event: Fields): Work | undefined {
  const tool = textField(event, "tool_name");
  const asks = tool === askingTools[agent];
  switch (`${agent} ${textField(event, "hook_event_name")}`) {
    case "claude-code PreToolUse":
    case "gemini-cli BeforeTool":
      return asks ? "choices" : undefined;
    case "claude-code PermissionRequest":
    case "codex PermissionRequest":
      return tool === undefined || asks ? undefined : "permission";
    case "claude-code Notification":
      return event.notification_type === "idle_prompt" ? "idle" : undefined;
    case "claude-code Stop":
      return event.stop_hook_active === true ? undefined : "stop";
    case "opencode question.asked":
      return "choices";
    case "opencode permission.asked":
      return "permission";
    default:
      return undefined;
  }
}

/** An event for which there is something to do. */
export type HookWork = {
  readonly agent: Agent;
  readonly event: Fields;
  readonly work: Work;
  readonly session: string;
  /** Nobody is at a terminal. */
  readonly headless: boolean;
};
