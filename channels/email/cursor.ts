import type { Cursor, Instant } from "../../src/domain/ids.ts";

/** A mail that could not be read yet. */
export type Waiting = { readonly uid: number; readonly tries: number; readonly at: Instant };

/** Where in the mailbox reading goes on. */
export type Place = {
  readonly validity: string;
  /** Everything up to it was read, but for what waits. */
  readonly uid: number;
  /** What came before is nobody's answer: it was there before we listened. */
  readonly since: Instant;
  /** When the newest mail that was read came in. */
  readonly newest: Instant;
  readonly waiting: readonly Waiting[];
};

/** One line, such as `a1b2 1700000000 42 1760000000000 1760000900000 40/2/1760001000000`. */
export function cursorOf(account: string, { validity, uid, since, newest, waiting }: Place): Cursor {
  const later = waiting.map((each) => `${each.uid}/${each.tries}/${each.at}`);
  return [account, validity, uid, since, newest, ...later].join(" ");
}

/** Undefined for a cursor of another account: its numbers say nothing here. */
export function placeOf(cursor: Cursor | undefined, account: string): Place | undefined {
  const [of, validity = "", ...rest] = cursor?.split(" ") ?? [];
  const [uid, since, newest] = rest.slice(0, 3).map(Number);
  if (of !== account || ![uid, since, newest].every(Number.isSafeInteger)) return undefined;
  const waiting = rest.slice(3).map((each) => {
    const [number = 0, tries = 0, at = 0] = each.split("/").map(Number);
    return { uid: number, tries, at };
  });
  return { validity, uid: uid ?? 0, since: since ?? 0, newest: newest ?? 0, waiting };
}
