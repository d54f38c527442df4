import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../domain/event.ts";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import type { Owlpost } from "./api.ts";
import { inboxState, recentLimit } from "./inbox-state.ts";
import { readBoards } from "./inbox-tasks.ts";

const throttleMs = 50;
const heartbeatMs = 20_000;
/** How far back notices are looked for when the service starts, in events. */
const noticeWindow = 5_000;
const noticeLimit = 30;

export type Live = {
  /** The state as one line of JSON. */
  line(): Promise<string>;
  /** Something was committed: whoever listens gets the state again. */
  changed(): void;
  /**
   * Writes the state at once, again after every change and an empty line as a heartbeat, until `signal` aborts,
   * `still` says no, or the live part closes.
   */
  follow(
    write: (line: string) => Promise<unknown>,
    still: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void>;
  followers(): number;
  close(): void;
};

export type LiveOptions = {
  readonly owlpost: Pick<Owlpost, "status" | "events" | "people">;
  readonly store: Pick<Store, "lastEvent" | "questions" | "boards" | "tasks">;
  readonly zone: string;
  readonly clock: () => Instant;
  /** Told of a failed look at the store; the streams go on and try again. */
  readonly failed: (error: unknown) => void;
};

export function openLive({ owlpost, store, zone, clock, failed }: LiveOptions): Live {
  const open = new Set<AbortController>();
  let closed = false;
  const notices = noticeReader(owlpost, store);
  let version = 0;
  const waiting = new Set<() => void>();
  let shared: { version: number; line: Promise<string> } | undefined;

  const changed = (): void => {
    version += 1;
    for (const wake of [...waiting]) wake();
  };

  const read = async (): Promise<string> => {
    const status = await owlpost.status();
    // What is over is no part of the status: it is listed here, so that nobody wonders where a question went.
    const [closed, queued, people, boards] = await Promise.all([
      store.questions({ states: ["resolved", "cancelled"], newest: true, limit: recentLimit }),
      notices(),
      owlpost.people(),
      readBoards(store),
    ]);
    return JSON.stringify(inboxState({ status, closed, notices: queued, people, boards }, zone, clock()));
  };

  /** Pages that are open together share one look at the store. */
  const line = (): Promise<string> => {
    if (shared?.version === version) return shared.line;
    const current = { version, line: read() };
    shared = current;
    const forget = (): void => {
      if (shared === current) shared = undefined;
    };
    current.line.then(forget, forget);
    return current.line;
  };

  const next = (ms: number, signal: AbortSignal, seen: number): Promise<void> =>
    new Promise((resolve) => {
      if (version !== seen || signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      waiting.add(done);
      signal.addEventListener("abort", done);
    });

  return {
    line,
    changed,
    followers: () => open.size,
    close() {
      closed = true;
      for (const each of [...open]) each.abort();
    },
    async follow(write, still, ended) {
      const own = new AbortController();
      const { signal } = own;
      const end = (): void => own.abort();
      if (closed || ended.aborted) return;
      ended.addEventListener("abort", end, { once: true });
      open.add(own);
      let sent = "";
      let checkedAt = clock();
      try {
        while (!signal.aborted) {
          const seen = version;
          const current = await line().catch((error: unknown) => {
            failed(error);
            return sent;
          });
          if (signal.aborted) break;
          // An unchanged state is a heartbeat: it also finds out that the other side is gone.
          await write(current === sent ? "\n" : `${current}\n`);
          sent = current;
          await pause(throttleMs, signal);
          await next(heartbeatMs, signal, seen);
          if (clock() - checkedAt < heartbeatMs) continue;
          checkedAt = clock();
          if (!(await still())) break;
        }
      } finally {
        open.delete(own);
        ended.removeEventListener("abort", end);
      }
    },
  };
}

/** The last notices, read once from the end of the log and then kept up with it. */
function noticeReader(
  owlpost: Pick<Owlpost, "events">,
  store: Pick<Store, "lastEvent">,
): () => Promise<readonly Event[]> {
  let since: number | undefined;
  let notices: readonly Event[] = [];
  let reading: Promise<readonly Event[]> | undefined;
  const read = async (): Promise<readonly Event[]> => {
    since ??= Math.max(0, (await store.lastEvent()) - noticeWindow);
    for (;;) {
      const events = await owlpost.events(since, 1_000);
      const queued = events.filter((event) => event.kind === "notice.queued");
      if (queued.length > 0) notices = [...notices, ...queued].slice(-noticeLimit);
      since = events.at(-1)?.seq ?? since;
      if (events.length < 1_000) return notices;
    }
  };
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
