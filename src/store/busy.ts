/** The event loop stands still so long at most while another process locks the file; after that it turns between two tries. */
export const longestStandMs = 10;
export const retryMs = 2;

/** Another process holds a lock of the file just now. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/**
 * A read, tried again while the file is busy. Readers wait for nobody in ordinary times, but the first one after a
 * crash mends the journal, and the last one to leave takes it away.
 */
export async function patiently<Value>(read: () => Promise<Value>, timeoutMs: number): Promise<Value> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
      await new Promise((next) => setTimeout(next, retryMs));
    }
  }
}
