import { type HookFault, type HookServer, startHookServer } from "../feishu/hook-server.ts";
import { type Receiver, type ReceiverFault, startReceiver } from "../webhook/receiver.ts";
import { openDoor } from "./door.ts";

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

  const door = await openDoor((path, body) => {
    switch (path) {
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
        throw new Error(`no door ${path}`);
    }
  });

  return {
    url: door.url,
    bot,
    receiver,
    deaths: () => deaths,
    died: () => {
      deaths += 1;
    },
    async close() {
      await door.close();
      await Promise.all([bot.close(), receiver.close()]);
    },
  };
}
