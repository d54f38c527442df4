import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import promises from "node:fs/promises";
import { relative, sep } from "node:path";
import { boundary, die, reach } from "./steps.ts";

const paths = new WeakMap<object, string>();

/** Steps before and after everything that changes a file below `folder`, and inside a write that is only half done. */
export async function tapFiles(folder: string): Promise<void> {
  const named = (path: unknown): string | undefined => {
    if (typeof path !== "string" || !path.startsWith(folder + sep)) return undefined;
    const name = relative(folder, path).replace(/\.owlpost-[0-9a-f]+\.tmp$/, "TEMPORARY");
    return /owlpost\.db|mirror\.lock|ledger|steps\.json/.test(name) ? undefined : name;
  };

  const open = promises.open;
  const openTapped = async (...given: Parameters<typeof open>): Promise<FileHandle> => {
    const handle = await open(...given);
    const name = named(given[0]);
    if (name !== undefined) paths.set(handle, name);
    if (name?.endsWith("TEMPORARY")) boundary("file", `open ${name}:after`);
    return handle;
  };
  for (const call of ["rename", "unlink", "mkdir"] as const) {
    const real = promises[call] as (...given: unknown[]) => Promise<unknown>;
    const tapped = async (...given: unknown[]): Promise<unknown> => {
      const name = named(call === "rename" ? given[1] : given[0]);
      // A folder that is there already is only looked at.
      if (call === "mkdir" && fs.existsSync(String(given[0]))) return real(...given);
      if (name !== undefined) boundary("file", `${call} ${name}:before`);
      const value = await real(...given);
      if (name !== undefined) boundary("file", `${call} ${name}:after`);
      return value;
    };
    Object.assign(promises, { [call]: tapped });
  }
  Object.assign(promises, { open: openTapped });

  const probe = await open(process.execPath, "r");
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  for (const call of ["writeFile", "appendFile", "truncate", "sync"] as const) {
    const real = prototype[call] as (...given: unknown[]) => Promise<unknown>;
    const tapped = async function (this: FileHandle, ...given: unknown[]): Promise<unknown> {
      const name = paths.get(this);
      if (name === undefined) return real.apply(this, given);
      if (call !== "sync") boundary("file", `${call} ${name}:before`);
      if ((call === "writeFile" || call === "appendFile") && reach("file", `${call} ${name}:half`)) {
        const bytes = Buffer.from(given[0] as string | Uint8Array);
        fs.writeSync(this.fd, bytes.subarray(0, Math.floor(bytes.length / 2)));
        die();
      }
      const value = await real.apply(this, given);
      boundary("file", `${call} ${name}:after`);
      return value;
    };
    Object.assign(prototype, { [call]: tapped });
  }

  for (const call of ["rmSync", "chmodSync"] as const) {
    const real = fs[call] as (...given: unknown[]) => void;
    const tapped = (...given: unknown[]): void => {
      const name = named(given[0]);
      if (name !== undefined) boundary("serve", `${call} ${name}:before`);
      real(...given);
      if (name !== undefined) boundary("serve", `${call} ${name}:after`);
    };
    Object.assign(fs, { [call]: tapped });
  }
}
