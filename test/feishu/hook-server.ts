import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** A group's custom bot as Feishu keeps it. */
export type HookSettings = {
  /** Signature verification; absent: none. */
  readonly secret?: string;
  /** Only messages that hold one of these; absent: all. */
  readonly keywords?: readonly string[];
  /** Only from these addresses; absent: all. */
  readonly addresses?: readonly string[];
};

/**
 * The next calls fail. `swallow`: it is done, but its reply never arrives; `reset`: it is not even read; `stall`: nothing comes
 * back at all; `page`: somebody in between answers with that status and a page of its own; a code is what Feishu would say.
 */
export type HookFault = {
  readonly how:
    | "swallow"
    | "reset"
    | "stall"
    | { readonly page: number }
    | { readonly code: number }
    | "busy";
  times: number;
};

export type HookMessage = {
  readonly at: number;
  readonly title: string;
  readonly template: string;
  /** The texts of the card, from top to bottom. */
  readonly texts: readonly string[];
  readonly bytes: number;
  /** As it was sent, signature and all. */
  readonly request: Readonly<Record<string, unknown>>;
};

export type HookCall = {
  readonly method: string;
  readonly path: string;
  /** What Feishu decided; undefined where it was not asked. */
  readonly code: number | undefined;
  /** Nobody was told. */
  readonly lost?: true;
};

export type HookServer = Awaited<ReturnType<typeof startHookServer>>;

export const hookId = "0f5a3c9e-TEST-4d11-8f7a-only00000001";
const mostBytes = 20_480;
const signatureMs = 3_600_000;

const plainText = z.strictObject({ tag: z.literal("plain_text"), content: z.string().min(1) });
const element = z.union([
  z.strictObject({ tag: z.literal("div"), text: plainText }),
  z.strictObject({ tag: z.literal("note"), elements: z.array(plainText).min(1) }),
  z.strictObject({ tag: z.literal("hr") }),
]);
const requestSchema = z.strictObject({
  timestamp: z
    .string()
    .regex(/^\d{10}$/)
    .optional(),
  sign: z.string().optional(),
  msg_type: z.literal("interactive"),
  card: z.strictObject({
    config: z.strictObject({ wide_screen_mode: z.boolean() }),
    header: z.strictObject({ template: z.enum(["blue", "grey"]), title: plainText }),
    elements: z.array(element).min(1),
  }),
});

const refused: Readonly<Record<number, string>> = {
  9499: "Bad Request",
  11232: "frequency limited psm[lark.oapi.app_platform_runtime]appID[1500]",
  19001: "param invalid: incoming webhook access token invalid",
  19021: "sign match fail or timestamp is not within one hour from current time",
  19022: "Ip Not Allowed",
  19024: "Key Words Not Found",
};

/** HMAC-SHA256 of nothing, as another implementation than ours computes it. */
async function signOf(timestamp: string, secret: string): Promise<string> {
  const key = new TextEncoder().encode(`${timestamp}\n${secret}`);
  const how = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, how, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", imported, new Uint8Array())).toString("base64");
}

/**
 * Feishu's side of a custom bot, on loopback. It says no where Feishu says no, with status 200 and the code in the body.
 * `now` is its own clock, which the `Date` of its answers shows; pace is judged by real time.
 */
export async function startHookServer(given: HookSettings & { readonly now?: () => number } = {}) {
  const { now = Date.now } = given;
  let bot: HookSettings = given;
  let faults: HookFault[] = [];
  const messages: HookMessage[] = [];
  const calls: HookCall[] = [];
  const arrivals: number[] = [];
  const stalled = new Set<ServerResponse>();

  /** Five a second and a hundred a minute, with a little room for two clocks. */
  function isTooFast(): boolean {
    const at = performance.now();
    const within = (ms: number): number => arrivals.filter((each) => at - each < ms).length;
    return within(950) >= 5 || within(59_000) >= 100;
  }

  async function judge(text: string, address: string): Promise<number> {
    if (bot.addresses && !bot.addresses.includes(address)) return 19_022;
    if (Buffer.byteLength(text) > mostBytes) return 9_499;
    let read: unknown;
    try {
      read = JSON.parse(text);
    } catch {
      return 9_499;
    }
    const parsed = requestSchema.safeParse(read);
    if (!parsed.success) return 9_499;
    const { timestamp, sign, card } = parsed.data;
    if (bot.secret !== undefined) {
      const off = Math.abs(now() - Number(timestamp) * 1_000);
      if (timestamp === undefined || !(off <= signatureMs) || sign !== (await signOf(timestamp, bot.secret)))
        return 19_021;
    }
    if (bot.keywords && !bot.keywords.some((word) => text.includes(word))) return 19_024;
    if (isTooFast()) return 11_232;
    arrivals.push(performance.now());
    messages.push({
      at: now(),
      title: card.header.title.content,
      template: card.header.template,
      texts: card.elements.flatMap((each) =>
        each.tag === "div"
          ? [each.text.content]
          : each.tag === "note"
            ? each.elements.map(({ content }) => content)
            : [],
      ),
      bytes: Buffer.byteLength(text),
      request: parsed.data,
    });
    return 0;
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const fault = faults.find(({ times }) => times > 0);
    const path = incoming.url ?? "";
    const { method = "" } = incoming;
    if (fault && method === "POST") fault.times -= 1;
    const how = method === "POST" ? fault?.how : undefined;
    if (how === "reset") {
      calls.push({ method, path, code: undefined });
      incoming.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const say = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void => {
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      outgoing.writeHead(status, {
        "content-type": "application/json",
        date: new Date(now()).toUTCString(),
        ...headers,
      });
      outgoing.end(method === "HEAD" ? undefined : sent);
    };
    const tell = (code: number): void => {
      calls.push({ method, path, code });
      if (code === 0)
        say(200, { StatusCode: 0, StatusMessage: "success", code: 0, data: {}, msg: "success" });
      else say(200, { code, data: {}, msg: refused[code] ?? "refused" });
    };
    if (method !== "POST" || !path.startsWith("/open-apis/")) return say(404, "404 page not found");
    if (how === "stall") {
      calls.push({ method, path, code: undefined });
      stalled.add(outgoing);
      return;
    }
    if (how === "busy") {
      calls.push({ method, path, code: 99_991_400 });
      return say(
        429,
        { code: 99_991_400, msg: "request trigger frequency limit" },
        { "x-ogw-ratelimit-reset": "3" },
      );
    }
    if (typeof how === "object" && "page" in how) {
      calls.push({ method, path, code: undefined });
      return say(how.page, "<html>sign in first</html>", { "content-type": "text/html" });
    }
    if (typeof how === "object") return tell(how.code);
    if (path !== `/open-apis/bot/v2/hook/${hookId}`) return tell(19_001);
    if (!/^application\/json\b/.test(incoming.headers["content-type"] ?? "")) return tell(9_499);
    const code = await judge(Buffer.concat(chunks).toString("utf8"), incoming.socket.remoteAddress ?? "");
    if (how !== "swallow") return tell(code);
    calls.push({ method, path, code, lost: true });
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
    /** The bot's webhook. */
    url: `${origin}/open-apis/bot/v2/hook/${hookId}`,
    /** What stands in the group, the oldest first. */
    messages: messages as readonly HookMessage[],
    /** Every call that was made, with the code that was answered. */
    calls: calls as readonly HookCall[],
    /** Somebody changes the bot's security settings. */
    set(settings: HookSettings): void {
      bot = settings;
    },
    fail(how: HookFault["how"], times = 1): void {
      faults = [...faults.filter((each) => each.times > 0), { how, times }];
    },
    close(): Promise<void> {
      for (const outgoing of stalled) outgoing.destroy();
      server.closeAllConnections();
      return new Promise((done) => void server.close(() => done()));
    },
  };
}
