import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { partNames } from "../../src/domain/channel.ts";

/**
 * The next calls fail. `swallow`: it is done, but its reply never arrives; `reset`: it is not even read; `stall`: nothing comes
 * back at all; else a status with headers.
 */
export type ReceiverFault =
  | "swallow"
  | "reset"
  | "stall"
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

export type Received = {
  readonly id: string;
  readonly headers: IncomingMessage["headers"];
  /** Byte for byte. */
  readonly body: string;
  /** What a person reads first, and the whole. */
  readonly headline: string;
  readonly text: string;
  readonly read: Readonly<Record<string, unknown>>;
  /** How often it came. */
  times: number;
};

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const mostTextBytes = 65_536;
const youngSeconds = 300;

const id = z.string().min(1).max(200);
/** The form that docs/webhook.md describes. */
export const bodySchema = z
  .strictObject({
    id,
    version: z.literal(1),
    type: z.enum(["question", "follow-up", "notice"]),
    question: z
      .string()
      .regex(/^q-[a-z0-9-]+$/)
      .optional(),
    follows: id.optional(),
    silent: z.boolean(),
    headline: z.string().min(1),
    text: z.string().min(1),
    parts: z.array(z.strictObject({ name: z.enum(partNames), text: z.string() })),
  })
  .refine(({ type, question }) => (type === "notice") === (question === undefined))
  .refine(({ type, follows }) => (type === "follow-up") === (follows !== undefined));

const slackSchema = z.strictObject({
  text: z.string().min(1).max(40_000),
  unfurl_links: z.boolean().optional(),
  unfurl_media: z.boolean().optional(),
});

const discordSchema = z
  .strictObject({
    content: z.string().min(1).max(2_000),
    embeds: z.array(z.strictObject({ description: z.string().min(1).max(4_096) })).max(10),
    allowed_mentions: z.strictObject({ parse: z.array(z.string()) }),
    flags: z.literal(4_096).optional(),
  })
  .refine(({ embeds }) => embeds.reduce((sum, { description }) => sum + description.length, 0) <= 6_000);

/** What Slack, and what is like it, makes a ping of. */
const pings = /<!(?:channel|here|everyone|subteam\^\w+)|<@[UW]\w+|(?<![A-Za-z0-9_])@[A-Za-z0-9]/;

/** HMAC-SHA256 as another implementation than ours computes it. */
async function verifies(secret: string, header: string, body: string, nowSeconds: number): Promise<boolean> {
  const [, t = "", v1 = ""] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (t === "" || Math.abs(nowSeconds - Number(t)) > youngSeconds) return false;
  const text = new TextEncoder();
  const how = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", text.encode(secret), how, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, Buffer.from(v1, "hex"), text.encode(`${t}.${body}`));
}

/**
 * A receiver on loopback that refuses what its kind refuses. Owlpost's own kind takes the same id once, and only what is
 * signed with its secret, where it has one.
 */
export async function startReceiver(
  given: {
    readonly kind?: "owlpost" | "slack" | "discord";
    readonly secret?: string;
    readonly now?: () => number;
  } = {},
) {
  const { kind = "owlpost", secret, now = Date.now } = given;
  let faults: { readonly how: ReceiverFault; times: number }[] = [];
  const received: Received[] = [];
  const calls: { readonly method: string; readonly path: string; readonly status: number | undefined }[] = [];
  const stalled = new Set<ServerResponse>();

  async function judge(incoming: IncomingMessage, body: string): Promise<number> {
    if (!/^application\/json\b/.test(incoming.headers["content-type"] ?? "")) return 415;
    let given: unknown;
    try {
      given = JSON.parse(body);
    } catch {
      return 400;
    }
    const key = String(incoming.headers["idempotency-key"] ?? "");
    const keep = (id: string, headline: string, text: string, read: object): number => {
      const known = kind === "owlpost" ? received.find((each) => each.id === id) : undefined;
      if (known) known.times += 1;
      else {
        const { headers } = incoming;
        received.push({ id, headers, body, headline, text, read: read as Received["read"], times: 1 });
      }
      return kind === "discord" ? 204 : 200;
    };
    if (kind === "slack") {
      const read = slackSchema.safeParse(given);
      if (!read.success || pings.test(read.data.text)) return 400;
      return keep(key, read.data.text.split("\n")[0] ?? "", read.data.text, read.data);
    }
    if (kind === "discord") {
      const read = discordSchema.safeParse(given);
      if (!read.success || read.data.allowed_mentions.parse.length > 0) return 400;
      const text = read.data.embeds.map(({ description }) => description).join("\n");
      return keep(key, read.data.content, text, read.data);
    }
    if (secret !== undefined) {
      const header = String(incoming.headers["owlpost-signature"] ?? "");
      if (!(await verifies(secret, header, body, Math.floor(now() / 1_000)))) return 401;
    }
    const read = bodySchema.safeParse(given);
    if (!read.success || read.data.id !== key) return 422;
    if (Buffer.byteLength(read.data.text) > mostTextBytes) return 413;
    return keep(read.data.id, read.data.headline, read.data.text, read.data);
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url: path = "" } = incoming;
    const fault = method === "POST" ? faults.find(({ times }) => times > 0) : undefined;
    if (fault) fault.times -= 1;
    const how = fault?.how;
    const noted = (status: number | undefined): void => void calls.push({ method, path, status });
    if (how === "reset") {
      noted(undefined);
      incoming.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const say = (status: number, headers: Readonly<Record<string, string>> = {}): void => {
      noted(status);
      outgoing.writeHead(status, { date: new Date(now()).toUTCString(), ...headers });
      outgoing.end(status === 200 ? "ok" : undefined);
    };
    if (how === "stall") {
      noted(undefined);
      stalled.add(outgoing);
      return;
    }
    if (typeof how === "object") return say(how.status, how.headers);
    if (path !== "/hook") return say(404);
    if (method !== "POST") return say(405);
    const status = await judge(incoming, Buffer.concat(chunks).toString("utf8"));
    if (how !== "swallow") return say(status);
    noted(status);
    incoming.socket.destroy();
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    url: `${origin}/hook`,
    /** What was taken, the oldest first. */
    received: received as readonly Received[],
    /** Every call that was made, with the status that was answered. */
    calls: calls as readonly (typeof calls)[number][],
    fail(how: ReceiverFault, times = 1): void {
      faults = [...faults.filter((each) => each.times > 0), { how, times }];
    },
    close(): Promise<void> {
      for (const outgoing of stalled) outgoing.destroy();
      server.closeAllConnections();
      return new Promise((done) => void server.close(() => done()));
    },
  };
}
