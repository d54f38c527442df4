import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { channelIds } from "../../src/app/channel-files.ts";
import type { Figure } from "./measure.ts";
import { rowNames } from "./names.ts";
import { isMet, tableText } from "./table.ts";

/**
 * `npm run bench`: the figures that the product promises, each a ratio within one run, as a table.
 *
 *   --only NAME   one row (may be given again)
 *   --idle        the idle row settles and measures for a minute each
 *
 * The code is bundled once, so that no TypeScript loader sits in the measurement, and every row runs in a process
 * of its own. Exit code 1 when a figure misses its goal.
 */
const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, idle: { type: "boolean", default: false } },
});
const root = resolve(import.meta.dirname, "../..");
const chosen = values.only ?? rowNames;
const unknown = chosen.filter((name) => !rowNames.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no row is called ${unknown.join(", ")}; there are: ${rowNames.join(", ")}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(diskFolder(), "owlpost-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const program = await bundle();
const figures: Figure[] = [];
let failed = false;
for (const name of chosen) {
  process.stderr.write(`measuring ${name} …\n`);
  const measured = await runRow(name);
  if (measured) {
    figures.push(...measured);
    process.stderr.write(`${tableText(measured)}\n`);
  } else {
    failed = true;
    process.stderr.write(`${name} ended without a figure\n`);
  }
}
process.stdout.write(`\n${tableText(figures)}\n`);
const missed = figures.filter((figure) => !isMet(figure));
process.stdout.write(
  `${figures.filter((figure) => figure.goal).length - missed.length} met, ${missed.length} not met\n`,
);
if (failed || missed.length > 0) process.exitCode = 1;

/** A temporary folder on a disk: in memory an fsync costs nothing, and every ratio to it would be wrong. */
function diskFolder(): string {
  const inMemory = new Set([0x01021994, 0x858458f6]);
  if (!inMemory.has(statfsSync(tmpdir()).type)) return tmpdir();
  const near = join(root, "node_modules", ".cache");
  mkdirSync(near, { recursive: true });
  return near;
}

async function bundle(): Promise<string> {
  // Inside the checkout, so that the packages are found; the homes lie in the temporary folder.
  const outdir = join(root, "node_modules", ".cache", `owlpost-bench-${process.pid}`);
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: [join(import.meta.dirname, "main.ts")],
    outfile: join(outdir, "main.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    define: { OWLPOST_CHANNELS: JSON.stringify(channelIds()) },
    logLevel: "warning",
  });
  return join(outdir, "main.mjs");
}

function runRow(name: string): Promise<readonly Figure[] | undefined> {
  const env: NodeJS.ProcessEnv = { ...process.env, BENCH_FOLDER: folder, BENCH_ROOT: root };
  // It slows down every start of Node, in both arms, and so hides what is compared.
  delete env.NODE_EXTRA_CA_CERTS;
  // Set by tsx for this process alone.
  delete env.NODE_OPTIONS;
  const child = fork(program, [name, ...(values.idle ? ["--idle"] : [])], { env, execArgv: [] });
  return new Promise((done) => {
    let measured: readonly Figure[] | undefined;
    child.on("message", (message: readonly Figure[]) => {
      measured = message;
    });
    child.once("exit", (code) => done(code === 0 ? measured : undefined));
  });
}
