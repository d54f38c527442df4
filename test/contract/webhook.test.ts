import { open, settings } from "../../channels/webhook.ts";
import { matrix } from "../../renderers/matrix.ts";
import { aTools } from "../builders.ts";
import { afterwards } from "../homes.ts";
import { startReceiver } from "../webhook/receiver.ts";
import { answerChannelContract } from "./answer-channel.ts";

const secret = "TEST-only-not-the-secret-of-a-receiver";

answerChannelContract("webhook", async () => {
  const receiver = await startReceiver({ secret, now: aTools().now });
  afterwards(() => receiver.close());
  const faults = {
    busy: { status: 429, headers: { "retry-after": "3" } },
    forbidden: { status: 403 },
    broken: { status: 502 },
  };
  return {
    row: matrix.webhook,
    destination: "default",
    secrets: [secret, receiver.url],
    idempotent: true,
    open: () => open(settings.parse({ url: receiver.url, secret }), aTools()),
    messages: () => receiver.received.map(({ text }) => ({ text, versions: 1, buttons: 0 })),
    fail: (_on, how) => receiver.fail(how === "swallow" || how === "reset" ? how : faults[how]),
  };
});
