/** A signal that fires with another one, or after a while. */
export type Limit = {
  readonly signal: AbortSignal;
  /** It is no longer needed. */
  clear(): void;
};

/**
 * Fires with `stop`, or after `ms`. A timer of our own: on Node 20 the garbage collector takes `AbortSignal.timeout` out of an
 * `AbortSignal.any`, and whatever waits for that never ends.
 */
export function limitOf(stop: AbortSignal, ms: number): Limit {
  const limit = new AbortController();
  const clear = (): void => {
    clearTimeout(timer);
    stop.removeEventListener("abort", end);
  };
  const end = (): void => {
    clear();
    limit.abort();
  };
  const timer = setTimeout(end, ms);
  timer.unref();
  stop.addEventListener("abort", end, { once: true });
  if (stop.aborted) end();
  return { signal: limit.signal, clear };
}
