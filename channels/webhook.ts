import { z } from "zod";
import type { AnswerChannel, ChannelMessage, ChannelTools, Check } from "../src/domain/channel.ts";
import { ChannelError } from "../src/domain/channel.ts";
import { type Answer, connect } from "./webhook/line.ts";
import { signature } from "./webhook/signature.ts";

const formats = ["owlpost", "slack", "discord"] as const;
export type Format = (typeof formats)[number];

const secretWords = "must be a secret of at least 16 characters, such as openssl rand -hex 32 gives";

const given = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "must be a URL such as https://example.org/owlpost" })
    .refine((text) => !URL.canParse(text) || new URL(text).username === "", {
      error: "must hold no name and password, which are not sent: let the receiver check the signature",
    })
    .describe("Where every message is posted to, as `${WEBHOOK_URL}` when it is a secret itself"),
  secret: z
    .string({ error: secretWords })
    .min(16, { error: secretWords })
    .optional()
    .describe("What the signature is made with, as `${WEBHOOK_SECRET}`"),
  format: z
    .enum(formats, { error: "must be owlpost, slack or discord" })
    .default("owlpost")
    .describe("What is posted: owlpost's own JSON, or a message as Slack or Discord take it"),
});
/** These take one form, whatever else is posted there. */
const formOf: Readonly<Record<string, Format>> = {
  "hooks.slack.com": "slack",
  "discord.com": "discord",
  "discordapp.com": "discord",
};

export const settings = given.superRefine(({ url, format }, { addIssue }) => {
  const hostname = URL.canParse(url) ? new URL(url).hostname : "";
  const wanted = formOf[hostname];
  if (wanted === undefined || format === wanted) return;
  addIssue({
    code: "custom",
    path: ["format"],
    message: `must be ${wanted}: ${hostname} takes no other form`,
  });
});
export type Settings = z.infer<typeof settings>;

export const help = [
  "Put the receiver's address into channels.webhook.url, and a secret that it shares into WEBHOOK_SECRET.",
  "For Slack, Mattermost or Rocket.Chat set format: slack, for Discord format: discord.",
  "Nothing comes back this way: answer on another channel, or in the inbox.",
].join("\n");

// ---- out -----------------------------------------------------------------------------------------------------------

const bodyVersion = 1;

/** The JSON that is posted, but for the `id` that a message of owlpost's own form gets when it is sent. */
export function encode(
  _destination: string,
  message: ChannelMessage,
  _tools?: unknown,
  format: Format = "owlpost",
): object {
  switch (format) {
    case "slack":
      return { text: message.body, unfurl_links: false, unfurl_media: false };
    case "discord":
      return forDiscord(message);
    default:
      return ours(message);
  }
}

function ours({ headline, body, parts, question, follows, silent }: ChannelMessage) {
  return {
    version: bodyVersion,
    type: follows !== undefined ? "follow-up" : question !== undefined ? "question" : "notice",
    ...(question === undefined ? {} : { question }),
    ...(follows === undefined ? {} : { follows }),
    silent,
    headline,
    text: body,
    parts,
  };
}

/** No notification, as `@silent` does it. */
const suppressNotifications = 1 << 12;

/** The headline is what a lock screen shows, the embed holds the rest; nobody is mentioned by either. */
function forDiscord({ headline, body, silent }: ChannelMessage) {
  return {
    content: headline.replace(/[\\*_~`|<>[\]()#@:-]/g, "\\$&"),
    embeds: [{ description: body }],
    allowed_mentions: { parse: [] },
    ...(silent ? { flags: suppressNotifications } : {}),
  };
}

// ---- the line ------------------------------------------------------------------------------------------------------

/** One receiver, whatever it is called. */
const destination = "default";

export type Timing = { readonly callMs: number };

export async function open(
  { url, secret, format }: Settings,
  { now }: Pick<ChannelTools, "now">,
  timing: Partial<Timing> = {},
): Promise<AnswerChannel> {
  const line = await connect(timing.callMs ?? 15_000, now);
  return {
    id: "webhook",
    rings: true,
    destinations: [destination],
    async post(to, message, key, signal) {
      const content = encode(to, message, undefined, format);
      const body = JSON.stringify(format === "owlpost" ? { id: key, ...content } : content);
      const answer = await line.ask(
        url,
        {
          method: "POST",
          body,
          headers: {
            "content-type": "application/json; charset=utf-8",
            "user-agent": "owlpost",
            "idempotency-key": key,
            // Made anew for every attempt: a receiver takes one that is young.
            ...(secret === undefined ? {} : { "owlpost-signature": signature(secret, body, now()) }),
          },
        },
        signal,
      );
      if (answer.status < 200 || answer.status > 299) throw refusal(answer);
      // A follow-up names it by the id that it had.
      return key;
    },
    close: line.close,
  };
}

const passing: ReadonlyMap<number, readonly [reason: string, text: string]> = new Map([
  [408, ["no-answer", "the receiver waited in vain for the request"]],
  [425, ["too-early", "the receiver wants it again later"]],
  [429, ["rate-limited", "too many messages; a pause was asked for"]],
]);

const mendUrl = "correct channels.webhook.url, or what the receiver allows";

/** Here the receiver takes nothing at all, whatever the message is. */
const closing: ReadonlyMap<number, readonly [reason: string, text: string]> = new Map([
  [401, ["not-allowed", `the receiver wants other credentials (401): ${mendUrl}`]],
  [403, ["not-allowed", `the receiver refuses owlpost (403): ${mendUrl}`]],
  [404, ["no-such-hook", `there is nothing at this address (any more, 404): ${mendUrl}`]],
  [410, ["gone", `the receiver has closed this address (410): ${mendUrl}`]],
]);

/** What the receiver said, by its status alone: nobody knows what its words hold. */
function refusal({ status, retryAfterMs }: Answer): ChannelError {
  const said = (reason: string, text: string, more: ConstructorParameters<typeof ChannelError>[2]) =>
    new ChannelError(reason, `Webhook: ${text}`, {
      ...more,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  const [later, waits] = passing.get(status) ?? [];
  if (later !== undefined && waits !== undefined) {
    return said(later, waits, { delivered: status === 408 ? "unknown" : "no" });
  }
  if (status >= 500) {
    return said("unavailable", `the receiver is out of order (${status})`, { delivered: "unknown" });
  }
  if (status < 400) {
    const text = `the receiver sends elsewhere (${status}), and a signed message is not carried on: put the last address into channels.webhook.url`;
    return said("redirected", text, { delivered: "no", closed: true });
  }
  const [shut, why] = closing.get(status) ?? [];
  if (shut !== undefined && why !== undefined) return said(shut, why, { delivered: "no", closed: true });
  if (status === 413) return said("too-long", "the message is longer than the receiver takes", permanently);
  return said("refused", `the receiver refused the message (${status})`, permanently);
}

const permanently = { delivered: "no", permanent: true } as const;

/** Which settings are right, as far as that can be told without sending anything to anybody. */
export async function checks({ url, secret, format }: Settings): Promise<readonly Check[]> {
  const { origin, protocol, hostname } = new URL(url);
  const line = await connect(10_000, Date.now);
  const found: Check[] = [];
  try {
    // The host alone is asked: nobody knows what asking for the address itself would set off.
    const { aheadMs } = await line.ask(origin, { method: "HEAD" }, AbortSignal.timeout(10_000));
    const clock = aheadMs === undefined ? {} : { aheadMs };
    const text = `${origin} answers; messages go out as ${format}`;
    found.push(
      protocol === "http:" && !isLoopback(hostname)
        ? { name: "host", ok: true, warn: true, text: `${text}. ${plainText}`, ...clock }
        : { name: "host", ok: true, text, ...clock },
    );
  } catch (error) {
    const text = error instanceof ChannelError ? error.message : "an unexpected error";
    found.push({ name: "host", ok: false, text });
  } finally {
    await line.close();
  }
  if (secret !== undefined) found.push({ name: "secret", ok: true, text: "is set: every message is signed" });
  else if (format === "owlpost") found.push({ name: "secret", ok: true, warn: true, text: unsignedText });
  return found;
}

const plainText = "It is plain http: whoever is on the way reads the questions";
const unsignedText =
  "none: the receiver cannot tell a message of owlpost's from anybody else's. Put one into channels.webhook.secret (openssl rand -hex 32)";

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
