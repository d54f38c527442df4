import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..", "..");

/** Where the packages outside the bundle are found. */
export const packages = join(root, "node_modules");

/** Loaded only by the scene that sends mail. */
const mailPackages = [
  "nodemailer",
  "imapflow",
  "mailauth/*",
  "postal-mime",
  "iconv-lite",
  "html-to-text",
  "tldts",
];

/** The child as one file, so that a start costs little: everywhere but in its own wrapper the store is the tapped one. */
export async function bundleChild(folder: string): Promise<string> {
  const outfile = join(folder, "child.cjs");
  await build({
    entryPoints: [join(root, "test", "kill", "child.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    // What is imported when it is needed is found where the rest is found.
    supported: { "dynamic-import": false },
    external: ["better-sqlite3", "pino", ...mailPackages],
    define: { "import.meta.dirname": "__dirname", OWLPOST_CHANNELS: '["github","inbox","slack","telegram"]' },
    logLevel: "error",
    plugins: [
      {
        // So few dependants are told at once that a small board has several chunks of them.
        name: "small-chunks",
        setup(builder) {
          builder.onLoad({ filter: /board\/blockers\.ts$/ }, ({ path }) => {
            const source = readFileSync(path, "utf8");
            const contents = source.replace(/\bmostSettled = \d+;/, "mostSettled = 2;");
            if (contents === source)
              throw new Error(`${path} names no mostSettled: the chunks are not small`);
            return { contents, loader: "ts" };
          });
        },
      },
      {
        name: "tapped-store",
        setup(builder) {
          builder.onResolve({ filter: /store\/sqlite\.ts$/ }, ({ importer }) =>
            importer.endsWith("tapped-store.ts")
              ? undefined
              : { path: join(root, "test", "kill", "tapped-store.ts") },
          );
        },
      },
    ],
  });
  return outfile;
}
