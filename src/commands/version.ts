import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../app/home.ts";

/** As package.json has it. */
export function version(): string {
  const read: unknown = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return typeof read === "object" && read !== null && "version" in read ? String(read.version) : "unknown";
}
