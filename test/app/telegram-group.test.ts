import { expect, test } from "vitest";
import { eric, group, token } from "../telegram/phone.ts";
import { aConversation } from "./conversation.ts";

const bot = "@owlpost_nightjar_bot";
const topic = { message_thread_id: 44, is_topic_message: true };

async function aGroup() {
  const talk = await aConversation({ chat: `${group}/44` });
  return {
    ...talk,
    /** Somebody speaks in the topic; a mention of the bot is marked as the platform marks it. */
    says(text: string): void {
      const at = text.indexOf(bot);
      const named = at >= 0 && !text.startsWith("/");
      const entities = [{ type: "mention", offset: at, length: bot.length }];
      talk.api.say(token, {
        chat: group,
        from: eric,
        text,
        extra: { ...topic, ...(named ? { entities } : {}) },
      });
    },
  };
}

test("in a group a command that names the bot, or a verb behind its name, is obeyed and answered in its topic", async () => {
  const talk = await aGroup();
  const first = await talk.asks();
  const second = await talk.asks({
    task: "013-search",
    title: "Which index for the search in `src/search`?",
  });
  await talk.sees(group, first);
  talk.says(`/pending${bot}`);
  await talk.sees(group, "2 questions are open", `Send, with a mention of me: ${first} 1`);
  talk.says(`${bot} /status`);
  await talk.sees(group, "Open: 2");
  talk.says(`/answer${bot.toUpperCase()} ${first} tea first`);
  await talk.becomes(first, "answered");
  talk.says(`${bot} /skip ${second}`);
  await talk.becomes(second, "answered");
  await talk.sees(group, "✅ Answered", "tea first");
  await talk.sees(group, /^Answered in words/);
  await talk.sees(group, /^Skipped: 013-search/);
  expect(talk.api.messages(group).map(({ thread }) => thread)).toEqual(Array(6).fill(44));
});

test("in a group what is said to nobody, or to another bot, is left alone", async () => {
  const talk = await aGroup();
  const id = await talk.asks();
  await talk.sees(group, id);
  for (const text of ["1", "/skip", "ok", `${id} 1`, "/skip@owlpost_barn_bot", `/skip${bot}2`])
    talk.says(text);
  await talk.settles();
  expect(await talk.state(id)).toBe("posted");
  expect(talk.texts(group)).toHaveLength(1);
});
