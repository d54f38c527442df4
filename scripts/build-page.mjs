import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = fileURLToPath(new URL("../src/page/", import.meta.url));

/**
 * Builds the local inbox's page into a folder: index.html, inbox.js, inbox.css.
 * @param {string} outDir
 */
export async function buildPage(outDir) {
  await mkdir(outDir, { recursive: true });
  await build({
    entryPoints: { inbox: join(source, "main.ts") },
    outdir: outDir,
    bundle: true,
    format: "esm",
    target: ["es2022"],
    minify: true,
    legalComments: "none",
    charset: "utf8",
    tsconfigRaw: {},
    logLevel: "warning",
  });
  await build({
    entryPoints: [join(source, "style.css")],
    outfile: join(outDir, "inbox.css"),
    bundle: true,
    minify: true,
    target: ["chrome111", "firefox113", "safari16.4"],
    charset: "utf8",
    logLevel: "warning",
  });
  await copyFile(join(source, "index.html"), join(outDir, "index.html"));
}
