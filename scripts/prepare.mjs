// Runs before `npm start` and `npm test`: installs and builds what is missing. Needs nothing but Node and npm.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { root, sourcesState } from "./sources.mjs";

const oldest = [20, 19];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  stop(
    `owlpost needs Node ${oldest.join(".")} or newer, and this is Node ${process.versions.node}. Install a newer Node and try again.`,
  );
}

if (!isInstalled()) {
  say("installing packages; the first time this takes a minute, or a few where SQLite has to be compiled …");
  const npm = process.env.npm_execpath;
  const words = ["ci", "--include=dev", "--no-audit", "--no-fund"];
  const [command, args] = npm && /\.c?js$/.test(npm) ? [process.execPath, [npm, ...words]] : ["npm", words];
  if ((await run(command, args, "still installing")) !== 0) {
    stop(
      "the packages could not be installed; the lines above say why. The npm registry must be reachable; where the ready-made SQLite driver cannot be downloaded it is compiled, which needs Python, make and a C++ compiler (on Debian: apt install python3 make g++) and the headers of this Node (npm_config_nodedir names their folder).",
    );
  }
}
if (!isBuilt()) {
  say("building …");
  if ((await run(process.execPath, ["scripts/build.mjs"], "still building")) !== 0) {
    stop("the build failed; the lines above say why.");
  }
}

/** node_modules holds exactly what package-lock.json names; packages for other platforms may be missing. */
function isInstalled() {
  const wanted = readPackages("package-lock.json");
  const present = readPackages("node_modules/.package-lock.json");
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = present[path];
    if (!found) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity && existsSync(root + path);
  });
}

/** Where Node brings its own headers, a module that must be compiled need not fetch them. */
function ownHeaders() {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  return existsSync(join(prefix, "include", "node", "node.h")) ? { npm_config_nodedir: prefix } : {};
}

/** @param {string} path */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(root + path, "utf8")).packages;
  } catch {
    return undefined;
  }
}

function isBuilt() {
  try {
    return (
      existsSync(`${root}dist/cli.js`) && readFileSync(`${root}dist/.sources`, "utf8") === sourcesState()
    );
  } catch {
    return false;
  }
}

/**
 * Runs a program with its output on stderr, and says every ten seconds that it is still at work.
 * @param {string} command
 * @param {string[]} args
 * @param {string} working
 * @returns {Promise<number>}
 */
function run(command, args, working) {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", 2, 2],
      env: { ...ownHeaders(), ...process.env },
    });
    const timer = setInterval(
      () => say(`${working} (${Math.round((Date.now() - started) / 1000)} s)`),
      10_000,
    );
    const end = (/** @type {number | null} */ code) => {
      clearInterval(timer);
      resolve(code ?? 1);
    };
    child.on("error", (error) => {
      say(error.message);
      end(1);
    });
    child.on("exit", end);
  });
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`owlpost: ${text}\n`);
}

/** @param {string} text */
function stop(text) {
  say(text);
  process.exit(1);
}
