import type { Store } from "../../src/domain/store.ts";
import { openStore as open, type StoreOptions } from "../../src/store/sqlite.ts";
import { boundary, type Phase } from "./steps.ts";

export type { StoreOptions } from "../../src/store/sqlite.ts";

/** Which phase a write belongs to. Reads are no steps: nothing on disk is different before and after them. */
const writes: Partial<Record<keyof Store, Phase>> = {
  ask: "ask",
  turn: "receive",
  move: "decide",
  pair: "pair",
  take: "take",
  confirm: "confirm",
  changeBoard: "board",
  sweep: "sweep",
  append: "serve",
  sent: "send",
  postpone: "send",
  drop: "send",
  setCursor: "file",
  acquireService: "serve",
  releaseService: "serve",
  setHealth: "serve",
};

let current: Phase = "serve";

/** The phase of the write that was begun last: statements are counted there. */
export function currentPhase(): Phase {
  return current;
}

/** Stands in for `openStore` in the child: the real store, with a step before and after every write. */
export async function openStore(path: string, options?: StoreOptions): Promise<Store> {
  const store = await open(path, options);
  const tapped = { ...store };
  for (const [name, phase] of Object.entries(writes)) tap(tapped, name as keyof Store, phase);
  tapped.settleBlockers = async (limit) => {
    // Called after every change, nearly always for nothing: where it writes, its statements are steps.
    const before = current;
    current = "board";
    const more = await store.settleBlockers(Math.min(limit, 2));
    if (!more) current = before;
    return more;
  };
  return tapped;
}

function tap(store: Store, name: keyof Store, usual: Phase): void {
  const write = store[name] as (...given: unknown[]) => Promise<unknown>;
  const tapped = async (...given: unknown[]): Promise<unknown> => {
    const phase = name === "turn" && isLocal(given[0]) ? "decide" : usual;
    boundary(phase, `store.${name}:before`);
    current = phase;
    const value = await write(...given);
    boundary(phase, `store.${name}:after`);
    return value;
  };
  Object.assign(store, { [name]: tapped });
}

function isLocal(turn: unknown): boolean {
  const { channel } = turn as { channel: string };
  return channel === "cli" || channel === "inbox";
}
