import type { AnswerChannel } from "../../src/domain/channel.ts";
import { boundary } from "./steps.ts";

/** The same channel with a step before and after every call. */
export function tapChannel(channel: AnswerChannel): AnswerChannel {
  const { id, edit, poll } = channel;
  return {
    ...channel,
    async post(...given) {
      boundary("send", `${id}.post:before`);
      const ref = await channel.post(...given);
      boundary("send", `${id}.post:after`);
      return ref;
    },
    ...(edit
      ? {
          async edit(...given: Parameters<typeof edit>) {
            boundary("send", `${id}.edit:before`);
            await edit(...given);
            boundary("send", `${id}.edit:after`);
          },
        }
      : {}),
    ...(poll
      ? {
          async poll(...given: Parameters<typeof poll>) {
            boundary("receive", `${id}.poll:before`);
            const batch = await poll(...given);
            boundary("receive", `${id}.poll:after`);
            const { settle } = batch;
            if (!settle) return batch;
            return {
              ...batch,
              async settle(...receipts: Parameters<typeof settle>) {
                boundary("receive", `${id}.settle:before`);
                const delivered = await settle(...receipts);
                boundary("receive", `${id}.settle:after`);
                return delivered;
              },
            };
          },
        }
      : {}),
  };
}
