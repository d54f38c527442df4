import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../", import.meta.url));

/** What the build reads. */
const inputs = [
  "src",
  "channels",
  "renderers",
  "scripts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.library.json",
];

/**
 * One line that changes when any file of the build's inputs is added, changed or removed.
 * @returns {string}
 */
export function sourcesState() {
  const hash = createHash("sha256");
  for (const input of inputs) addTo(hash, input);
  return hash.digest("hex");
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} path
 */
function addTo(hash, path) {
  let stat;
  try {
    stat = statSync(root + path);
  } catch {
    return;
  }
  if (stat.isDirectory()) {
    for (const name of readdirSync(root + path).sort()) addTo(hash, `${path}/${name}`);
  } else hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\n`);
}
