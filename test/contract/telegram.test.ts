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
        ...(message.replyTo === undefined ? {} : { replyTo: `${eric}:${message.replyTo}` }),
        buttons: message.markup?.inline_keyboard.flat().length ?? 0,
      })),
    tap(key) {
      const message = api.messages(eric).at(-1);
      const data = [...(message?.payloads ?? [])].find((payload) => payload.endsWith(`|${key}`)) ?? "";
      api.press(token, { chat: eric, message: message?.message_id ?? 0, from: eric, data });
    },
    typed: {
      say(text, { to, edit } = {}) {
        const latest = to && api.messages(eric).at(-1)?.message_id;
        const update = api.say(token, {
          chat: eric,
          from: eric,
          text,
          ...(latest === undefined ? {} : { replyTo: latest }),
          ...(edit === undefined ? {} : { edit: Number(edit.split(":")[1]) }),
        });
        return `${eric}:${(update?.message ?? update?.edited_message)?.message_id}`;
      },
      echo(text) {
        const chat = { id: eric, type: "private", first_name: "Eric" } as const;
        const me = { id: Number(token.split(":")[0]), is_bot: true, first_name: "owl" };
        api.push(token, { message: { message_id: 900, date: 1, from: me, chat, text } });
      },
      forget: (ref) => api.forget(eric, Number(ref.split(":")[1])),
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
