import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** A channel that was made up for this test: one file and one row, and everything else finds it by itself. */
const root = resolve(import.meta.dirname, "../..");
const resolver = createRequire(import.meta.url);

const adapter = `import { z } from "zod";
import type { AnswerChannel, ChannelMessage, Check, Pairing } from "../src/domain/channel.ts";

export const settings = z.strictObject({ loft: z.string(), allow: z.array(z.string()).default([]) });

export const pairing: Pairing = { by: "code", say: (code) => code, link: (bot, code) => \`pigeon:\${bot}/\${code}\` };
export const help = "Whistle.";

export function encode(destination: string, message: ChannelMessage) {
  return { to: destination, slip: message.body };
}

export function decode(slip: { readonly from: string }) {
  return { key: slip.from, sender: slip.from };
}

export async function checks(): Promise<readonly Check[]> {
  return [{ name: "loft", ok: true, text: "open" }];
}

export function open(given: z.infer<typeof settings>): AnswerChannel {
  return {
    id: "pigeon",
    rings: true,
    destinations: given.allow,
    post: async (to, message) => JSON.stringify(encode(to, message)),
    close: async () => undefined,
  };
}
`;

const row = `  pigeon: {
    body: { max: 300, unit: "codepoint", counted: "sent" },
    headline: "none",
    dialect: "plain",
    buttons: "none",
    freeText: "none",
    correlation: "id",
    edit: "none",
    inbound: "none",
    identity: "none",
    chats: "person",
    verbMark: "/",
    retention: { textMs: "unlimited", pressMs: "unlimited" },
    rings: true,
    quiet: "none",
    visibility: "private",
    sources: [{ where: "one look at a pigeon", on: "2026-11-30" }],
  },
`;

/** What the service does with a configuration: it is read, routed, opened, and a notice is rendered and posted. */
const trial = `import { openChannels } from "./src/app/channels.ts";
import { readConfig } from "./src/app/config-read.ts";
import { routesOf } from "./src/app/route.ts";
import { signing } from "./src/app/tokens.ts";
import { noticeView } from "./src/core/view.ts";
import { rowOf } from "./renderers/matrix.ts";
import { render } from "./renderers/render.ts";

const good = await readConfig("deliver: [pigeon]\\nchannels: { pigeon: { loft: north, allow: [eric] } }\\n", {});
const bad = await readConfig("channels: { pigeon: { loft: north, lofty: 1 } }\\n", {});
if (!good.ok) throw new Error(JSON.stringify(good));
const tools = { ...signing(Buffer.alloc(32)), now: Date.now };
const channel = (await openChannels(good.config, tools)).get("pigeon");
const message = render(noticeView("stalled", "No corn."), rowOf("pigeon"));
const posted = await channel?.post("eric", message, "k", new AbortController().signal);
const errors = bad.ok ? [] : bad.errors.map((error) => error.message);
process.stdout.write(JSON.stringify({ id: channel?.id, routes: routesOf(good.config), posted, errors }));
`;

let copy: string;
let before: Map<string, string>;

function hashes(): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
    if (name.startsWith("node_modules") || !statSync(join(copy, name)).isFile()) continue;
    found.set(
      name,
      createHash("sha256")
        .update(readFileSync(join(copy, name)))
        .digest("hex"),
    );
  }
  return found;
}

function run(program: string, ...args: string[]) {
  const done = spawnSync(process.execPath, [...(program === "" ? ["--import", "tsx"] : [program]), ...args], {
    cwd: copy,
    encoding: "utf8",
  });
  return { status: done.status, said: done.stdout + done.stderr, out: done.stdout };
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "owlpost-channel-"));
  for (const part of [
    "src",
    "renderers",
    "channels",
    "scripts",
    "config",
    "package.json",
    "tsconfig.json",
    "biome.json",
    ".gitignore",
  ]) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  before = hashes();
  writeFileSync(join(copy, "channels", "pigeon.ts"), adapter);
  const matrix = join(copy, "renderers", "matrix.ts");
  const text = readFileSync(matrix, "utf8");
  writeFileSync(
    matrix,
    text.replace("export const matrix = {\n", (start) => start + row),
  );
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("its settings come into the schema, and no file but its two and the generated one changes", () => {
  expect(run("", "scripts/schema.ts").said).toBe("");
  const schema = JSON.parse(readFileSync(join(copy, "config", "schema.json"), "utf8"));
  expect(schema.properties.channels.properties.pigeon.required).toEqual(["loft"]);
  const after = hashes();
  const changed = [...after].filter(([name, hash]) => before.get(name) !== hash).map(([name]) => name);
  expect(changed.sort()).toEqual(["channels/pigeon.ts", "config/schema.json", "renderers/matrix.ts"]);
});

test("it is configured, routed to, opened, rendered for and posted to", () => {
  writeFileSync(join(copy, "trial.ts"), trial);
  const { out, said } = run("", "trial.ts");
  rmSync(join(copy, "trial.ts"));
  expect(said).toBe(out);
  const told = JSON.parse(out);
  expect(told).toMatchObject({ id: "pigeon", routes: [{ channel: "pigeon", destination: "eric" }] });
  expect(told.posted).toContain("No corn.");
  expect(told.errors).toEqual([expect.stringContaining("loft")]);
});

test("the compiler and the linter have nothing to say", () => {
  writeFileSync(
    join(copy, "tsconfig.one.json"),
    JSON.stringify({ extends: "./tsconfig.json", include: ["src", "renderers", "channels"] }),
  );
  const tsc = join(resolver.resolve("typescript/package.json"), "../bin/tsc");
  expect(run(tsc, "--noEmit", "-p", "tsconfig.one.json")).toMatchObject({ said: "", status: 0 });
  const lint = run(
    resolver.resolve("@biomejs/biome/bin/biome"),
    "lint",
    "channels/pigeon.ts",
    "renderers/matrix.ts",
  );
  expect(lint.said).not.toContain("error");
  expect(lint.status).toBe(0);
}, 60_000);
