import { expect, test } from "vitest";
import { aDocument, evening, hour, minute, someRules } from "../builders.ts";
import { aClock, aService } from "../homes.ts";

const blocked = {
  kind: "blocked",
  task: "020-deploy",
  title: "Which cluster does `deploy/prod.yaml` go to?",
  options: [
    { key: "1", label: "The old one", consequence: "Nothing changes", recommended: true },
    { key: "2", label: "The new one", consequence: "Cannot be undone" },
  ],
};

async function aNight(start = evening) {
  const clock = aClock(start);
  const sent: { at: number; what: string; silent: boolean; text: string }[] = [];
  const channel = {
    id: "telegram",
    rings: true,
    destinations: ["42"],
    async post(_to: string, message: { body: string; silent: boolean }) {
      sent.push({ at: clock.now(), what: "post", silent: message.silent, text: message.body });
      return String(sent.length);
    },
    async edit(_to: string, ref: string, message: { body: string; silent: boolean }) {
      sent.push({ at: clock.now(), what: `edit ${ref}`, silent: message.silent, text: message.body });
    },
    async close() {},
  };
  const { aConfig } = await import("../builders.ts");
  const service = await aService({
    now: clock.now,
    config: aConfig({
      deliver: ["telegram"],
      channels: { inbox: { port: 0 }, telegram: { chat: 42 } },
      night: someRules(),
    }),
    channels: new Map([["telegram", channel]]),
  });
  return { clock, sent, service };
}

test("what may not be asked at night is held, and goes out in the morning", async () => {
  const { clock, sent, service } = await aNight();
  const asked = await service.owlpost.ask({
    document: aDocument({ ...blocked, default: { action: "skip_spec", at: "09:00" } }),
  });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  expect(asked).toMatchObject({ state: "pending", heldUntilAt: evening + 9 * hour });
  await service.settle();
  expect(sent).toEqual([]);
  clock.advance(9 * hour - minute);
  await service.settle();
  expect(sent).toEqual([]);
  clock.advance(minute);
  await service.settle();
  expect(sent.map(({ what }) => what)).toEqual(["post", "post"]);
  expect(sent[0]?.text).toContain("Which cluster");
  expect((await service.owlpost.question(asked.id))?.heldUntilAt).toBeUndefined();
});

test("what ended in the night without an answer is asked again, once", async () => {
  const { clock, sent, service } = await aNight();
  const asked = await service.owlpost.ask({ document: aDocument({ ...blocked }) });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  await service.settle();
  clock.advance(9 * hour);
  await service.settle();
  const open = (await service.owlpost.status()).open;
  expect(open).toMatchObject([
    { question: { again: asked.id }, defaultAction: "stay_parked", deadlineAt: clock.now() + 12 * hour },
  ]);
  const events = await service.owlpost.events(0, 1000);
  expect(events.find(({ kind }) => kind === "question.expired")?.data).toMatchObject({ never_shown: "held" });
  expect(sent.length).toBe(2);
  clock.advance(24 * hour);
  await service.settle();
  expect((await service.owlpost.status()).open).toEqual([]);
});
