import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { startBotApi } from "../../telegram/bot-api.ts";
import { serveHome, stop } from "../built.ts";
import { newHome } from "../home.ts";
import { type Row, spreadOf } from "../measure.ts";

const settleMs = 40_000;
const looks = 5;
const token = "7000000003:BENCH-only-not-a-token";

/** The resident memory of `owlpost serve` with Telegram as its only phone, settled, beside a bare Node. */
export const memory: Row = {
  name: "memory",
  async run() {
    const api = await startBotApi();
    api.addBot(token, "idle_bot");
    const telegram = `  telegram:\n    token: "${token}"\n    allow: [5550100003]\n    api_root: ${api.url}\n`;
    const service = await serveHome(newHome(), telegram);
    const bare = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1e9)"], { stdio: "ignore" });
    await sleep(settleMs);
    const ratios: number[] = [];
    let detail = "";
    for (let look = 0; look < looks; look += 1) {
      await sleep(1_000);
      const [ours, theirs] = [residentMiB(service.pid), residentMiB(bare.pid)];
      ratios.push(ours / theirs);
      detail = `${ours.toFixed(1)} MiB, bare node ${theirs.toFixed(1)} MiB; settled ${settleMs / 1000} s`;
    }
    await stop(service);
    await stop(bare);
    await api.close();
    const goal = { most: 1.4 };
    return [{ name: "memory with Telegram / bare node", spread: spreadOf(ratios), unit: "x", goal, detail }];
  },
};

function residentMiB(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
