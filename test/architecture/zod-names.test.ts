import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("the built zod has every name that our sources take from it, and not the rest", async () => {
  const file = pathToFileURL(join(root, "scripts", "zod-names.mjs")).href;
  const { zodNames } = (await import(file)) as { zodNames: () => readonly string[] };
  const built: object = createRequire(import.meta.url)(join(root, "dist", "vendor", "zod.js"));
  expect(zodNames()).toContain("strictObject");
  expect(Object.keys(built).sort()).toEqual([...zodNames(), "z"].sort());
});
