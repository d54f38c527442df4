import { type ChildProcess, fork } from "node:child_process";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { silentLog } from "../../../src/app/log.ts";
import { openOwlpost } from "../../../src/app/owlpost.ts";
import { type Service, startService } from "../../../src/app/service.ts";
import { nudgeService } from "../../../src/app/service-client.ts";
import { builtPage } from "../built.ts";
import { benchConfig, benchDocument, mustAsk, newHome } from "../home.ts";
import { duration, monotonic, type Row, spreadOf } from "../measure.ts";
import { peerChannel, startPeer } from "../peer.ts";

const rounds = 7;
const count = 1_000;
/** So long before the deadlines the clock of the service stands when the measurement begins. */
const leadMs = 1_000;

const config = benchConfig({ deliver: ["peer"], channels: { inbox: { port: 0 }, peer: {} } });

/**
 * A thousand questions, shown on a phone, all due in the same second: the service lets them run out, a loop in another
 * process takes the defaults, and the service shows on every copy what was done.
 */
export const deadlines: Row = {
  name: "deadlines",
  async run() {
    const peer = await startPeer();
    const home = newHome();
    const clock: Clock = { aheadMs: 0 };
    const service = await startService({
      home,
      config,
      now: () => Date.now() + clock.aheadMs,
      log: silentLog,
      assets: await builtPage(),
      channels: new Map([["peer", peerChannel("peer", peer.port)]]),
    });
    const loop = fork(process.argv[1] ?? "", ["deadlineLoop", home]);
    await message(loop);
    const idle = fork(process.argv[1] ?? "", ["idleLoop", ""]);
    await message(idle);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const idleStalls: number[] = [];
    const swept: number[] = [];
    const taken: number[] = [];
    const stalls: number[] = [];
    const shown: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      idle.send("begin");
      const told = await oneRound({ home, service, loop, clock, delay }, round);
      swept.push(told.sweptS);
      taken.push(told.takenS);
      stalls.push(told.stallMs);
      shown.push(told.shownS);
      idle.send("end");
      idleStalls.push((await message(idle)) as number);
    }
    loop.disconnect();
    idle.disconnect();
    await service.close();
    peer.close();
    const stall = spreadOf(stalls);
    return [
      {
        name: "1,000 deadlines in a second: all defaults applied",
        spread: spreadOf(taken),
        unit: "s",
        goal: { most: 2 },
        detail: `expired after ${duration(spreadOf(swept).value * 1000)}, every copy edited after ${duration(spreadOf(shown).value * 1000)}`,
      },
      {
        name: "the longest stall of the event loop meanwhile",
        spread: stall,
        unit: "ms",
        goal: { most: 50 },
        detail: `from the deadline until every copy is edited, ${rounds} rounds; an idle node meanwhile ${duration(spreadOf(idleStalls).value)}`,
      },
    ];
  },
};

/** The clock of the service; it jumps to just before the deadlines, so that nobody waits for them. */
type Clock = { aheadMs: number };
type Scene = {
  readonly home: string;
  readonly service: Service;
  readonly loop: ChildProcess;
  readonly clock: Clock;
  readonly delay: IntervalHistogram;
};
type Told = {
  readonly sweptS: number;
  readonly takenS: number;
  readonly stallMs: number;
  readonly shownS: number;
};

async function oneRound({ home, service, loop, clock, delay }: Scene, round: number): Promise<Told> {
  const deadlineAt = Math.ceil((Date.now() + clock.aheadMs) / 1000) * 1000 + 3_600_000;
  const at = new Date(deadlineAt).toISOString();
  const asks = Array.from({ length: count }, (_, index) =>
    service.owlpost.ask({
      document: benchDocument(round * count + index, { default: { action: "skip_spec", at } }),
    }),
  );
  for (const outcome of await Promise.all(asks)) mustAsk(outcome);
  await service.settle();

  clock.aheadMs = deadlineAt - leadMs - Date.now();
  // Whoever is asleep looks at the clock again.
  await nudgeService(home);
  await sleep(leadMs - 100);
  const due = monotonic() + (deadlineAt - clock.aheadMs - Date.now()) / 1000;
  delay.enable();
  delay.reset();
  while ((await service.store.counts()).expired < count) await sleep(5);
  const sweptS = monotonic() - due;
  loop.send(clock.aheadMs);
  const takenS = ((await message(loop)) as number) - due;
  await service.settle();
  const shownS = monotonic() - due;
  delay.disable();
  return { sweptS, takenS, stallMs: delay.max / 1e6, shownS };
}

/** The loop, in a process of its own: takes all there is when it is told to, and says when it had it. */
export async function deadlineLoop(home: string): Promise<void> {
  let aheadMs = 0;
  const owlpost = await openOwlpost({
    home,
    config,
    now: () => Date.now() + aheadMs,
    onCommit: () => void nudgeService(home),
  });
  process.on("message", async (ahead) => {
    aheadMs = ahead as number;
    const { taken } = await owlpost.take({});
    if (taken.length !== count) throw new Error(`${taken.length} defaults were taken, not ${count}`);
    process.send?.(monotonic());
    // Or the next jump of the clock would let the claim lapse.
    await owlpost.confirm(taken[0]?.claim ?? "");
  });
  process.once("disconnect", () => void owlpost.close().then(() => process.exit(0)));
  process.send?.("ready");
}

/** A Node that does nothing: how long the machine itself lets a process wait. */
export async function idleLoop(): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  process.on("message", (told) => {
    if (told === "begin") {
      delay.enable();
      delay.reset();
      return;
    }
    process.send?.(delay.max / 1e6);
    delay.disable();
  });
  process.once("disconnect", () => process.exit(0));
  process.send?.("ready");
}

function message(child: ChildProcess): Promise<unknown> {
  return new Promise((done, failed) => {
    const ended = (code: number | null): void => failed(new Error(`the loop ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (told) => {
      child.off("exit", ended);
      done(told);
    });
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
