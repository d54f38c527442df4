import type { Call } from "../verb.ts";

const everyMs = { terminal: 200, elsewhere: 10_000 };

export type Counter = {
  /** @param all of how many, where that is known */
  count(done: number, all?: number): void;
  /** Takes the line away again. */
  end(): Promise<void>;
};

/**
 * Tells people on standard error how far something has come: on a terminal one line that changes, elsewhere a line now and
 * then. What is over soon says nothing.
 */
export function progress(call: Call, doing: string): Counter {
  const { stderr } = call.io;
  const { tty } = stderr;
  const step = tty ? everyMs.terminal : everyMs.elsewhere;
  let toldAt = performance.now();
  let written: Promise<void> = Promise.resolve();
  let isShown = false;
  return {
    count(done, all) {
      const now = performance.now();
      if (call.json || now - toldAt < step) return;
      toldAt = now;
      isShown = tty;
      const number = (value: number): string => value.toLocaleString("en-US");
      const text = `${doing} ${number(done)}${all === undefined ? "" : ` of ${number(all)}`} …`;
      written = written
        .then(() => stderr.write(tty ? `\r\u001b[K${text}` : `${text}\n`))
        .catch(() => undefined);
    },
    async end() {
      await written;
      if (isShown) await stderr.write("\r\u001b[K");
    },
  };
}
