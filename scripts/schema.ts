import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { configJsonSchema } from "../src/app/config-schema.ts";
import { questionSchema } from "../src/domain/question-schema.ts";

const configSchema = await configJsonSchema();

/** Every file that is generated from a schema; `npm run schema` writes them, a test keeps them fresh. */
export const outputs: readonly { readonly path: string; make(): string }[] = [
  { path: "config/question.schema.json", make: () => write(z.toJSONSchema(questionSchema, { io: "input" })) },
  { path: "config/schema.json", make: () => write(configSchema) },
];

export const root = resolve(import.meta.dirname, "..");

/** JSON as the formatter of this repository writes it: a list of plain values stands on one line where it fits. */
function write(value: unknown, indent = ""): string {
  const inner = `${indent}  `;
  const nested = typeof value === "object" && value !== null;
  if (!nested) return JSON.stringify(value);
  const entries = Array.isArray(value)
    ? value.map((item) => write(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${write(item, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return `${open}${close}`;
  const flat = `${open}${entries.join(", ")}${close}`;
  const plain = Array.isArray(value) && value.every((item) => typeof item !== "object");
  if (plain && indent.length + flat.length <= 90) return flat;
  return `${open}\n${entries.map((entry) => `${inner}${entry}`).join(",\n")}\n${indent}${close}`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const output of outputs) writeFileSync(join(root, output.path), `${output.make()}\n`);
}
