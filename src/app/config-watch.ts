import { type BigIntStats, statSync } from "node:fs";
import { join } from "node:path";

export type ConfigWatch = {
  /** Looks once. True when the file is not what it was, and was the same at two looks: nobody is still writing it. */
  look(): boolean;
};

/**
 * Notices that `<home>/config.yaml` was changed, replaced, made or removed. The first look that finds it at rest counts as a
 * change: it may have been written between its reading and now.
 */
export function watchConfig(home: string): ConfigWatch {
  const file = join(home, "config.yaml");
  let taken: string | undefined;
  let seen: string | undefined;
  return {
    look() {
      const now = print(file);
      const settled = now === seen;
      seen = now;
      if (!settled || now === taken) return false;
      taken = now;
      return true;
    },
  };
}

/** What tells one state of a file from another without reading it. */
function print(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}
