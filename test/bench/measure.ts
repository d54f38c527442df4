/** The median of the blocks of a run, and the blocks it lies between. */
export type Spread = { readonly value: number; readonly low: number; readonly high: number };

/** One line of the table. */
export type Figure = {
  readonly name: string;
  readonly spread: Spread;
  /** `x` is a ratio; everything else is absolute. */
  readonly unit: "x" | "us" | "ms" | "s" | "/s" | "syncs" | "CPU s/h";
  /** Absent: for information only. */
  readonly goal?: { readonly most: number } | { readonly least: number };
  /** Absolute numbers, for information. */
  readonly detail: string;
};

export type BenchOptions = {
  /** The long form of the idle row. */
  readonly idle: boolean;
};

/** What one name on the command line measures. */
export type Row = { readonly name: string; run(options: BenchOptions): Promise<readonly Figure[]> };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new Error("nothing was measured");
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function spreadOf(values: readonly number[]): Spread {
  return { value: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** Seconds since some start, the same clock for every process of this machine. */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e9;
}

/** How long `work` takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export type Arm = (round: number) => unknown;
/** Milliseconds, per arm and block. */
export type Blocks<Name extends string> = Readonly<Record<Name, readonly (readonly number[])[]>>;

/**
 * Runs the arms by turns, one operation of each a round, so that a disk that drifts (twofold within minutes) slows all
 * of them alike. The order is turned round and shifted on, so that no arm profits more than another from what ran before it.
 */
export async function interleave<Name extends string>(
  arms: Readonly<Record<Name, Arm>>,
  size: { readonly blocks: number; readonly rounds: number; readonly warm?: number },
): Promise<Blocks<Name>> {
  const names = Object.keys(arms) as Name[];
  const blocks = Object.fromEntries(names.map((name) => [name, [] as number[][]])) as Record<
    Name,
    number[][]
  >;
  const warm = size.warm ?? Math.ceil(size.rounds / 2);
  let round = 0;
  for (; round < warm; round += 1) for (const name of names) await arms[name](round);
  for (let block = 0; block < size.blocks; block += 1) {
    for (const name of names) blocks[name].push([]);
    for (let step = 0; step < size.rounds; step += 1) {
      const first = (round >> 1) % names.length;
      const shifted = [...names.slice(first), ...names.slice(0, first)];
      const order = round % 2 === 0 ? shifted : shifted.toReversed();
      for (const name of order) blocks[name].at(-1)?.push(await timed(() => arms[name](round)));
      round += 1;
    }
  }
  return blocks;
}

/** The ratio of the medians of two arms, block by block. */
export function ratio<Name extends string>(blocks: Blocks<Name>, above: Name, below: Name): Spread {
  return spreadOf(blocks[above].map((block, index) => median(block) / median(blocks[below][index] ?? [])));
}

/** `ask 402 us (p99 1210), bare 280 us (p99 760)`. */
export function absolutes<Name extends string>(blocks: Blocks<Name>, names: readonly Name[]): string {
  return names
    .map((name) => {
      const all = blocks[name].flat();
      return `${name} ${duration(median(all))} (p99 ${duration(quantile(all, 0.99))})`;
    })
    .join(", ");
}

export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} us`;
  return ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toPrecision(3)} s`;
}
