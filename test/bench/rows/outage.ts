import { type ChildProcess, fork } from "node:child_process";
import { silentLog } from "../../../src/app/log.ts";
import { startService } from "../../../src/app/service.ts";
import { builtPage } from "../built.ts";
import { benchConfig, benchDocument, mustAsk, newHome } from "../home.ts";
import { type Blocks, duration, type Figure, median, quantile, type Row, ratio } from "../measure.ts";
import { peerChannel, refusingPort, startPeer } from "../peer.ts";

const size = { blocks: 9, rounds: 8, warm: 2 };
const asksAtOnce = 10;

/** An ask while every transport is down, beside one while they work: two services, asked by turns. */
export const outage: Row = {
  name: "outage",
  async run() {
    const peer = await startPeer();
    const arms = { up: await service(peer.port), down: await service(await refusingPort()) };
    const blocks: Record<keyof typeof arms, number[][]> = { up: [], down: [] };
    for (let round = 0; round < size.warm + size.blocks * size.rounds; round += 1) {
      const measured = round - size.warm;
      const order = round % 2 === 0 ? (["up", "down"] as const) : (["down", "up"] as const);
      for (const name of order) {
        const times = await asked(arms[name]);
        if (measured < 0) continue;
        if (measured % size.rounds === 0) blocks[name].push([]);
        blocks[name].at(-1)?.push(...times);
      }
    }
    for (const child of Object.values(arms)) child.disconnect();
    peer.close();
    return [figure(blocks)];
  },
};

function figure(blocks: Blocks<"up" | "down">): Figure {
  const told = (name: "up" | "down"): string => {
    const all = blocks[name].flat();
    return `${name} ${duration(median(all))} (p99 ${duration(quantile(all, 0.99))})`;
  };
  return {
    name: "ask with all transports down / with them up",
    spread: ratio(blocks, "down", "up"),
    unit: "x",
    goal: { most: 1.2 },
    detail: `${told("up")}, ${told("down")}`,
  };
}

async function service(port: number): Promise<ChildProcess> {
  const child = fork(process.argv[1] ?? "", ["outageService", String(port)]);
  await answer(child);
  return child;
}

function answer(child: ChildProcess): Promise<unknown> {
  return new Promise((done, failed) => {
    const ended = (code: number | null): void => failed(new Error(`a service ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      done(message);
    });
  });
}

async function asked(child: ChildProcess): Promise<readonly number[]> {
  const told = answer(child);
  child.send("ask");
  return (await told) as readonly number[];
}

/** A service with two phones at one port; asks ten questions whenever it is told to, and says how long each took. */
export async function outageService(port: string): Promise<void> {
  const channels = ["one", "two"].map((id) => peerChannel(id, Number(port)));
  const { owlpost, close } = await startService({
    home: newHome(),
    config: benchConfig({ deliver: ["one", "two"], channels: { inbox: { port: 0 } } }),
    log: silentLog,
    assets: await builtPage(),
    channels: new Map(channels.map((channel) => [channel.id, channel])),
  });
  let n = 0;
  process.on("message", async () => {
    const times: number[] = [];
    for (let left = asksAtOnce; left > 0; left -= 1) {
      const start = performance.now();
      mustAsk(await owlpost.ask({ document: benchDocument(n++) }));
      times.push(performance.now() - start);
    }
    process.send?.(times);
  });
  process.once("disconnect", () => void close().then(() => process.exit(0)));
  process.send?.("ready");
}
