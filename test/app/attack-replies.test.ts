import { expect, test } from "vitest";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { aConfig, aDocument, minute } from "../builders.ts";
import { eric } from "../telegram/phone.ts";
import { aConversation, type Conversation } from "./conversation.ts";

/** What is done on the machine itself while the service is away. */
async function onTheMachine(talk: Conversation, changes: Parameters<typeof aConfig>[0] = {}) {
  const config = aConfig({
    deliver: ["telegram"],
    channels: { telegram: { token: "t", allow: [eric] } },
    ...changes,
  });
  return openOwlpost({ home: talk.home, config, now: talk.clock.now, host: "owl" });
}

test("a bare key that was sent before the only open question was asked is not guessed to be for it", async () => {
  const talk = await aConversation();
  await talk.settles();
  const first = await talk.asks();
  await talk.sees(eric, "Token refresh strategy");
  let second = "";
  await talk.sleeps(async () => {
    talk.types(eric, "1");
    talk.clock.advance(10 * minute);
    const machine = await onTheMachine(talk);
    await machine.cancel(first, "the task was edited");
    const asked = await machine.ask({
      document: aDocument({ task: "013-drop", title: "Drop `sessions_old`?" }),
    });
    second = asked.ok ? asked.id : "";
    await machine.close();
  });
  await talk.settles();
  expect(await talk.state(second)).not.toBe("answered");
  await talk.sees(eric, `${second} 1`);
});

test("who was revoked while the channel was away is not sent what waited for them", async () => {
  const talk = await aConversation({ allow: [] });
  await talk.settles();
  const machine = async () => onTheMachine(talk, { channels: { telegram: { token: "t" } } });
  const first = await machine();
  const { store } = talk.service;
  await store.append(
    [{ type: "bind", person: { name: "mara", role: "owner" }, channel: "telegram", address: String(eric) }],
    talk.clock.now(),
  );
  await first.close();
  await talk.sleeps(async () => {
    const again = await machine();
    await again.ask({ document: aDocument() });
    const [mara] = (await again.people()).bindings;
    await again.revoke(mara?.id ?? 0, "cli");
    await again.close();
  });
  await talk.settles();
  expect(talk.texts(eric)).toEqual([]);
});
