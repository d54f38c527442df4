import { matrix } from "../../renderers/matrix.ts";
import type { How } from "../ntfy/front.ts";
import { aLine, aNtfy, ask, botToken, buttonOf, buttonToken, press, shownOn } from "../ntfy/phone.ts";
import { answerChannelContract, type ContractPeer } from "./answer-channel.ts";

const how: Readonly<Record<Parameters<ContractPeer["fail"]>[1], How>> = {
  busy: "busy",
  forbidden: "refused",
  swallow: "swallow",
  reset: "reset",
  broken: "broken",
};

answerChannelContract("ntfy", async () => {
  const ntfy = await aNtfy();
  const { server, front } = ntfy;
  return {
    row: matrix.ntfy,
    destination: "default",
    sender: "",
    recipient: "ntfy",
    secrets: [botToken, buttonToken],
    idempotent: true,
    // It sends no Retry-After.
    pauseMs: 10_000,
    open: () => aLine(ntfy, {}, { waitMs: 20_000 }),
    messages: () =>
      shownOn(server.kept(ask)).map(({ message = "", versions, actions = [] }) => ({
        text: message,
        versions,
        buttons: actions.length,
      })),
    tap: async (key) => void (await press(buttonOf(shownOn(server.kept(ask)), key))),
    toasts: () => [],
    isPolled: front.isPolled,
    fail: (on, what) => front.fail(on === "settle" ? "other" : on, how[what]),
  };
});
