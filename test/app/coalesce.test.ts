import { expect, test } from "vitest";
import { coalesce } from "../../src/app/coalesce.ts";
import { afterwards } from "../homes.ts";

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

test("a burst is followed once, and one without end all the same within the limit", async () => {
  let runs = 0;
  const { wake, close } = coalesce(40, 200, () => {
    runs += 1;
  });
  afterwards(close);
  for (let left = 5; left > 0; left -= 1) wake();
  expect(runs).toBe(0);
  await sleep(120);
  expect(runs).toBe(1);
  const end = performance.now() + 600;
  while (performance.now() < end) {
    wake();
    await sleep(5);
  }
  expect(runs).toBeGreaterThan(1);
});

test("nothing follows what is closed", async () => {
  let runs = 0;
  const { wake, close } = coalesce(10, 20, () => {
    runs += 1;
  });
  wake();
  close();
  wake();
  await sleep(60);
  expect(runs).toBe(0);
});
