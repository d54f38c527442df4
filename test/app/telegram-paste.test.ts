import { expect, test } from "vitest";
import { eric } from "../telegram/phone.ts";
import { aConversation } from "./conversation.ts";

test("what a receipt says to send can be copied out of it, invisible joiner and all", async () => {
  const talk = await aConversation();
  const id = await talk.asks();
  await talk.sees(eric, id);
  talk.types(eric, "1");
  await talk.becomes(id, "answered");
  talk.types(eric, `${id} 2`);
  await talk.sees(eric, "already answered");
  const shown = talk.api.messages(eric).find(({ text }) => text.includes("already answered"))?.text ?? "";
  const line = shown.slice(shown.indexOf("To change it: ") + "To change it: ".length);
  // It is no live command there: a tap on it must not send half of it.
  expect(line).toBe(`/\u2060override ${id} 2`);
  talk.types(eric, line);
  await talk.sees(eric, "✅ Changed to 2");
});
