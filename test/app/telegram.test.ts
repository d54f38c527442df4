import { Api } from "grammy";
import { describe, expect, test } from "vitest";
import { open } from "../../channels/telegram.ts";
import { questionId } from "../../src/domain/ids.ts";
import { aConfig, aDocument, hour, minute } from "../builders.ts";
import { aHome, aService, until } from "../homes.ts";
import { aBotApi, eric, group, mara, otherToken, token } from "../telegram/phone.ts";

type Started = Awaited<ReturnType<typeof aService>>;

/** The real service with the real adapter, against the strict server. `start` may be called again in the same home. */
async function aNight(settings: { allow?: number[]; chat?: number } = {}) {
  const { api, clock } = await aBotApi();
  const home = aHome();
  const start = async (as: { token?: string } = {}): Promise<Started> => {
    const telegram = { token, allow: [eric], api_root: api.url, ...settings, ...as };
    const channel = await open(telegram, { waitMs: 2_000, graceMs: 5_000, callMs: 5_000, now: clock.now });
    return aService({
      home,
      now: clock.now,
      config: aConfig({ deliver: ["telegram"], channels: { inbox: { port: 0 }, telegram } }),
      channels: new Map([["telegram", channel]]),
    });
  };
  const shown = (chat = eric) => api.messages(chat).map(({ text }) => text);
  const tap = (key: string, chat = eric, from = chat, message = 1) => {
    const data = [...(api.messages(chat).find(({ message_id }) => message_id === message)?.payloads ?? [])];
    return api.press(token, {
      chat,
      message,
      from,
      data: data.find((each) => each.endsWith(`|${key}`)) ?? "",
    });
  };
  return { api, clock, home, start, shown, tap };
}

async function ask(service: Started, changes: Record<string, unknown> = {}): Promise<string> {
  const asked = await service.owlpost.ask({ document: aDocument(changes) });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  return asked.id;
}

const state = async (service: Started, id: string) => (await service.owlpost.question(id))?.state;
const becomes = (service: Started, id: string, wanted: string) =>
  until(
    () => state(service, id),
    (now) => now === wanted,
  );
const kinds = async (service: Started, kind: string): Promise<number> =>
  (await service.owlpost.events(0, 1_000)).filter((event) => event.kind === kind).length;
const text = (look: () => string[], has: string) =>
  until(look, (all) => all.some((each) => each.includes(has)));

test("from the question to the run: message with buttons, tap, toast, edit, take, edit", async () => {
  const { api, start, shown, tap } = await aNight();
  const service = await start();
  const id = await ask(service);
  await becomes(service, id, "posted");
  const [message] = api.messages(eric);
  expect(message?.text).toContain("Token refresh strategy for the auth middleware?");
  expect(message?.text).toContain(id);
  const labels = message?.markup?.inline_keyboard.flat().map((button) => button.text) ?? [];
  expect(labels).toHaveLength(3);
  expect(labels[0]).toContain("Refresh-token rotation");
  expect(message?.entities.some(({ type }) => type === "bold")).toBe(true);
  tap("1");
  await becomes(service, id, "answered");
  await until(
    () => api.answers.length,
    (count) => count === 1,
  );
  expect(api.answers[0]).toMatchObject({ alert: false, text: expect.stringContaining("Answered: 1") });
  await text(shown, "✅ Answered: 1 — Refresh-token rotation");
  expect(api.messages(eric)[0]?.markup).toBeUndefined();
  expect((await service.owlpost.question(id))?.answer).toMatchObject({
    option: "1",
    via: "telegram",
    by: `Eric (${eric})`,
  });
  await service.owlpost.take({ run: "a3f2" });
  await text(shown, "▶ Picked up by run a3f2");
  expect(api.messages(eric)).toHaveLength(1);
});

test("field 18: every tap gets a truthful toast: taken, decided by another, run out, unknown", async () => {
  const { api, clock, start, tap } = await aNight({ allow: [eric, mara] });
  const service = await start();
  const id = await ask(service);
  await until(
    () => api.messages(mara).length + api.messages(eric).length,
    (count) => count === 2,
  );
  const toast = async (count: number) =>
    (
      await until(
        () => api.answers,
        (all) => all.length === count,
      )
    )[count - 1];
  tap("1");
  expect(await toast(1)).toMatchObject({ alert: false, text: expect.stringContaining("Answered: 1") });
  tap("2", mara);
  const second = await toast(2);
  expect(second).toMatchObject({ alert: true });
  expect(second?.text).toMatch(/option 1/);
  tap("1", mara);
  expect((await toast(3))?.alert).toBe(false);
  clock.advance(minute);
  const expiring = await ask(service, { task: "013-cache", default: { action: "skip_spec", at: "10m" } });
  await until(
    () => api.messages(eric).length,
    (count) => count === 2,
  );
  clock.advance(11 * minute);
  await service.owlpost.take({ run: "a3f2" });
  await becomes(service, expiring, "default_applied");
  tap("1", eric, eric, 2);
  const late = await toast(4);
  expect(late).toMatchObject({ alert: true });
  expect(late?.text).not.toMatch(/^Answered/);
  expect((await service.owlpost.question(expiring))?.outcome).not.toBe("answered");
  expect((await service.owlpost.question(id))?.answer?.option).toBe("1");
});

test("field R7: a tap for a question that nobody asked decides nothing, whoever taps", async () => {
  const { api, start } = await aNight();
  const service = await start();
  await new Api(token, { apiRoot: api.url }).sendMessage(eric, "forged", {
    reply_markup: { inline_keyboard: [[{ text: "1", callback_data: "o1|q-a3f2-999-ghost-1|1" }]] },
  });
  api.press(token, { chat: eric, message: 1, from: eric, data: "o1|q-a3f2-999-ghost-1|1" });
  const [toast] = await until(
    () => api.answers,
    (all) => all.length === 1,
  );
  expect(toast).toMatchObject({ alert: true, text: expect.stringContaining("no question") });
  expect(await kinds(service, "question.answered")).toBe(0);
});

test("a stranger in the group taps: nothing is decided, nothing is said", async () => {
  const { api, start, tap } = await aNight({ chat: group });
  const service = await start();
  const id = await ask(service);
  await becomes(service, id, "posted");
  tap("1", group, mara);
  await until(
    () => api.answers.length,
    (count) => count === 1,
  );
  expect(api.answers[0]).toMatchObject({ text: "", alert: false });
  expect(await state(service, id)).toBe("posted");
  tap("2", group, eric);
  await becomes(service, id, "answered");
});

describe("while nothing ran", () => {
  test("field R5: a tap that Telegram still holds is applied at the next start, once, and confirmed", async () => {
    const { api, clock, start, tap } = await aNight();
    const first = await start();
    const id = await ask(first);
    await becomes(first, id, "posted");
    await first.close();
    tap("2");
    clock.advance(2 * minute);
    const second = await start();
    await becomes(second, id, "answered");
    await until(
      () => api.waiting(token).length,
      (left) => left === 0,
    );
    // Its toast comes too late; the edited message is what stays.
    expect(api.answers).toEqual([]);
    await text(() => api.messages(eric).map((message) => message.text), "✅ Answered: 2");
    expect(await kinds(second, "question.answered")).toBe(1);
  });

  test("field 4: an update that comes again has no second effect, and its message is not touched", async () => {
    const { api, start, shown, tap } = await aNight();
    const first = await start();
    const id = await ask(first);
    await becomes(first, id, "posted");
    const update = tap("1");
    await text(shown, "✅ Answered: 1");
    await until(
      () => api.waiting(token).length,
      (left) => left === 0,
    );
    await first.store.setCursor("telegram", "", 0);
    await first.close();
    const sent = api.calls.filter(({ method }) => /Message/.test(method)).length;
    if (update) api.again(token, update);
    const second = await start();
    await until(
      () => api.waiting(token).length,
      (left) => left === 0,
    );
    await second.settle();
    expect(await kinds(second, "question.answered")).toBe(1);
    expect(api.calls.filter(({ method }) => /Message/.test(method))).toHaveLength(sent);
    const toasts = api.calls.filter(({ method }) => method === "answerCallbackQuery");
    expect(toasts.map(({ ok }) => ok)).toEqual([true, false]);
  });

  test("after eight hours taps are gone: Telegram kept none, and the open question's copy is queued for its line", async () => {
    const { api, clock, start, tap } = await aNight();
    const first = await start();
    const id = await ask(first, { default: { action: "skip_spec", at: "20h" } });
    await becomes(first, id, "posted");
    await until(
      () => first.store.health(),
      (all) => all.some((each) => each.lastReceiveAt !== undefined),
    );
    await first.close();
    tap("1");
    clock.advance(8 * hour);
    const second = await start();
    const away = await until(
      async () => (await second.owlpost.events(0, 1_000)).filter((event) => event.kind === "channel.away"),
      (events) => events.length === 1,
    );
    expect(away[0]?.data).toMatchObject({ channel: "telegram", questions: 1 });
    expect(await state(second, id)).toBe("posted");
    tap("1");
    await becomes(second, id, "answered");
    expect(await kinds(second, "channel.away")).toBe(1);
    expect(api.messages(eric)).toHaveLength(1);
  });

  test("a text is still there after eight hours, and is stored", async () => {
    const { api, clock, start } = await aNight();
    const first = await start();
    await first.close();
    api.say(token, { chat: eric, from: eric, text: "1" });
    clock.advance(8 * hour);
    const second = await start();
    await until(
      () => api.waiting(token).length,
      (left) => left === 0,
    );
    expect(await kinds(second, "reply.refused")).toBe(1);
  });
});

describe("the token", () => {
  test("field 1: used elsewhere: the channel is down with that reason, questions wait and still go out", async () => {
    const { api, start, tap } = await aNight();
    const service = await start();
    await until(
      () => api.isPolled(token),
      (polled) => polled,
    );
    await new Api(token, { apiRoot: api.url }).getUpdates({ timeout: 0, offset: 77 });
    const health = await until(
      async () => (await service.store.health()).find(({ channel }) => channel === "telegram"),
      (found) => found?.up === false,
    );
    expect(health?.detail).toContain("in use elsewhere");
    const id = await ask(service);
    await becomes(service, id, "posted");
    tap("1");
    expect(await state(service, id)).toBe("posted");
    expect(api.calls.map(({ method }) => method)).not.toContain("deleteWebhook");
  });

  test("of another bot in the same home: its updates are its own, none is taken for one that was seen", async () => {
    const { api, start, tap } = await aNight();
    const first = await start();
    const id = await ask(first);
    await becomes(first, id, "posted");
    tap("2");
    await becomes(first, id, "answered");
    await first.close();
    const second = await start({ token: otherToken });
    const next = await ask(second, { task: "013-cache" });
    await becomes(second, next, "posted");
    const message = api.messages(eric).at(-1);
    const data = [...(message?.payloads ?? [])][0] ?? "";
    api.press(otherToken, { chat: eric, message: message?.message_id ?? 0, from: eric, data });
    await becomes(second, next, "answered");
    expect(await second.store.cursor("telegram")).toMatch(/^7000000009:810000002:/);
    expect((await second.owlpost.question(questionId(next) ?? ""))?.answer?.option).toBe("1");
  });
});

test.each([{ error_code: 401, description: "Unauthorized" }, { page: 403 }, { page: 200 }])(
  "what holds against the line and not the message costs no question: %o",
  async (how) => {
    const { api, clock, start } = await aNight();
    const service = await start();
    await until(
      () => api.isPolled(token),
      (polled) => polled,
    );
    api.fail({ method: "sendMessage", how, times: 2 });
    const id = await ask(service);
    await until(
      async () => {
        await service.settle();
        const now = await state(service, id);
        if (now !== "posted") clock.advance(minute);
        return now;
      },
      (now) => now === "posted",
    );
    expect(api.messages(eric)).toHaveLength(1);
    expect(await kinds(service, "question.post-failed")).toBe(0);
    expect(await kinds(service, "channel.down")).toBeGreaterThan(0);
  },
);

test("a tap after the deadline: the message says that it was late, and not that an answer was changed", async () => {
  const { clock, start, shown, tap } = await aNight();
  const service = await start();
  const id = await ask(service, { default: { action: "skip_spec", at: "10m" } });
  await becomes(service, id, "posted");
  clock.advance(11 * minute);
  tap("1");
  await becomes(service, id, "answered");
  await text(shown, "✅ Answered after the deadline: 1 — Refresh-token rotation");
  expect((await service.owlpost.question(questionId(id) ?? ""))?.outcome).toBe("overridden");
});

test("field 7: where the toast fails, the decision stands and the message is edited", async () => {
  const { api, start, shown, tap } = await aNight();
  const service = await start();
  const id = await ask(service);
  await becomes(service, id, "posted");
  api.fail({ method: "answerCallbackQuery", how: "hang", times: 1 });
  const began = performance.now();
  tap("1");
  await text(shown, "✅ Answered: 1");
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(await state(service, id)).toBe("answered");
});

test("a post whose reply was lost may stand twice; a tap on either answers the one question", async () => {
  const { api, clock, start, tap } = await aNight();
  api.fail({ method: "sendMessage", how: "swallow", times: 1 });
  const service = await start();
  const id = await ask(service);
  await until(
    () => api.faults().length,
    (left) => left === 0,
  );
  await until(
    () => service.store.nextJobAt(),
    (at) => at !== undefined && at > clock.now(),
  );
  clock.advance(minute);
  await until(
    async () => {
      await service.settle();
      return api.messages(eric).length;
    },
    (count) => count === 2,
  );
  tap("2");
  await becomes(service, id, "answered");
  expect((await service.owlpost.question(id))?.answer?.option).toBe("2");
});
