import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "../../channels/telegram.ts";
import { newLink } from "../../src/app/inbox-server.ts";
import type { Service } from "../../src/app/service.ts";
import { aConfig, aDocument, minute } from "../builders.ts";
import { afterwards, aHome, aService, until } from "../homes.ts";
import { startBotApi } from "../telegram/bot-api.ts";
import { eric, mara, token } from "../telegram/phone.ts";
import { send } from "./inbox-peer.ts";

/** "Within seconds" of the report, on a machine that is busy. */
const secondsMs = 5_000;

/** Two owners with a phone each, the inbox, and the service between them, on the real clock: other processes have no other. */
async function twoPhones() {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const api = await startBotApi({ now });
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  api.addPerson(mara, "Mara");
  const home = aHome();
  const telegram = { token, allow: [eric, mara], api_root: api.url };
  const line = await open(telegram, { waitMs: 2_000, graceMs: 5_000, callMs: 5_000, now });
  const service = await aService({
    home,
    now,
    config: aConfig({
      deliver: ["telegram", "inbox"],
      channels: { inbox: { port: 0 }, telegram },
    }),
    channels: new Map([["telegram", line]]),
  });
  const asked = await service.owlpost.ask({
    document: aDocument({ default: { action: "skip_spec", at: "30m" } }),
  });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  const copies = () => [eric, mara].map((chat) => api.messages(chat)[0]);
  await until(copies, (both) => both.every((copy) => copy?.markup !== undefined));
  return {
    api,
    home,
    service,
    id: asked.id,
    copies,
    press: (from: number, key: string) =>
      api.press(token, { chat: from, from, message: 1, data: `o1|${asked.id}|${key}` }),
    advance: (ms: number) => {
      aheadMs += ms;
    },
  };
}
type Phones = Awaited<ReturnType<typeof twoPhones>>;

const ways: readonly [way: string, shown: string, answer: (phones: Phones) => Promise<unknown> | unknown][] =
  [
    ["by a command-line process", "from the command line on", ({ home, id }) => answerByCommand(home, id)],
    ["in the local inbox", "✅ Answered: 1", ({ service, id }) => answerInInbox(service, id)],
    ["on another owner's phone", "(by Mara", ({ press }) => press(mara, "1")],
    [
      "in the words of another owner",
      "(by Mara",
      ({ api, id }) => api.say(token, { chat: mara, from: mara, text: `${id} 1` }),
    ],
  ];

test.each(ways)(
  "field 29: answered %s: the buttons of every copy are gone within seconds, and an old screen is told the truth",
  async (_way, shown, answer) => {
    const phones = await twoPhones();
    await answer(phones);
    await until(
      async () => (await phones.service.owlpost.question(phones.id))?.state,
      (state) => state === "answered",
    );
    const began = performance.now();
    await until(phones.copies, (both) => both.every((copy) => copy?.markup === undefined));
    expect(performance.now() - began).toBeLessThan(secondsMs);
    for (const copy of phones.copies()) {
      expect(copy?.text).toContain("✅ Answered: 1 — Refresh-token rotation");
      expect(copy?.text).toContain(shown);
    }
    const before = phones.api.answers.length;
    phones.press(eric, "2");
    const toasts = await until(
      () => phones.api.answers,
      (all) => all.length > before && all.at(-1)?.alert === true,
    );
    expect(toasts.at(-1)?.text).toContain("option 1");
    expect((await phones.service.owlpost.question(phones.id))?.answer?.option).toBe("1");
  },
  30_000,
);

test("field 29: at the deadline every copy says so, and once the loop has taken the default no button is left", async () => {
  const { api, service, id, copies, advance, press } = await twoPhones();
  advance(31 * minute);
  await service.settle();
  await until(copies, (both) => both.every((copy) => copy?.text.includes("⏰ No answer by") === true));
  // Until then it can still be answered.
  expect(copies().every((copy) => copy?.markup !== undefined)).toBe(true);
  await service.owlpost.take({ run: "a3f2" });
  const began = performance.now();
  await until(copies, (both) => both.every((copy) => copy?.markup === undefined));
  expect(performance.now() - began).toBeLessThan(secondsMs);
  press(eric, "1");
  await until(
    () => api.answers,
    (all) => all.some(({ alert }) => alert),
  );
  expect((await service.owlpost.question(id))?.outcome).toBe("defaulted");
}, 30_000);

test("R10: an allow list that is empty lets nobody in: nothing rings, nothing that is said or tapped counts, and nobody is told anything", async () => {
  const api = await startBotApi();
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  api.addGroup(-1001, "nightjar ops");
  const telegram = { token, allow: [], api_root: api.url };
  const service = await aService({
    config: aConfig({ deliver: ["telegram", "inbox"], channels: { inbox: { port: 0 }, telegram } }),
    channels: new Map([["telegram", await open(telegram, { waitMs: 1_000, graceMs: 5_000, callMs: 5_000 })]]),
  });
  const asked = await service.owlpost.ask({
    document: aDocument({ default: { action: "skip_spec", at: "8h" } }),
  });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  expect(asked.channels).toEqual(["inbox"]);
  const { id } = asked;
  const said = [
    "/start",
    "1",
    `${id} 1`,
    `/answer ${id} hello`,
    `/override ${id} 2`,
    "/status",
    "/help",
    "/unpair",
  ];
  for (const text of said) api.say(token, { chat: eric, from: eric, text });
  const inGroup = { chat: -1001, from: eric, text: `/skip@owlpost_nightjar_bot ${id}` };
  api.say(token, inGroup);
  // Somebody kept the payload of a button, or made one up.
  const from = { id: eric, is_bot: false, first_name: "Eric" };
  const chat = { id: eric, type: "private", first_name: "Eric" } as const;
  const me = { id: Number(token.split(":")[0]), is_bot: true, first_name: "owl" };
  api.push(token, {
    callback_query: {
      id: "1",
      from,
      chat_instance: "1",
      data: `o1|${id}|1`,
      message: { message_id: 1, date: 1, chat, from: me, text: "?" },
    },
  });
  await until(
    () => api.waiting(token).length,
    (left) => left === 0,
  );
  await service.settle();
  const events = await service.owlpost.events(0, 1_000);
  expect(events.filter(({ kind }) => kind === "question.answered")).toEqual([]);
  const refused = events.filter(({ kind, data }) => kind === "reply.refused" && data.reason !== undefined);
  expect(refused.length).toBeGreaterThan(0);
  expect(["pending", "posted"]).toContain((await service.owlpost.question(id))?.state);
  expect(api.calls.filter(({ method }) => method === "sendMessage")).toEqual([]);
  expect(api.answers.filter(({ text }) => text !== "")).toEqual([]);
  expect(await service.store.bindings()).toEqual([]);
}, 30_000);

function answerByCommand(home: string, id: string): Promise<void> {
  const cli = join(import.meta.dirname, "..", "..", "dist", "cli.js");
  if (!existsSync(cli)) throw new Error("dist/cli.js is missing: npm run build");
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [cli, "answer", id, "1", "--home", home], {
      env: { ...process.env, OWLPOST_AS: "", NODE_OPTIONS: "" },
      stdio: "ignore",
    });
    child.once("error", failed);
    child.once("exit", (code) => (code === 0 ? done() : failed(new Error(`owlpost answer: ${code}`))));
  });
}

async function answerInInbox({ store, port = 0 }: Service, id: string): Promise<void> {
  const link = new URL(await newLink(store, port, Date.now()));
  const linked = { token: link.hash.slice("#token=".length) };
  const signedIn = await send(port, { method: "POST", path: "/api/session", body: JSON.stringify(linked) });
  const { session } = JSON.parse(signedIn.body) as { session: string };
  const decision = { command: { verb: "choose", question: id, key: "1" }, key: "a-press-on-the-page" };
  const decided = await send(port, {
    method: "POST",
    path: "/api/decide",
    headers: { authorization: `Bearer ${session}` },
    body: JSON.stringify(decision),
  });
  expect(JSON.parse(decided.body)).toMatchObject({ accepted: true });
}
