import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { redact } from "../core/redact.ts";

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** The part of a pino logger that owlpost uses. */
export type Log = { readonly info: Write; readonly warn: Write; readonly error: Write; flush?(): void };

const mostWaitingBytes = 1024 * 1024;

/** A log that goes nowhere. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Structured lines in `<home>/logs/owlpost.log` (mode 0600). Every line passes the redaction of the question contract,
 * so that a token inside an error message of a platform does not reach the disk.
 */
export async function openLog(home: string): Promise<Log> {
  const { pino } = await import("pino");
  const folder = join(home, "logs");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const dest = join(folder, "owlpost.log");
  const file = pino.destination({ dest, append: true, mode: 0o600, sync: true, maxLength: mostWaitingBytes });
  // A log that cannot be written (the disk is full) must not end the service: its lines wait, then the newest are dropped.
  file.on("error", () => undefined);
  const logger = pino(
    { base: { pid: process.pid } },
    { write: (line: string) => file.write(`${redact(line.trimEnd()).text}\n`) },
  );
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => {
      try {
        file.flushSync();
      } catch {
        // What could not be written until now is lost with the process.
      }
    },
  };
}
