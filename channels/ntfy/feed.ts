import type { Readable } from "node:stream";

/** One line of an event; the longest that the server makes has a few tens of kilobytes. Longer ones are passed over. */
const mostLineBytes = 128 * 1024;
/** Lines that wait here, before the stream is read no further. */
const mostWaiting = 500;

export type Feed = {
  /** Lines that have come, the oldest first, at most so many. */
  take(most: number): readonly unknown[];
  readonly waiting: () => number;
  /** How it ended, once nothing waits any more: by itself, or cut. */
  readonly ended: () => "whole" | "cut" | undefined;
  /** When the last byte came, on the clock of `performance.now()`. */
  readonly heardAt: () => number;
  /** Resolves when something has come, it has ended, `ms` are over, or `signal` fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

/** Reads a stream of JSON lines as it comes; what is no JSON, and what is too long, is passed over. */
export function openFeed(body: Readable): Feed {
  const lines: unknown[] = [];
  let rest: Buffer[] = [];
  let restBytes = 0;
  let skipping = false;
  let ended: "whole" | "cut" | undefined;
  let heardAt = performance.now();
  let wake: () => void = () => undefined;

  function add(piece: Buffer): void {
    if (skipping) return;
    rest.push(piece);
    restBytes += piece.length;
    if (restBytes <= mostLineBytes) return;
    rest = [];
    restBytes = 0;
    skipping = true;
  }

  function endLine(): void {
    const text = Buffer.concat(rest).toString("utf8");
    const whole = !skipping;
    rest = [];
    restBytes = 0;
    skipping = false;
    if (!whole || text.trim() === "") return;
    try {
      lines.push(JSON.parse(text));
    } catch {
      // Whoever stands in between may say anything.
    }
  }

  body.on("data", (chunk: Buffer) => {
    heardAt = performance.now();
    let from = 0;
    for (let at = chunk.indexOf(10, from); at >= 0; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      endLine();
      from = at + 1;
    }
    add(chunk.subarray(from));
    if (lines.length > mostWaiting) body.pause();
    wake();
  });
  const end = (how: "whole" | "cut") => (): void => {
    ended ??= how;
    wake();
  };
  body.once("end", end("whole"));
  body.once("error", end("cut"));
  body.once("close", end("cut"));

  return {
    take(most) {
      const taken = lines.splice(0, most);
      if (lines.length <= mostWaiting && body.isPaused()) body.resume();
      return taken;
    },
    waiting: () => lines.length,
    ended: () => (lines.length > 0 ? undefined : ended),
    heardAt: () => heardAt,
    wait(ms, signal) {
      if (lines.length > 0 || ended || signal.aborted) return Promise.resolve();
      return new Promise((done) => {
        const timer = setTimeout(finish, ms);
        function finish(): void {
          clearTimeout(timer);
          signal.removeEventListener("abort", finish);
          wake = () => undefined;
          done();
        }
        wake = finish;
        signal.addEventListener("abort", finish, { once: true });
      });
    },
    close() {
      body.destroy();
    },
  };
}
