import { createServer } from "node:net";
import { TelegramServer } from "telegram-test-api/lib/telegramServer.js";
import { expect, test } from "vitest";
import { open } from "../../channels/telegram.ts";
import { aQuestionId } from "../builders.ts";
import { afterwards } from "../homes.ts";
import { aMessage, never, token } from "../telegram/phone.ts";

/** It takes a fixed port only, so a free one is looked for first. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening) => probe.listen(0, "127.0.0.1", listening));
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  return typeof address === "object" && address ? address.port : 0;
}

test("a Bot API server that somebody else wrote understands the adapter", async () => {
  const server = new TelegramServer({ port: await freePort(), host: "127.0.0.1" });
  await server.start();
  const channel = await open({ token, allow: [1], api_root: server.config.apiURL }, { waitMs: 200 });
  afterwards(async () => {
    await channel.close();
    await server.stop();
  });
  const ref = await channel.post("1", aMessage(), "k1", never);
  const client = server.getClient(token, { chatId: 1, userId: 1 });
  const posted = await client.getUpdates();
  const markup = JSON.parse(JSON.stringify(posted.result[0]?.message.reply_markup ?? null));
  expect(posted.result[0]?.message).toMatchObject({ text: "<b>Which way?</b>", parse_mode: "HTML" });
  const data: string = markup.inline_keyboard[0][1].callback_data;
  await client.sendCallback(
    client.makeCallbackQuery(data, { message: { message_id: Number(ref.split(":")[1]) } }),
  );
  const batch = await channel.poll?.(undefined, never);
  expect(batch?.replies).toMatchObject([
    { sender: "1", to: ref, press: { question: aQuestionId, action: "2" } },
  ]);
  const key = batch?.replies[0]?.key ?? "";
  expect(await batch?.settle?.([{ key, text: "Answered: 2", accepted: true }])).toEqual([key]);
  await channel.edit?.("1", ref, aMessage({ body: "<b>Done</b>", buttons: [] }), never);
  const history = await client.getUpdatesHistory();
  expect(JSON.stringify(history)).toContain("<b>Done</b>");
});
