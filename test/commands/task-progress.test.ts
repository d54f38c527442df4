import { afterEach, expect, test, vi } from "vitest";
import { progress } from "../../src/commands/task/progress.ts";
import type { Call } from "../../src/commands/verb.ts";

afterEach(() => vi.useRealTimers());

function counted(tty: boolean, json = false) {
  vi.useFakeTimers({ toFake: ["performance"] });
  const told: string[] = [];
  const stderr = { tty, write: async (text: string) => void told.push(text) };
  const counter = progress({ json, io: { stderr } } as unknown as Call, "Imported");
  return { counter, told };
}

test("on a terminal one line that changes and goes; what is over soon says nothing", async () => {
  const { counter, told } = counted(true);
  counter.count(200, 10_000);
  vi.advanceTimersByTime(250);
  counter.count(400, 10_000);
  counter.count(600, 10_000);
  await counter.end();
  expect(told).toEqual(["\r\u001b[KImported 400 of 10,000 …", "\r\u001b[K"]);
});

test("elsewhere a line now and then, and none for programs", async () => {
  const lines = counted(false);
  vi.advanceTimersByTime(11_000);
  lines.counter.count(5_000);
  await lines.counter.end();
  expect(lines.told).toEqual(["Imported 5,000 …\n"]);
  vi.useRealTimers();
  const json = counted(true, true);
  vi.advanceTimersByTime(11_000);
  json.counter.count(5_000);
  await json.counter.end();
  expect(json.told).toEqual([]);
});
