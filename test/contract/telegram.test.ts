import { matrix } from "../../renderers/matrix.ts";
import { tooMany } from "../telegram/bot-api.ts";
import { aBotApi, aLine, eric, token } from "../telegram/phone.ts";
import { answerChannelContract } from "./answer-channel.ts";

const methods = {
  post: "sendMessage",
  edit: "editMessageText",
  poll: "getUpdates",
  settle: "answerCallbackQuery",
};
const refusals = {
  busy: tooMany(3),
  forbidden: { error_code: 403, description: "Forbidden: bot was blocked by the user" },
  broken: { error_code: 502, description: "Bad Gateway" },
};

answerChannelContract("telegram", async () => {
  const { api } = await aBotApi();
  return {
    row: matrix.telegram,
    destination: String(eric),
    sender: String(eric),
    secrets: [token, token.split(":")[1] ?? ""],
    idempotent: false,
    open: () => aLine(api, {}, { waitMs: 20_000 }),
    messages: () =>
      api.messages(eric).map((message) => ({
        text: message.text,
        versions: message.versions.length,
        buttons: message.markup?.inline_keyboard.flat().length ?? 0,
      })),
    tap(key) {
      const message = api.messages(eric).at(-1);
      const data = [...(message?.payloads ?? [])].find((payload) => payload.endsWith(`|${key}`)) ?? "";
      api.press(token, { chat: eric, message: message?.message_id ?? 0, from: eric, data });
    },
    toasts: () => api.answers.map(({ text }) => text),
    unconfirmed: () => api.waiting(token).length,
    isPolled: () => api.isPolled(token),
    fail(on, how) {
      api.fail({
        method: methods[on],
        how: how === "swallow" || how === "reset" ? how : refusals[how],
        times: 1,
      });
    },
  };
});
