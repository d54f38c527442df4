import { expect, test } from "vitest";
import type { Taken } from "../../src/app/api.ts";
import { until } from "../homes.ts";
import { eric, token } from "../telegram/phone.ts";
import { aConversation } from "./conversation.ts";
import { owlpost } from "./process.ts";

const owners = Array.from({ length: 15 }, (_, n) => 5550200001 + n);
const later = { default: { action: "skip_spec", at: "20h" } };

/** Telegram, the inbox and commands at once: commands know no clock but the machine's. */
async function atThisHour(allow: readonly number[]) {
  const talk = await aConversation({ allow: [...allow] });
  for (const person of allow.filter((each) => each !== eric)) talk.api.addPerson(person, `Owner ${person}`);
  talk.clock.advance(Date.now() - talk.clock.now());
  return talk;
}

test("field 63: of 50 parallel answers by tap, word, inbox and command one wins, and 49 are told who did", async () => {
  const talk = await atThisHour(owners);
  const { api, service, home } = talk;
  const id = await talk.asks(later);
  for (const person of owners) await talk.sees(person, id);

  const option = (n: number): string => String(1 + (n % 2));
  const processes = Array.from({ length: 10 }, async (_, n) => {
    const { stdout } = await owlpost(home, ["answer", id, option(n)]);
    const { accepted, ack, repeated } = JSON.parse(stdout) as {
      accepted: boolean;
      ack: string;
      repeated?: boolean;
    };
    return { won: accepted && repeated !== true, text: ack };
  });
  // A command needs a moment to start; the phones are as late as it is.
  await new Promise((next) => setTimeout(next, 250));
  owners.forEach((person, n) => {
    talk.taps(person, option(n), id);
  });
  const typed = owners.map((person, n) => ({
    person,
    message: talk.types(person, option(n + 1), { to: id }),
  }));
  const inbox = Array.from({ length: 10 }, async (_, n) => {
    const ack = await service.owlpost.decide({ verb: "choose", question: id, key: option(n) }, "inbox");
    return { won: ack.accepted && ack.repeated !== true, text: ack.text };
  });
  const direct = await Promise.all([...processes, ...inbox]);
  // The commands have written by the machine's clock; the service's own stood still meanwhile.
  talk.clock.advance(Math.max(0, Date.now() - talk.clock.now()));
  await until(
    () => api.waiting(token).length,
    (left) => left === 0,
  );
  await until(
    () => api.answers.length,
    (count) => count === owners.length,
  );
  await until(
    () =>
      typed.filter(({ person, message }) => api.messages(person).some(({ replyTo }) => replyTo === message)),
    (receipts) => receipts.length === typed.length,
  );
  await service.settle();

  const told = (text: string) => ({ won: text.startsWith("Answered: "), text });
  const written = typed.map(({ person, message }) => {
    const found = api.messages(person).filter(({ replyTo }) => replyTo === message);
    expect(found).toHaveLength(1);
    return told(found[0]?.text ?? "");
  });
  const all = [...direct, ...api.answers.map(({ text }) => told(text)), ...written];
  expect(all).toHaveLength(50);
  expect(all.filter(({ won }) => won)).toHaveLength(1);
  const answer = (await service.owlpost.question(id))?.answer;
  for (const { won, text } of all) {
    if (!won) expect(text.replaceAll("\u2060", "")).toContain(`option ${answer?.option} — `);
  }
  expect(await talk.count("question.answered")).toBe(1);
  // Every copy shows the same.
  for (const person of owners) await talk.sees(person, id, `✅ Answered: ${answer?.option}`);
}, 60_000);

test("R2: 20 parallel askers each get their own answer while the answers come over Telegram", async () => {
  const talk = await atThisHour([eric]);
  const tasks = Array.from({ length: 20 }, (_, n) => `asker-${n + 1}`);
  const askers = tasks.map(async (task) => {
    const document = { ...later, task, title: `What about ${task}?` };
    const id = await talk.asks(document);
    const claim = `loop-${task}`;
    const { taken } = await until<{ taken: readonly Taken[] }>(
      () => talk.service.owlpost.take({ task: task, claim: claim }),
      ({ taken }) => taken.length > 0,
    );
    await talk.service.owlpost.confirm(claim);
    return taken.map((each) => [each.id, each.task, each.option ?? each.text, each.by]).concat([[id]]);
  });
  const answering = tasks.map(async (task, n) => {
    const id = `q-a3f2-${task}-1`;
    await talk.sees(eric, `[${id}]`);
    if (n % 3 === 0) talk.taps(eric, String(1 + (n % 2)), `[${id}]`);
    else if (n % 3 === 1) talk.types(eric, `/answer ${id} for ${task} alone`);
    else talk.types(eric, String(1 + (n % 2)), { to: `[${id}]` });
  });
  const [given] = await Promise.all([Promise.all(askers), Promise.all(answering)]);

  expect(given).toEqual(
    tasks.map((task, n) => {
      const id = `q-a3f2-${task}-1`;
      const said = n % 3 === 1 ? `for ${task} alone` : String(1 + (n % 2));
      return [[id, task, said, `Eric (${eric})`], [id]];
    }),
  );
  for (const kind of ["question.answered", "question.applied", "question.confirmed"])
    expect(await talk.count(kind)).toBe(20);
}, 60_000);
