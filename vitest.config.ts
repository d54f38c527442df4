import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** The machine's own time zone must change nothing: what decides about time runs under each of these. */
const zones = { "tz-utc": "UTC", "tz-stjohns": "America/St_Johns", "tz-auckland": "Pacific/Auckland" };
const everyZone = ["test/core/**/*.test.ts", "test/conformance/**/*.test.ts", "test/**/*.tz.test.ts"];
const servers = "test/servers/**";

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: "forks",
    // Most of a test is waiting: with two processors, one worker alone would leave them idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        extends: true,
        test: { name: "once", include: ["test/**/*.test.ts"], exclude: [...everyZone, servers] },
      },
      ...Object.entries(zones).map(([name, TZ]) => ({
        extends: true as const,
        // The core is pure, so its files may share a process.
        test: { name, include: everyZone, exclude: [servers], env: { TZ }, isolate: false },
      })),
    ],
  },
});
