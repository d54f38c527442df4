import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type HookFault, type HookServer, startHookServer } from "../feishu/hook-server.ts";
import { type Receiver, type ReceiverFault, startReceiver } from "../webhook/receiver.ts";

export const feishuSecret = "TEST-only-not-the-secret-of-a-bot";
export const webhookSecret = "TEST-only-not-the-secret-of-a-receiver";

export type HooksFault =
  | { readonly on: "feishu"; readonly how: HookFault["how"] }
  | { readonly on: "webhook"; readonly how: ReceiverFault };
export type HooksPlaces = { readonly feishu: string; readonly webhook: string };

export type HooksDesk = {
  readonly url: string;
  readonly bot: HookServer;
  readonly receiver: Receiver;
  /** How often the child died. */
  deaths(): number;
  died(): void;
  close(): Promise<void>;
};

/**
 * Feishu and a webhook's receiver in the process that survives every kill, on a clock that the scene moves, with a door through
 * which the child breaks them.
 */
export async function startHooksDesk(): Promise<HooksDesk> {
  let aheadMs = 0;
  let deaths = 0;
  const now = (): number => Date.now() + aheadMs;
  const bot = await startHookServer({ secret: feishuSecret, now });
  const receiver = await startReceiver({ secret: webhookSecret, now });

  const door = createServer((request, response) => {
    const act = async (): Promise<unknown> => {
      const body = await bodyOf(request);
      switch (request.url) {
        case "/api":
          return { feishu: bot.url, webhook: receiver.url } satisfies HooksPlaces;
        case "/person/clock":
          aheadMs = (body as { readonly ms: number }).ms;
          return {};
        case "/person/fault": {
          const fault = body as HooksFault;
          if (fault.on === "feishu") bot.fail(fault.how);
          else receiver.fail(fault.how);
          return {};
        }
        default:
          throw new Error(`no door ${request.url}`);
      }
    };
    act().then(
      (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => door.listen(0, "127.0.0.1", listening));
  const { port } = door.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    bot,
    receiver,
    deaths: () => deaths,
    died: () => {
      deaths += 1;
    },
    async close() {
      door.closeAllConnections();
      await new Promise((closed) => door.close(closed));
      await Promise.all([bot.close(), receiver.close()]);
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? undefined : JSON.parse(text);
}
