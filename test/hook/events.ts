/**
 * What agents hand to their hooks. Written from the documented shapes (no agent runs in these tests): Claude Code's and Codex'
 * hooks reference, the hooks reference of Gemini CLI, and the types of `@opencode-ai/sdk`.
 */
export type Event = Record<string, unknown>;

const common = { session_id: "5f0c1a9e", transcript_path: "/home/eric/t.jsonl", cwd: "/home/eric/shop" };

export const auth = {
  question: "Which auth method should we use?",
  header: "Auth",
  options: [
    { label: "JWT", description: "Stateless tokens" },
    { label: "Sessions (Recommended)", description: "Server side, can be revoked" },
  ],
  multiSelect: false,
};

export const storage = {
  question: "Where do uploads go?",
  header: "Storage",
  options: [
    { label: "Disk", description: "" },
    { label: "Object store", description: "Costs a little" },
  ],
  multiSelect: false,
};

export function askUserQuestion(questions: readonly unknown[] = [auth], changes: Event = {}): Event {
  return {
    ...common,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "AskUserQuestion",
    tool_use_id: "toolu_01A",
    tool_input: { questions },
    ...changes,
  };
}

export function permissionRequest(changes: Event = {}): Event {
  return {
    ...common,
    permission_mode: "default",
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: { command: "npm publish --tag next", description: "Publish the package" },
    ...changes,
  };
}

export function stop(changes: Event = {}): Event {
  return { ...common, hook_event_name: "Stop", stop_hook_active: false, ...changes };
}

export function notification(type: string): Event {
  return {
    ...common,
    hook_event_name: "Notification",
    message: "Claude is waiting for your input",
    notification_type: type,
  };
}

export function geminiAskUser(changes: Event = {}): Event {
  return {
    ...common,
    hook_event_name: "BeforeTool",
    timestamp: "2026-11-30T12:00:00Z",
    tool_name: "ask_user",
    tool_input: { questions: [{ ...auth, type: "choice" }] },
    ...changes,
  };
}

export function openCodeQuestion(): Event {
  const { multiSelect, ...question } = auth;
  return {
    id: "evt_1",
    type: "question.asked",
    properties: {
      id: "que_1",
      sessionID: "ses_1",
      questions: [{ ...question, multiple: multiSelect, custom: true }],
      tool: { messageID: "msg_1", callID: "call_1" },
    },
    directory: "/home/eric/shop",
  };
}

export function openCodePermission(): Event {
  return {
    id: "evt_2",
    type: "permission.asked",
    properties: {
      id: "per_1",
      sessionID: "ses_1",
      permission: "bash",
      patterns: ["npm publish --tag next"],
      metadata: {},
      always: ["npm publish *"],
    },
    directory: "/home/eric/shop",
  };
}
