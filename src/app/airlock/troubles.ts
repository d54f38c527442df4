import type { Log } from "../log.ts";

/** Faults that come back at every try: each is logged once, again when it changes, and once when it is over. */
export type Troubles = {
  report(what: string, message: string, error: unknown): void;
  clear(what: string): void;
};

export function openTroubles(log: Log): Troubles {
  const standing = new Map<string, string>();
  return {
    report(what, message, error) {
      // Temporary names differ at every try.
      const why = (error instanceof Error ? error.message : String(error)).replace(
        /\.owlpost-[0-9a-f]+/g,
        ".owlpost-…",
      );
      if (standing.get(what) === why) return;
      // One cause may stop several pieces of work; it is told once.
      const told = [...standing.values()].includes(why);
      standing.set(what, why);
      if (!told) log.warn({ what, why }, message);
    },
    clear(what) {
      const why = standing.get(what);
      if (why === undefined) return;
      standing.delete(what);
      if (![...standing.values()].includes(why)) log.info({ what }, "the trouble is over");
    },
  };
}
