import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build } from "esbuild";
import { root } from "./sources.mjs";

/**
 * The files of our own code in dist/. V8 keeps the text of what it runs and a closure for every function in it, run or
 * not, so what neither a service nor an ask needs lies in files of its own: each channel, and the other commands. What a
 * service comes to need later lies in the first: dist/ may have been replaced by then.
 */
const main = "owlpost";
/** What more than one of the others needs. */
const common = "common";
/** What begins a part when it is loaded by name, with `import()`. All else stays with those who load it. */
const begins = [
  { part: "commands", path: /^src\/commands\/(?!(?:ask|serve)\.ts)[^/]+\.ts$/ },
  { part: "channel", path: /^channels\/([^/]+)\.ts$/ },
];

/** @typedef {{ path: string, kind: string, external?: boolean }} Import */

/**
 * Which of our files belongs to which part: one that the first part needs at once belongs to it, one that a single
 * other part needs to that, the rest to the common one.
 * @param {import("esbuild").BuildOptions} options
 * @returns {Promise<{ partOf: Map<string, string>, shown: Map<string, Set<string>> }>} by path in the checkout; of each
 * part, the files that others ask it for
 */
export async function planParts(options) {
  const { metafile } = await build({
    ...options,
    entryPoints: [join(root, "src", "cli.ts")],
    absWorkingDir: root,
    packages: "external",
    outfile: "plan.js",
    write: false,
    metafile: true,
  });
  const files = /** @type {Record<string, { imports: Import[] }>} */ (metafile?.inputs ?? {});
  /** @type {Map<string, Set<string>>} */
  const neededBy = new Map();
  /** @type {Map<string, string>} */
  const starts = new Map([["src/cli.ts", main]]);
  for (const { imports } of Object.values(files)) {
    for (const { path, kind } of imports) {
      const part = kind === "dynamic-import" || kind === "require-call" ? partThatBegins(path) : undefined;
      if (part !== undefined) starts.set(path, part);
    }
  }
  for (const [start, part] of starts) {
    const waiting = [start];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const needs = neededBy.get(path) ?? new Set();
      neededBy.set(path, needs);
      if (needs.has(part)) continue;
      needs.add(part);
      for (const { path: next, kind, external } of files[path]?.imports ?? []) {
        if (external || (kind !== "import-statement" && starts.has(next))) continue;
        waiting.push(next);
      }
    }
  }
  /** @type {Map<string, string>} */
  const partOf = new Map();
  for (const [path, needs] of neededBy) {
    const [only = common] = needs.size === 1 ? needs : [];
    partOf.set(path, needs.has(main) ? main : only);
  }
  /** @type {Map<string, Set<string>>} */
  const shown = new Map([...new Set(partOf.values())].map((part) => [part, new Set()]));
  for (const [path, part] of partOf) {
    for (const { path: next, external } of files[path]?.imports ?? []) {
      const other = external ? undefined : partOf.get(next);
      if (other !== undefined && other !== part) shown.get(other)?.add(next);
    }
  }
  return { partOf, shown };
}

/** @param {string} path */
function partThatBegins(path) {
  for (const { part, path: pattern } of begins) {
    const found = pattern.exec(path);
    if (found) return [part, ...found.slice(1)].join("-");
  }
  return undefined;
}

/**
 * What a part shows to the others, by path; the first one also begins.
 * @param {string} part
 * @param {Iterable<string>} shown
 */
export function partEntry(part, shown) {
  const getters = [...shown]
    .sort()
    .map((path) => `get ${JSON.stringify(path)}() { return require(${JSON.stringify(`./${path}`)}); }`);
  const begin = part === main ? `\nrequire("./src/cli.ts");` : "";
  return `module.exports = {${getters.join(",\n")}};${begin}`;
}

/**
 * A file of another part is asked for there. Its names stand on the prototype, so that no importer gets a copy.
 * @param {string} part
 * @param {Map<string, string>} partOf
 * @returns {import("esbuild").Plugin}
 */
export function otherParts(part, partOf) {
  return {
    name: "other-parts",
    setup(plugins) {
      plugins.onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir, kind }) => {
        const known = relative(root, join(resolveDir, path)).replaceAll(sep, "/");
        const other = partOf.get(known);
        if (kind === "entry-point" || other === undefined || other === part) return undefined;
        return { path: known, namespace: "other-part" };
      });
      plugins.onResolve({ filter: /./, namespace: "other-part" }, ({ path }) => ({ path, external: true }));
      plugins.onLoad({ filter: /./, namespace: "other-part" }, ({ path }) => ({
        contents: `const file = require("./${partOf.get(path)}.js")[${JSON.stringify(path)}];
if (!file) throw new Error("owlpost was updated under this process: start it again");
module.exports = Object.create(file);`,
      }));
    },
  };
}

const byName = "import(`../../channels/${id}.ts`)";
const askedByName = new Set(["src/app/channels.ts", "src/app/channel-files.ts"]);

/**
 * The import of a channel by its name, as one import for each file there is: esbuild would take in every room beside
 * them, and show none of it to plugins.
 * @param {readonly string[]} channels
 * @returns {import("esbuild").Plugin}
 */
export const channelsByName = (channels) => ({
  name: "channels-by-name",
  setup(plugins) {
    plugins.onLoad({ filter: /[\\/]src[\\/]app[\\/]channel[\w-]*\.ts$/ }, ({ path }) => {
      if (!askedByName.has(relative(root, path).replaceAll(sep, "/"))) return undefined;
      const text = readFileSync(path, "utf8");
      if (!text.includes(byName)) throw new Error(`${path} does not import a channel as the build expects`);
      const contents = text.replaceAll(byName, '(await import("owlpost:channels")).channel(id)');
      return { contents, loader: "ts" };
    });
    plugins.onResolve({ filter: /^owlpost:channels$/ }, ({ path }) => ({
      path,
      namespace: "channels-by-name",
    }));
    plugins.onLoad({ filter: /./, namespace: "channels-by-name" }, () => ({
      contents: `const files = {${channels.map((id) => `${JSON.stringify(id)}: () => import("./channels/${id}.ts")`).join(",")}};
export const channel = (id) => files[id]();`,
      resolveDir: root,
      loader: "ts",
    }));
  },
});
