import type { Line } from "./line.ts";
import type { Settings } from "./settings.ts";

/** What a server allows its visitors on one day, and how much of it is left. */
export type Budget = {
  readonly messages: number;
  readonly left: number;
  /** How long it keeps messages, where it says so. */
  readonly keptMs?: number;
};

/** Resolves with undefined where the server does not tell. Rejects with a `ChannelError`. */
export async function askBudget(
  line: Line,
  given: Settings,
  signal: AbortSignal,
  callMs: number,
): Promise<Budget | undefined> {
  const ask = { method: "GET", path: "/v1/account", token: given.token, may: "see the account" } as const;
  const { fields } = await line.call(ask, signal, callMs);
  const messages = numberIn(fields.limits, "messages");
  const sent = numberIn(fields.stats, "messages");
  if (messages === undefined || messages <= 0 || sent === undefined) return undefined;
  const left = numberIn(fields.stats, "messages_remaining") ?? Math.max(0, messages - sent);
  const kept = numberIn(fields.limits, "messages_expiry_duration");
  return { messages, left, ...(kept === undefined ? {} : { keptMs: kept * 1_000 }) };
}

function numberIn(fields: unknown, name: string): number | undefined {
  const value =
    typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>)[name] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Told while there is still enough for the questions of an evening. */
export function budgetWarning({ messages, left }: Budget): string | undefined {
  if (left > Math.max(20, messages * 0.15)) return undefined;
  return `ntfy: ${left} of today's ${messages} messages are left. When they are used up nothing more goes out until midnight UTC, and taps still come in`;
}

/** So many messages are published before the server is asked again how many are left. */
const everyMessages = 20;
const everyMs = 6 * 3_600_000;

/** Asks now and then, while other things go on; what cannot be asked is asked later. */
export function watchBudget(
  line: Line,
  given: Settings,
  { now, callMs }: { readonly now: () => number; readonly callMs: number },
) {
  let published = 0;
  let asked: { readonly at: number; readonly budget: Budget | undefined } | undefined;
  let asking = false;
  let toldOn = "";
  return {
    spent(): void {
      published += 1;
    },
    known: (): Budget | undefined => asked?.budget,
    look(signal: AbortSignal): void {
      const due = published >= (asked ? everyMessages : 1) || (asked && now() - asked.at > everyMs);
      if (!due || asking) return;
      published = 0;
      asking = true;
      void askBudget(line, given, signal, callMs)
        .catch(() => asked?.budget)
        .then((budget) => {
          asked = { at: now(), budget };
          asking = false;
        });
    },
    /** What is to be told now: once a day, as the server counts its days. */
    warning(): string | undefined {
      const text = asked?.budget && budgetWarning(asked.budget);
      const day = new Date(now()).toISOString().slice(0, 10);
      if (text === undefined || toldOn === day) return undefined;
      toldOn = day;
      return text;
    },
  };
}
