import fc from "fast-check";
import { expect, test } from "vitest";
import { longestWaitMs, waitMs } from "../../src/core/backoff.ts";

test("waits double from one second to five minutes", () => {
  const longest = [1, 2, 3, 4, 9, 10, 1000].map((attempts) => waitMs(attempts, 1));
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000]);
});

test("a wait is spread over the upper half and never shorter than the platform asks", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 0, max: 3_600_000 }),
      (attempts, spread, retryAfterMs) => {
        const wait = waitMs(attempts, spread, retryAfterMs);
        const full = Math.min(longestWaitMs, 1_000 * 2 ** Math.min(attempts - 1, 20));
        expect(wait).toBeGreaterThanOrEqual(Math.max(retryAfterMs, full / 2));
        expect(wait).toBeLessThanOrEqual(Math.max(retryAfterMs, full));
      },
    ),
  );
});
