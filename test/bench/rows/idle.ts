import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { serveHome, stop } from "../built.ts";
import { newHome } from "../home.ts";
import { type Row, type Spread, spreadOf } from "../measure.ts";

const windows = 7;

/**
 * What `owlpost serve` costs while nothing happens. A fresh Node still collects garbage once, some 20 to 30 s
 * after it has started, so it settles first. The mean over all windows counts: some work is done every 15 s only.
 */
export const idle: Row = {
  name: "idle",
  async run({ idle: long }) {
    const settleMs = long ? 60_000 : 40_000;
    const windowMs = (long ? 63_000 : 21_000) / windows;
    const service = await serveHome(newHome());
    const bare = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1e9)"], { stdio: "ignore" });
    await sleep(settleMs);
    const spent: Record<"service" | "bare", number[]> = { service: [], bare: [] };
    for (let window = 0; window < windows; window += 1) {
      const before = { service: cpuSeconds(service.pid), bare: cpuSeconds(bare.pid), at: performance.now() };
      await sleep(windowMs);
      const hours = (performance.now() - before.at) / 3_600_000;
      spent.service.push((cpuSeconds(service.pid) - before.service) / hours);
      spent.bare.push((cpuSeconds(bare.pid) - before.bare) / hours);
    }
    await stop(service);
    await stop(bare);
    const node = mean(spent.bare);
    return [
      {
        name: "the settled idle service",
        spread: mean(spent.service),
        unit: "CPU s/h",
        goal: { most: 4 },
        detail: `bare node ${node.value.toFixed(2)}; settled ${settleMs / 1000} s, measured ${(windowMs * windows) / 1000} s`,
      },
    ];
  },
};

function mean(values: readonly number[]): Spread {
  return { ...spreadOf(values), value: values.reduce((sum, value) => sum + value, 0) / values.length };
}

/** The time on a CPU of all threads, to the nanosecond; `stat` counts in ticks of 10 ms, too coarse for so little. */
function cpuSeconds(pid: number | undefined): number {
  const folder = `/proc/${pid}/task`;
  let nanoseconds = 0;
  for (const task of readdirSync(folder)) {
    nanoseconds += Number(readFileSync(`${folder}/${task}/schedstat`, "utf8").split(" ")[0]);
  }
  return nanoseconds / 1e9;
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
