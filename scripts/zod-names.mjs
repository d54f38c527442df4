import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./sources.mjs";

const zod = createRequire(import.meta.url)("zod");
/** Types alone are taken from it; as a value it would bring everything back. */
const typesOnly = new Set(["core"]);

/**
 * What our own code uses of zod. The whole of it is 250 names and more than twice the memory, with fifty languages.
 * @returns {readonly string[]}
 */
export function zodNames() {
  const names = new Set();
  for (const folder of ["src", "channels", "renderers"]) {
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".ts")) continue;
      const text = readFileSync(join(root, folder, path), "utf8");
      if (!/ from "zod";/.test(text)) continue;
      for (const [, name = ""] of text.matchAll(/\bz\s*\.(\w+)/g)) {
        if (name in zod && !typesOnly.has(name)) names.add(name);
      }
    }
  }
  return [...names].sort();
}

/** An ES module of these names alone, so that the bundler leaves out what they do not reach. */
export function zodEntry() {
  const list = zodNames();
  const locals = list.map((name, at) => `${name} as n${at}`).join(", ");
  return `import { ${locals} } from "zod";
export { ${list.map((name, at) => `n${at} as ${name}`).join(", ")} };
export const z = { ${list.map((name, at) => `${name}: n${at}`).join(", ")} };`;
}
