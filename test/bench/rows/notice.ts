import { fork } from "node:child_process";
import { silentLog } from "../../../src/app/log.ts";
import { openOwlpost } from "../../../src/app/owlpost.ts";
import { startService } from "../../../src/app/service.ts";
import { nudgeService } from "../../../src/app/service-client.ts";
import type { AnswerChannel } from "../../../src/domain/channel.ts";
import { builtPage } from "../built.ts";
import { benchConfig, benchDocument, mustAsk, newHome } from "../home.ts";
import { duration, median, monotonic, quantile, type Row, spreadOf } from "../measure.ts";

const blocks = 7;
const rounds = 30;
const pauseMs = 20;

const config = benchConfig({ deliver: ["peer"], channels: { inbox: { port: 0 }, peer: {} } });

/**
 * How long after another process's commit the service has acted on it: from the commit there to the call of the
 * channel here, the look into the outbox included.
 */
export const notice: Row = {
  name: "notice",
  async run() {
    const home = newHome();
    const seen = new Map<string, number>();
    const channel: AnswerChannel = {
      id: "peer",
      rings: true,
      destinations: ["default"],
      async post(_destination, _message, key) {
        const question = key.split("/")[0] ?? "";
        if (!seen.has(question)) seen.set(question, monotonic());
        return key;
      },
      async close() {},
    };
    const service = await startService({
      home,
      config,
      log: silentLog,
      assets: await builtPage(),
      channels: new Map([[channel.id, channel]]),
    });
    const committed = await commitsOf(home);
    await service.settle();
    await service.close();
    const delays = committed.map(({ id, at }) => ((seen.get(id) ?? Number.NaN) - at) * 1000);
    if (delays.some(Number.isNaN)) throw new Error("the service never saw one of the questions");
    const inBlocks = Array.from({ length: blocks }, (_, index) =>
      median(delays.slice(index * rounds, (index + 1) * rounds)),
    );
    return [
      {
        name: "a command's commit is noticed by the service",
        spread: spreadOf(inBlocks),
        unit: "ms",
        goal: { most: 5 },
        detail: `${delays.length} commits, p99 ${duration(quantile(delays, 0.99))}`,
      },
    ];
  },
};

type Commit = { readonly id: string; readonly at: number };

function commitsOf(home: string): Promise<readonly Commit[]> {
  const child = fork(process.argv[1] ?? "", ["noticeCommand", home]);
  return new Promise((done, failed) => {
    child.once("message", (message) => done(message as readonly Commit[]));
    child.once("exit", (code) => failed(new Error(`the command ended with ${code}`)));
  });
}

/** What a command does: it commits, then nudges the service. */
export async function noticeCommand(home: string): Promise<void> {
  let at = 0;
  let nudged: Promise<unknown> | undefined;
  const owlpost = await openOwlpost({
    home,
    config,
    onCommit: () => {
      at = monotonic();
      nudged = nudgeService(home);
    },
  });
  const commits: Commit[] = [];
  for (let n = 0; n < blocks * rounds; n += 1) {
    const { id } = mustAsk(await owlpost.ask({ document: benchDocument(n) }));
    commits.push({ id, at });
    await nudged;
    await new Promise((next) => setTimeout(next, pauseMs));
  }
  await owlpost.close();
  await new Promise((sent) => process.send?.(commits, sent));
  process.disconnect();
}
