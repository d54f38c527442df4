import { existsSync } from "node:fs";
import { connect } from "node:net";
import type { AskOutcome, AskRequest } from "./api.ts";
import { socketPath } from "./home.ts";

/** One JSON line to the running service. */
type ServiceMessage =
  | { readonly op: "ask"; readonly request: AskRequest }
  | { readonly op: "nudge" }
  | { readonly op: "inbox" };

type ServiceReply =
  | { readonly ok: true; readonly value?: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

const askTimeoutMs = 2_000;
const nudgeTimeoutMs = 250;
const maxReplyBytes = 4 * 1024 * 1024;

/**
 * Hands an ask to the running service. Undefined when none answers in two seconds or it fails: the ask may have been
 * stored all the same, so whoever tries again must give the same key.
 */
export async function askService(home: string, request: AskRequest): Promise<AskOutcome | undefined> {
  const reply = await callService(home, { op: "ask", request }, askTimeoutMs);
  return reply?.ok && isAskOutcome(reply.value) ? reply.value : undefined;
}

/** Tells the running service that something was committed. False when none heard it. */
export async function nudgeService(home: string): Promise<boolean> {
  const reply = await callService(home, { op: "nudge" }, nudgeTimeoutMs);
  return reply?.ok === true;
}

/** One message and its reply; undefined when there is no service, or no whole reply in time. Never rejects. */
export function callService(
  home: string,
  message: ServiceMessage,
  timeoutMs: number,
): Promise<ServiceReply | undefined> {
  const path = socketPath(home);
  if (!existsSync(path)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = connect(path);
    let text = "";
    const end = (reply: ServiceReply | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    };
    const timer = setTimeout(() => end(undefined), timeoutMs);
    socket.setEncoding("utf8");
    socket.on("connect", () => socket.write(`${JSON.stringify(message)}\n`));
    socket.on("data", (chunk: string) => {
      text += chunk;
      const newline = text.indexOf("\n");
      if (newline >= 0) end(parseReply(text.slice(0, newline)));
      else if (text.length > maxReplyBytes) end(undefined);
    });
    socket.on("error", () => end(undefined));
    socket.on("close", () => end(undefined));
  });
}

function parseReply(line: string): ServiceReply | undefined {
  try {
    const reply: unknown = JSON.parse(line);
    return typeof reply === "object" && reply !== null && "ok" in reply ? (reply as ServiceReply) : undefined;
  } catch {
    return undefined;
  }
}

function isAskOutcome(value: unknown): value is AskOutcome {
  return typeof value === "object" && value !== null && "ok" in value && typeof value.ok === "boolean";
}
