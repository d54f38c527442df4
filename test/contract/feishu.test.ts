import { open } from "../../channels/feishu.ts";
import { matrix } from "../../renderers/matrix.ts";
import { aTools } from "../builders.ts";
import { hookId, startHookServer } from "../feishu/hook-server.ts";
import { afterwards } from "../homes.ts";
import { answerChannelContract } from "./answer-channel.ts";

const secret = "TEST-only-not-the-secret-of-a-bot";
/** Some minutes after the full hour, when nobody waits for the crowd to pass. */
const now = () => Date.parse("2026-11-29T19:45:08Z");

answerChannelContract("feishu", async () => {
  const bot = await startHookServer({ secret, now });
  afterwards(() => bot.close());
  const faults = { busy: "busy", forbidden: { code: 19_024 }, broken: { page: 502 } } as const;
  return {
    row: matrix.feishu,
    destination: "default",
    secrets: [secret, hookId],
    idempotent: false,
    open: () => open({ webhook: bot.url, secret }, aTools({ now })),
    messages: () => bot.messages.map(({ texts }) => ({ text: texts.join("\n\n"), versions: 1, buttons: 0 })),
    fail: (_on, how) => bot.fail(how === "swallow" || how === "reset" ? how : faults[how]),
  };
});
