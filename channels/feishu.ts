import { createHmac, randomUUID } from "node:crypto";
import { z } from "zod";
import type { AnswerChannel, ChannelMessage, ChannelTools, Check } from "../src/domain/channel.ts";
import { ChannelError } from "../src/domain/channel.ts";
import { type Answer, connect } from "./feishu/line.ts";
import { crowdedMs, pacing, pause } from "./feishu/pacing.ts";

const urlWords =
  "must be a custom bot's webhook: https://open.feishu.cn/open-apis/bot/v2/hook/… (Lark: https://open.larksuite.com/open-apis/bot/v2/hook/…)";

export const settings = z.strictObject({
  webhook: z
    .url({ error: urlWords })
    .refine(isHook, { error: urlWords })
    .describe("The webhook of a custom bot, as `${FEISHU_WEBHOOK}`: whoever knows it can write there"),
  secret: z
    .string({ error: "must be the secret of the bot's signature verification" })
    .min(1, { error: "must be the secret of the bot's signature verification" })
    .optional()
    .describe("The secret of the bot's signature verification, as `${FEISHU_SECRET}`"),
});
export type Settings = z.infer<typeof settings>;

export const help = [
  "In the group: Settings, Bots, Add Bot, Custom Bot. Put its webhook into FEISHU_WEBHOOK.",
  "In the bot's security settings choose signature verification, and put its secret into FEISHU_SECRET.",
  "A custom bot hears nothing: answer on another channel, or in the inbox.",
].join("\n");

/** Feishu and Lark differ by the host alone; the loopback is for trials. */
function isHook(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, username } = new URL(text);
  const isSafe =
    protocol === "https:" || (protocol === "http:" && /^(?:127\.\d+\.\d+\.\d+|localhost)$/.test(hostname));
  return (
    isSafe && search === "" && username === "" && /^\/open-apis\/bot\/v2\/hook\/[\w-]{8,}$/.test(pathname)
  );
}

// ---- out -----------------------------------------------------------------------------------------------------------

const mostBytes = 20_480;

const words = (content: string) => ({ tag: "plain_text" as const, content });

/** A message card. Everything stands in it as plain text: there nothing mentions, links or formats. */
export function encode(_destination: string, { headline, parts, body, silent }: ChannelMessage) {
  const texts = parts.length > 0 ? parts : [{ name: "text" as const, text: body }];
  return {
    msg_type: "interactive" as const,
    card: {
      config: { wide_screen_mode: true },
      header: { template: silent ? ("grey" as const) : ("blue" as const), title: words(headline) },
      elements: texts.map(({ name, text }) =>
        name === "reply"
          ? { tag: "note" as const, elements: [words(text)] }
          : { tag: "div" as const, text: words(text) },
      ),
    },
  };
}

/** Feishu's signature: the text to sign is the key, and what is signed is nothing. */
function signed(secret: string | undefined, now: number): { timestamp?: string; sign?: string } {
  if (secret === undefined) return {};
  const timestamp = String(Math.floor(now / 1_000));
  return { timestamp, sign: createHmac("sha256", `${timestamp}\n${secret}`).update("").digest("base64") };
}

// ---- the line ------------------------------------------------------------------------------------------------------

export type Timing = {
  readonly callMs: number;
  /** In [0, 1): how a wait is spread. */
  readonly random: () => number;
};

/** One group, whatever it is called. */
const destination = "default";

export async function open(
  { webhook, secret }: Settings,
  { now }: Pick<ChannelTools, "now">,
  timing: Partial<Timing> = {},
): Promise<AnswerChannel> {
  const { callMs, random } = { callMs: 15_000, random: Math.random, ...timing };
  const line = await connect(callMs, now);
  const pace = pacing();
  // One at a time: two calls on their way may arrive closer together than they left.
  let before: Promise<unknown> = Promise.resolve();
  const clock = skewTeller();

  /** The pause that was asked for, or one of our own: never one that ends at a crowded instant. */
  function pauseMs(seconds: number | undefined): number {
    if (seconds !== undefined) return seconds * 1_000;
    const ms = 10_000 * (1 + random());
    return ms + crowdedMs(now() + ms, random());
  }

  function refusal({ status, code, aheadMs, retryAfter }: Answer): ChannelError {
    const said = (reason: string, text: string, more: ConstructorParameters<typeof ChannelError>[2] = {}) =>
      new ChannelError(reason, `Feishu: ${text}`, { delivered: "no", ...more });
    if (status === 429 || (code !== undefined && throttled.has(code))) {
      return said("rate-limited", "too many messages; a pause was asked for", {
        retryAfterMs: pauseMs(retryAfter),
      });
    }
    if (code === undefined) {
      const retryAfterMs = retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1_000 };
      return said("unavailable", `out of order, or something else answered in its place (status ${status})`, {
        delivered: "unknown",
        ...retryAfterMs,
      });
    }
    // Every attempt is signed anew, so that it goes out as soon as the clock or the secret is right.
    if (code === 19_021)
      return said("signature-refused", clock(aheadMs, secret !== undefined), { retryAfterMs: 60_000 });
    const [reason, text, more] = refusals[code] ?? ["refused", `the message was refused (code ${code})`, {}];
    return said(reason, text, { permanent: true, ...more });
  }

  return {
    id: "feishu",
    rings: true,
    destinations: [destination],
    async post(to, message, _key, signal) {
      const call = async (): Promise<Answer> => {
        await pause(pace.next() + crowdedMs(now(), random()), signal);
        const body = JSON.stringify({ ...signed(secret, now()), ...encode(to, message) });
        if (Buffer.byteLength(body) > mostBytes) {
          throw new ChannelError("too-long", "Feishu: the message is over 20 KB", {
            permanent: true,
            delivered: "no",
          });
        }
        return await line.ask(webhook, "POST", body, signal).finally(pace.answered);
      };
      const asked = before.then(call);
      before = asked.catch(() => undefined);
      const answer = await asked;
      if (answer.code !== 0) throw refusal(answer);
      // A custom bot is not told what its message is called.
      return randomUUID();
    },
    close: line.close,
  };
}

/** A request of an app is limited by the first of these, one of a custom bot by the second. */
const throttled: ReadonlySet<number> = new Set([99_991_400, 11_232]);

type Refusal = readonly [reason: string, text: string, more: { readonly closed?: true }];
const refusals: Readonly<Record<number, Refusal>> = {
  9499: ["malformed", "the message was not understood, or is over 20 KB", {}],
  19001: [
    "no-such-hook",
    "there is no bot behind this webhook (any more): add a custom bot to the group, and put its webhook into channels.feishu.webhook",
    { closed: true },
  ],
  19022: [
    "address-not-allowed",
    "this machine's address is not on the bot's IP whitelist: add it there, or choose signature verification instead",
    { closed: true },
  ],
  19024: [
    "keyword-missing",
    "the bot takes only messages that hold its keyword: in its security settings choose signature verification instead",
    { closed: true },
  ],
};

const signatureMs = 3_600_000;

/**
 * What is wrong with a signature: the clock, when it is off by an hour or nearly, else the secret. The same words as long as it
 * is off by about the same, so that it is told once.
 */
function skewTeller() {
  let told = 0;
  return (aheadMs: number | undefined, hasSecret: boolean): string => {
    if (!hasSecret) return "this bot takes only signed messages: put its secret into channels.feishu.secret";
    const minutes = Math.round((aheadMs ?? 0) / 60_000);
    if (Math.abs(minutes - told) > 2) told = minutes;
    if (Math.abs(aheadMs ?? 0) > signatureMs * 0.9) {
      return `the signature was refused, since this machine's clock is ${Math.abs(told)} min ${told > 0 ? "behind" : "ahead of"} Feishu's, and a signature is good for an hour: let the system keep the time (timedatectl set-ntp true)`;
    }
    const clock =
      aheadMs === undefined ? "and nothing was said of the time" : "and the clock is not the reason";
    return `the signature was refused, ${clock}: put the secret of this very bot into channels.feishu.secret`;
  };
}

/** Which settings are right, as far as that can be told without writing to the group. */
export async function checks({ webhook, secret }: Settings): Promise<readonly Check[]> {
  const { origin } = new URL(webhook);
  const line = await connect(10_000, Date.now);
  const signing: Check =
    secret === undefined
      ? { name: "secret", ok: true, warn: true, text: unsignedText }
      : {
          name: "secret",
          ok: true,
          text: "is set; whether it is that bot's own shows with the first message",
        };
  try {
    // The host alone is asked: the webhook itself would write into the group.
    const { aheadMs } = await line.ask(origin, "HEAD", null, AbortSignal.timeout(10_000));
    return [
      { name: "host", ok: true, text: `${origin} answers`, ...(aheadMs === undefined ? {} : { aheadMs }) },
      signing,
    ];
  } catch (error) {
    const text = error instanceof ChannelError ? error.message : "an unexpected error";
    return [{ name: "host", ok: false, text }, signing];
  } finally {
    await line.close();
  }
}

const unsignedText =
  "none: whoever learns the webhook can write into the group. Choose signature verification in the bot's security settings, and put its secret into channels.feishu.secret";
