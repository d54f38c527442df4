import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { channelsByName, otherParts, partEntry, planParts } from "./parts.mjs";
import { root, sourcesState } from "./sources.mjs";
import { zodEntry, zodNames } from "./zod-names.mjs";

/** Of these packages only what owlpost calls is bundled; the rest of grammY is a framework that would hold 5 MB of memory. */
const parts = new Map([["grammy", { Api: "core/api.js", GrammyError: "core/error.js" }]]);
/** What a package calls by name in cases that owlpost does not bring about: a file of its own, which is hardly ever read. */
const seldom = new Set(["node-fetch"]);
/** Parts of Node that few commands need and that cost milliseconds to load. */
const slowBuiltins = new Set([
  "child_process",
  "net",
  "http",
  "http2",
  "https",
  "fs/promises",
  "readline",
  "os",
  "worker_threads",
]);
/** So small that they go into the bundle itself; every other package becomes one file in dist/vendor, read when it is first needed. */
const inside = new Set(["canonicalize"]);

const requireHere = createRequire(import.meta.url);

/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20.19",
  // import() becomes a lazy require: Node's loader for modules is slower, and sees no names in these files.
  supported: { "dynamic-import": false },
  legalComments: "none",
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
};

/**
 * Our own code asks for time that only goes forward. The first use of `performance` loads ten files of Node, which measure
 * what owlpost does not ask for: a millisecond of an ask, and memory for good.
 * @type {import("esbuild").BuildOptions}
 */
const own = {
  ...common,
  banner: { js: "const passedMs=()=>{const[s,ns]=process.hrtime();return s*1e3+ns/1e6};" },
  define: {
    OWLPOST_CHANNELS: JSON.stringify(channelNames()),
    "import.meta.dirname": "__dirname",
    "performance.now": "passedMs",
  },
};

/**
 * What `owlpost` starts: it hands V8 the compiled form of the bundle and of the packages beside it, which saves a quarter
 * of the time of an ask. A cache of another Node version is refused by V8 and does no harm.
 */
const loader = `#!/usr/bin/env node
"use strict";
const { readFileSync, writeFileSync, existsSync } = require("node:fs");
const { Script } = require("node:vm");
const loaded = new Map();
const recording = process.env.OWLPOST_BUILD_CACHE === "1";
function load(id) {
  if (!id.startsWith("./")) return require(id);
  const known = loaded.get(id);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(id, module);
  const filename = __dirname + id.slice(1);
  const cache = filename + ".cache";
  let cachedData;
  try {
    cachedData = readFileSync(cache);
  } catch {}
  const source = "(function(exports,require,module,__filename,__dirname){" + readFileSync(filename, "latin1") + "\\n})";
  const script = new Script(source, { filename, cachedData });
  if (recording && !existsSync(cache)) process.on("exit", () => writeFileSync(cache, script.createCachedData()));
  script.runInThisContext()(module.exports, load, module, filename, __dirname);
  return module.exports;
}
const main = () => load("./owlpost.js");
if (process.argv[2] === "hook") load("./hook.js").first(main);
else main();
`;

/**
 * Builds dist/ beside the old one and swaps them, so that an interrupted build leaves nothing half.
 */
async function buildAll() {
  const state = sourcesState();
  const fresh = join(root, `dist.${process.pid}`);
  const old = `${fresh}.old`;
  try {
    mkdirSync(join(fresh, "vendor"), { recursive: true });
    writeFileSync(join(fresh, "package.json"), '{"type":"commonjs"}\n');
    const packages = new Set([...(await buildCommands(fresh)), ...seldom]);
    await Promise.all([...packages].map((name) => buildVendor(name, fresh)));
    await buildFirstLook(join(fresh, "hook.js"));
    writeFileSync(join(fresh, "cli.js"), loader, { mode: 0o755 });
    await buildLibrary(join(fresh, "lib"));
    recordCaches(fresh);
    const page = join(root, "scripts", "build-page.mjs");
    if (existsSync(page)) await (await import(pathToFileURL(page).href)).buildPage(join(fresh, "page"));
    writeFileSync(join(fresh, ".sources"), state);
    if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), old);
    renameSync(fresh, join(root, "dist"));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/**
 * Asks a JSON question, a YAML question, and one in a home with a configuration, so that V8's caches hold what an ask needs, and looks at the state
 * for the file of the other commands; a build that cannot ask is no build. The first run to load a file writes its cache.
 * @param {string} folder
 */
function recordCaches(folder) {
  const home = mkdtempSync(join(tmpdir(), "owlpost-build-"));
  const yaml = readFileSync(join(root, "config", "samples", "first-question.yaml"), "utf8");
  const json = JSON.stringify(requireHere("yaml").parse(yaml));
  const config = readFileSync(join(root, "config", "owlpost.example.yaml"), "utf8");
  const ask = ["ask", "-"];
  const trials = [
    { args: ask, input: json },
    { args: ask, input: yaml },
    { args: ["status"], input: "" },
    { args: ask, input: json, config },
  ];
  for (const trial of trials) {
    if (trial.config) writeFileSync(join(home, "config.yaml"), trial.config);
    const { status, stderr } = spawnSync(process.execPath, [join(folder, "cli.js"), ...trial.args], {
      input: trial.input,
      env: { ...process.env, OWLPOST_HOME: home, OWLPOST_AS: "", OWLPOST_BUILD_CACHE: "1" },
      encoding: "utf8",
    });
    if (status !== 0)
      throw new Error(`the built owlpost could not ${trial.args[0]} (exit ${status}): ${stderr}`);
  }
  rmSync(home, { recursive: true, force: true });
}

/**
 * The command path: our own code in a few files, whose rooms run when they are first needed.
 * @param {string} folder
 * @returns {Promise<Set<string>>} the packages that they require from ./vendor
 */
async function buildCommands(folder) {
  /** @type {Set<string>} */
  const packages = new Set();
  const byName = channelsByName(channelNames());
  const { partOf, shown } = await planParts({ ...own, plugins: [byName] });
  const parts = [...shown].map(([part, paths]) =>
    build({
      ...own,
      stdin: { contents: partEntry(part, paths), resolveDir: root },
      outfile: join(folder, `${part}.js`),
      plugins: [
        otherParts(part, partOf),
        byName,
        {
          name: "parts",
          setup(plugins) {
            plugins.onResolve({ filter: /^\.\/[\w-]+\.js$/ }, ({ path, kind }) =>
              kind === "require-call" && shown.has(path.slice(2, -3)) ? { path, external: true } : undefined,
            );
          },
        },
        lazyBuiltins,
        {
          name: "vendor",
          setup(plugins) {
            plugins.onResolve({ filter: /^[@a-z]/ }, ({ path, kind, namespace }) => {
              if (kind === "entry-point" || namespace === "lazy" || path.startsWith("node:"))
                return undefined;
              if (inside.has(path)) return undefined;
              packages.add(path);
              return { path, namespace: "lazy", pluginData: `./vendor/${vendorName(path)}` };
            });
          },
        },
        lazy({ inherited: true }),
      ],
    }),
  );
  await Promise.all(parts);
  return packages;
}

/**
 * What `owlpost hook` looks at first: an agent runs it at every step, mostly for nothing.
 * @param {string} outfile
 */
async function buildFirstLook(outfile) {
  await build({
    ...own,
    entryPoints: [join(root, "src", "commands", "hook-first.ts")],
    outfile,
    plugins: [lazyBuiltins, lazy({ inherited: true })],
  });
}

/**
 * `import { openOwlpost } from "owlpost"`: an ES module of our own code, and the types that it shows. Its packages stay outside.
 * @param {string} folder
 */
async function buildLibrary(folder) {
  const { supported: _lazily, ...rest } = common;
  await build({
    ...rest,
    format: "esm",
    entryPoints: [join(root, "src", "library", "index.ts")],
    outdir: folder,
    splitting: true,
    chunkNames: "[name]-[hash]",
    packages: "external",
    define: { OWLPOST_CHANNELS: JSON.stringify(channelNames()) },
  });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}\n');
  const types = join(folder, "types");
  const tsc = join(dirname(requireHere.resolve("typescript/package.json")), "bin", "tsc");
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, "-p", join(root, "tsconfig.library.json"), "--outDir", types],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the types of the library could not be made:\n${stdout}`);
  for (const name of ["index", "types"]) {
    const found = join(types, "src", "library", `${name}.d.ts`);
    const text = readFileSync(found, "utf8").replaceAll("./types.ts", "./types.js");
    writeFileSync(join(folder, `${name}.d.ts`), text);
  }
  rmSync(types, { recursive: true });
}

function channelNames() {
  return readdirSync(join(root, "channels"))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => name.slice(0, -3))
    .sort();
}

/**
 * @param {string} name
 * @param {string} folder
 */
async function buildVendor(name, folder) {
  const wanted = Object.entries(parts.get(name) ?? {}).map(([part, file]) => {
    // By its path: the file is not among the exports of its package.
    const path = join(dirname(requireHere.resolve(name)), file);
    return `exports.${part} = require(${JSON.stringify(path)}).${part};`;
  });
  const contents =
    name === "zod"
      ? zodEntry()
      : wanted.length > 0
        ? wanted.join("\n")
        : `module.exports = require(${JSON.stringify(name)})`;
  await build({
    ...common,
    stdin: { contents, resolveDir: root },
    outfile: join(folder, "vendor", vendorName(name)),
    // V8 keeps the text of what it runs. Our own names stay, for the stacks in the log.
    minifyIdentifiers: true,
    plugins: [nativeBinding, noThreads, seldomNeeded(name), lazyBuiltins, lazy({ inherited: false })],
  });
}

/** pino's transports are threads that start from files of their own; owlpost writes its log itself. */
const noThreads = {
  name: "no-threads",
  /** @param {import("esbuild").PluginBuild} plugins */
  setup(plugins) {
    plugins.onResolve({ filter: /^\.\/(?:lib\/)?transport$/ }, ({ path, importer }) =>
      /[\\/]pino[\\/]/.test(importer) ? { path, namespace: "no-threads" } : undefined,
    );
    plugins.onLoad({ filter: /./, namespace: "no-threads" }, () => ({
      contents: `module.exports = () => { throw new Error("this build of pino has no transports"); };`,
    }));
  },
};

/**
 * @param {string} name
 * @returns {import("esbuild").Plugin}
 */
function seldomNeeded(name) {
  return {
    name: "seldom-needed",
    setup(plugins) {
      plugins.onResolve({ filter: /^[@a-z]/ }, ({ path, namespace }) => {
        if (namespace === "lazy" || path === name || !seldom.has(path)) return undefined;
        return { path, namespace: "lazy", pluginData: `./vendor/${vendorName(path)}` };
      });
    },
  };
}

/** @type {import("esbuild").Plugin} */
const lazyBuiltins = {
  name: "lazy-builtins",
  setup(plugins) {
    plugins.onResolve({ filter: /./ }, ({ path, namespace }) => {
      const name = path.replace(/^node:/, "");
      if (namespace === "lazy" || !slowBuiltins.has(name)) return undefined;
      return { path: `node:${name}`, namespace: "lazy", pluginData: `node:${name}` };
    });
  },
};

/** owlpost starts no threads; pino asks this of a part of Node that it needs for nothing else here. */
const known = new Map([["isMainThread", "true"]]);

/**
 * A stand-in with the names of a module, which requires it when one of them is first used. So a file may import luxon
 * at its top, and a command that never does clock maths never loads it.
 * `inherited`: the names stand on the prototype, so that esbuild gives a file that imports them no copy of its own;
 * zod has 250. Packages that were compiled to CommonJS copy what they import, and see only own names.
 * @param {{ inherited: boolean }} options
 * @returns {import("esbuild").Plugin}
 */
const lazy = ({ inherited }) => ({
  name: "lazy",
  setup(plugins) {
    plugins.onResolve({ filter: /./, namespace: "lazy" }, ({ path }) => ({ path, external: true }));
    plugins.onLoad({ filter: /./, namespace: "lazy" }, ({ path, pluginData }) => {
      const real = requireHere(path);
      // A module that is itself a function (better-sqlite3, postal-mime) has no stand-in, unless only its names are used.
      if (typeof real === "function" && !seldom.has(path)) {
        return { contents: `module.exports = require(${JSON.stringify(pluginData)});` };
      }
      const names = (path === "zod" ? ["z", ...zodNames()] : Object.keys(parts.get(path) ?? real)).filter(
        (name) => /^[A-Za-z_$][\w$]*$/.test(name),
      );
      const mark = real.__esModule ? "__esModule: true," : "";
      const getters = names.map((name) => `get ${name}() { return ${known.get(name) ?? `load().${name}`}; }`);
      const exported = `{${mark}${getters.join(",")}}`;
      return {
        contents: `const load = () => require(${JSON.stringify(pluginData)});\nmodule.exports = ${inherited ? `Object.create(${exported})` : exported};`,
      };
    });
  },
});

/** The search for the native file costs more than loading it: it lies where the installation put it. */
const nativeBinding = {
  name: "native-binding",
  /** @param {import("esbuild").PluginBuild} plugins */
  setup(plugins) {
    plugins.onResolve({ filter: /^bindings$/ }, () => ({ path: "bindings", namespace: "native-binding" }));
    plugins.onLoad({ filter: /.*/, namespace: "native-binding" }, () => ({
      contents: 'module.exports = () => require("better-sqlite3/build/Release/better_sqlite3.node")',
      resolveDir: root,
    }));
    plugins.onResolve({ filter: /\/Release\/[^/]+\.node$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** @param {string} name */
function vendorName(name) {
  return `${name.replace(/^@/, "").replaceAll("/", "-")}.js`;
}

const started = performance.now();
try {
  await buildAll();
} catch (error) {
  // esbuild has told its own errors already.
  if (!("errors" in error)) throw error;
  process.exit(1);
}
process.stderr.write(`owlpost: built dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
