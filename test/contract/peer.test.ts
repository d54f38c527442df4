import { aQuestionId } from "../builders.ts";
import { afterwards } from "../homes.ts";
import { peerChannel } from "../peer/peer-channel.ts";
import { mostPeerUnits, startPeer } from "../peer/peer-server.ts";
import { answerChannelContract } from "./answer-channel.ts";

const kinds = { post: "post", edit: "edit", poll: "updates", settle: "receipts" } as const;

answerChannelContract("the loopback platform", async () => {
  const peer = await startPeer();
  afterwards(() => peer.close());
  return {
    row: {
      body: { max: mostPeerUnits, unit: "utf16", counted: "sent" },
      buttons: { max: 9, perRow: 1, label: 80, payloadBytes: 64, kind: "callback" },
      edit: "yes",
      inbound: "poll",
    },
    destination: "default",
    sender: "eric",
    secrets: [],
    idempotent: true,
    open: () => peerChannel(peer.url),
    messages: () =>
      peer.messages.map(({ versions }) => ({
        text: versions.at(-1)?.body ?? "",
        versions: versions.length,
        buttons: versions.at(-1)?.buttons.length ?? 0,
      })),
    tap: (action) =>
      void peer.press({ name: `tap ${action}`, sender: "eric", question: aQuestionId, action }),
    toasts: () => peer.receipts.map(({ text }) => text),
    unconfirmed: () => peer.updates.filter(({ id }) => id >= peer.confirmedBelow()).length,
    isPolled: () => peer.isPolled(),
    fail: (on, how) => peer.fail({ on: kinds[on], how, times: 1, retryAfterSeconds: 3 }),
  };
});
