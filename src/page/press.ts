import type { LocalCommand } from "../app/inbox-state.ts";
import { authorization } from "./session.ts";

/** What came of a press. `told`: the ack's text; `unknown`: nobody answered, it is tried again with the same key. */
export type PressReport =
  | { readonly type: "told"; readonly accepted: boolean; readonly text: string }
  | { readonly type: "unknown"; readonly text: string }
  | { readonly type: "signed-out"; readonly text: string };

const waitsMs = [500, 1_000, 2_000, 4_000, 8_000];
const answerMs = 15_000;

/** Keys of presses whose end is not known: the same press again is the same reply. */
const keys = new Map<string, string>();

/**
 * Sends one decision until somebody answers. Each press has one key for all its attempts, so that it is one reply
 * however often it has to be sent.
 */
export async function press(command: LocalCommand, report: (report: PressReport) => void): Promise<void> {
  const name = JSON.stringify(command);
  const key = keys.get(name) ?? newKey();
  keys.set(name, key);
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await send(command, key);
    report(outcome);
    if (outcome.type !== "unknown") {
      keys.delete(name);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, waitsMs[Math.min(attempt, waitsMs.length - 1)]));
  }
}

async function send(command: LocalCommand, key: string): Promise<PressReport> {
  try {
    const response = await fetch("/api/decide", {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization() },
      body: JSON.stringify({ command, key }),
      signal: AbortSignal.timeout(answerMs),
    });
    const body = (await response.json()) as { accepted?: boolean; text?: string; message?: string };
    if (response.ok) {
      return { type: "told", accepted: body.accepted === true, text: body.text ?? "Recorded." };
    }
    const text = body.message ?? `The inbox refused this (${response.status}).`;
    if (response.status === 401) return { type: "signed-out", text };
    if (response.status >= 500 || response.status === 429) {
      return { type: "unknown", text: `${text} It is not known whether this was recorded; trying again…` };
    }
    return { type: "told", accepted: false, text };
  } catch {
    return {
      type: "unknown",
      text: "No answer from owlpost: it is not known whether this was recorded. Trying again; it will count once.",
    };
  }
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}
