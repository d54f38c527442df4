/** Clocks on walls, read through Intl alone: an evaluation that shares nothing with the code under test. */
const clocks = new Map<string, Intl.DateTimeFormat>();
const secondMs = 1000;
const dayMs = 86_400_000;

/** What the clock shows, as if it were UTC; whole seconds. */
export function wallOf(zone: string, at: number): number {
  let clock = clocks.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    clocks.set(zone, clock);
  }
  const read: Record<string, string> = {};
  for (const { type, value } of clock.formatToParts(at)) read[type] = value;
  const { year, month, day, hour, minute, second } = read;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}

/** `02:14:59`. */
export function timeOf(zone: string, at: number): string {
  return new Date(wallOf(zone, at)).toISOString().slice(11, 19);
}

/** The instants between the two years, to the second, at which the clocks of a zone are changed. */
export function changesOf(zone: string, fromYear: number, toYear: number): number[] {
  const offset = (at: number): number => wallOf(zone, at) - at;
  const found: number[] = [];
  const end = Date.UTC(toYear, 0);
  for (let at = Date.UTC(fromYear, 0); at < end; at += 7 * dayMs) {
    if (offset(at) === offset(at + 7 * dayMs)) continue;
    let [low, high] = [at, at + 7 * dayMs];
    while (high - low > secondMs) {
      const middle = Math.floor((low + high) / 2 / secondMs) * secondMs;
      if (offset(middle) === offset(low)) low = middle;
      else high = middle;
    }
    found.push(high);
  }
  return found;
}
