import { expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { eric, mara } from "../telegram/phone.ts";
import { aConversation } from "./conversation.ts";

const stranger = 5550100099;

test("a whole evening, message by message", async () => {
  const talk = await aConversation();
  const { api, clock, service } = talk;
  api.addPerson(stranger, "eric");

  // 20:45. The agent is stuck, and Eric's phone rings.
  const auth = await talk.asks();
  await talk.sees(eric, "Token refresh strategy", "1️⃣ Refresh-token rotation", "⏰ No answer by 06:00", auth);

  // He types a number that is no option, and is told which ones there are.
  talk.types(eric, "7");
  await talk.sees(eric, "no option “7”", "1 — Refresh-token rotation", "2 — Extend the TTL to 30 days");
  expect(await talk.state(auth)).toBe("posted");

  // A second question comes. A bare number could mean either, so it means neither.
  clock.advance(5 * minute);
  const search = await talk.asks({
    task: "013-search",
    title: "Which index for the search in `src/search`?",
  });
  await talk.sees(eric, "Which index for the search", search);
  talk.types(eric, "1");
  await talk.sees(eric, "2 questions are open", `Send: ${auth} 1`, `Send: ${search} 1`);
  expect([await talk.state(auth), await talk.state(search)]).toEqual(["posted", "posted"]);

  // In reply to the message itself it is clear. The receipt answers what he typed, and the question shows it.
  const typed = talk.types(eric, "2", { to: "Token refresh strategy" });
  await talk.becomes(auth, "answered");
  await talk.sees(
    eric,
    "✅ Answered: 2 — Extend the TTL to 30 days",
    "applies at the next iteration on 012-fix-auth",
  );
  await talk.sees(eric, /^Answered: 2 — Extend the TTL to 30 days/);
  const receipt = api.messages(eric).find(({ replyTo }) => replyTo === typed);
  expect(receipt?.text).toMatch(/^Answered: 2/);

  // He thinks again. Only /override with the id changes an answer.
  talk.types(eric, "1", { to: "Token refresh strategy" });
  await talk.sees(eric, "already answered", `/override ${auth} 1`);
  talk.types(eric, `/override ${auth} 1`);
  await talk.sees(eric, "✅ Changed to 1 — Refresh-token rotation");

  // The loop takes it at its next stop. From now on it stays.
  clock.advance(10 * minute);
  await service.owlpost.take({ run: "a3f2", task: "012-fix-auth" });
  await talk.sees(eric, "▶ Picked up by run a3f2");
  talk.taps(eric, "2", "Token refresh strategy");
  expect(await talk.toast()).toMatchObject({
    alert: true,
    text: expect.stringContaining("can no longer be changed"),
  });

  // Somebody else who calls himself eric writes to the bot. Nothing happens, and nothing is said.
  talk.types(stranger, `${search} 1`);
  talk.types(stranger, "/status");
  await talk.settles();
  expect(await talk.state(search)).toBe("posted");
  expect(talk.texts(stranger)).toEqual([]);

  // Eric pairs Mara from the machine; she types the code in a private chat.
  const paired = await service.owlpost.pair({ name: "mara", role: "member", channel: "telegram" });
  if (!paired.ok || paired.by !== "code") throw new Error(JSON.stringify(paired));
  talk.types(mara, `/start ${paired.code}`);
  await talk.sees(mara, "mara");
  await talk.sees(eric, "mara is paired on telegram as member", "owlpost pairing revoke");

  // She is not rung by questions for owners, and may answer them.
  talk.types(mara, "/pending");
  await talk.sees(mara, "1 question is open", search);
  talk.types(mara, `${search} 1`);
  await talk.becomes(search, "answered");
  await talk.sees(eric, "Which index for the search", "✅ Answered: 1", "(by mara,");
  // What is hers to change is what she has answered.
  talk.types(eric, `/override ${search} 2`);
  await talk.sees(eric, "✅ Changed to 2");
  talk.types(mara, `/override ${search} 1`);
  await talk.sees(mara, "An owner can change it");

  // Eric takes her access away; from then on she is a stranger like any other.
  const { bindings } = await service.owlpost.people();
  const binding = bindings.find(({ person }) => person.name === "mara");
  if (!binding) throw new Error("mara is not listed");
  await service.owlpost.revoke(binding.id, "cli");
  const cache = await talk.asks({ task: "014-cache", title: "Where does the cache in `src/cache` live?" });
  await talk.sees(eric, "Where does the cache");
  const before = talk.texts(mara).length;
  talk.types(mara, `${cache} 1`);
  await talk.settles();
  expect(await talk.state(cache)).toBe("posted");
  expect(talk.texts(mara)).toHaveLength(before);

  // Field 68: talk is talk. One line of help a minute, and the question stays as it is.
  talk.types(eric, "thanks, good night");
  await talk.sees(eric, "Nothing was recorded");
  talk.types(eric, "and tomorrow we look at 1 and 2");
  await talk.settles();
  expect(talk.texts(eric).filter((text) => text.includes("Nothing was recorded"))).toHaveLength(1);
  expect(await talk.state(cache)).toBe("posted");

  // A note for the agent leaves the question open.
  talk.types(eric, "/steer keep the public API as it is");
  await talk.sees(eric, "Noted for the next iteration on 014-cache");
  expect(await talk.state(cache)).toBe("posted");

  // 06:00 comes without an answer. Until the loop takes the default he may still answer, late.
  clock.advance(10 * hour);
  await service.settle();
  await talk.sees(eric, "Where does the cache", "⏰ No answer by 06:00", "You can still answer until then");
  talk.types(eric, "2", { to: "Where does the cache" });
  await talk.becomes(cache, "answered");
  await talk.sees(eric, "Where does the cache", "✅ Answered after the deadline: 2");
  expect((await service.owlpost.question(cache))?.answer).toMatchObject({
    outcome: "overridden",
    late: true,
  });

  // Three questions, three answers, and every move is in the log.
  expect(await talk.count("question.answered")).toBe(3);
  expect(await talk.count("question.overridden")).toBe(2);
});
