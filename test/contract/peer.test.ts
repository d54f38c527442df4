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
      freeText: "reply",
      correlation: "thread",
      inbound: "poll",
    },
    destination: "default",
    sender: "eric",
    secrets: [],
    idempotent: true,
    open: () => peerChannel(peer.url),
    messages: () =>
      peer.messages.map(({ versions, replyTo }) => ({
        text: versions.at(-1)?.body ?? "",
        versions: versions.length,
        ...(replyTo === undefined ? {} : { replyTo }),
        buttons: versions.at(-1)?.buttons.length ?? 0,
      })),
    tap: (action) =>
      void peer.press({ name: `tap ${action}`, sender: "eric", question: aQuestionId, action }),
    typed: {
      say(text, { to, edit } = {}) {
        const latest = to && peer.messages.at(-1)?.ref;
        return peer.say({
          sender: "eric",
          text,
          ...(latest === undefined ? {} : { to: latest }),
          ...(edit === undefined ? {} : { message: edit, edited: true }),
        });
      },
      echo: (text) => void peer.say({ sender: "owlpost", text, own: true }),
      forget: (ref) => peer.forget(ref),
    },
    toasts: () => peer.receipts.map(({ text }) => text),
    unconfirmed: () => peer.updates.filter(({ id }) => id >= peer.confirmedBelow()).length,
    isPolled: () => peer.isPolled(),
    fail: (on, how) => peer.fail({ on: kinds[on], how, times: 1, retryAfterSeconds: 3 }),
  };
});
