import { z } from "zod";
import type { AnswerChannel, ChannelMessage } from "../src/domain/channel.ts";

/** `${NAME}` from the environment is always a text. */
function digits(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,5}$/.test(value) ? Number(value) : value;
}

export const settings = z.strictObject({
  port: z
    .preprocess(digits, z.int().min(0).max(65_535))
    .default(7373)
    .describe("Port on 127.0.0.1 where the page is served; 0 takes any free one"),
});
export type Settings = z.infer<typeof settings>;

/**
 * The local inbox as a channel. Its page reads the store itself, so a message is delivered as soon as its row is there:
 * post and edit succeed at once, nothing comes in by polling, and nothing rings.
 */
export function open(): AnswerChannel {
  return {
    id: "inbox",
    rings: false,
    destinations: ["local"],
    async post(_destination: string, message: ChannelMessage, key: string) {
      return message.buttons[0]?.question ?? key;
    },
    async edit() {},
    async close() {},
  };
}
