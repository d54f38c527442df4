import { expect, test } from "vitest";
import { openRush } from "../../src/app/rush.ts";

test("a rush is over when it was quiet for a while", () => {
  let at = 0;
  const rush = openRush(300, 2_000, () => at);
  expect(rush.leftMs()).toBe(0);
  rush.note();
  at = 200;
  rush.note();
  expect(rush.leftMs()).toBe(300);
  at = 450;
  expect(rush.leftMs()).toBe(50);
  at = 500;
  expect(rush.leftMs()).toBe(0);
});

test("one without end holds nothing up for longer than its limit, until it was quiet", () => {
  let at = 0;
  const rush = openRush(300, 2_000, () => at);
  for (; at < 10_000; at += 100) {
    rush.note();
    expect(rush.leftMs()).toBe(at <= 1_700 ? 300 : Math.max(0, 2_000 - at));
  }
  at += 300;
  rush.note();
  expect(rush.leftMs()).toBe(300);
});
