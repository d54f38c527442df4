import { fork } from "node:child_process";
import { openOwlpost } from "../../../src/app/owlpost.ts";
import { nudgeService } from "../../../src/app/service-client.ts";
import { benchConfig } from "../home.ts";
import { duration, median, monotonic, quantile, type Row } from "../measure.ts";
import { type Phones, type Posted, postJson, startPhones, told } from "../phone.ts";

const blocks = 6;
/** Of each way and block. */
const answers = 40;
const pauseMs = 20;

/**
 * How long a button that is worth nothing any more can still be tapped: from the commit of an answer elsewhere, by a process
 * of the command line or in the inbox, until the server has accepted the edits on both phones. For the inbox the request is
 * where it begins, since nobody outside sees the commit.
 */
export const stale: Row = {
  name: "stale",
  async run() {
    const phones = await startPhones();
    const command = fork(process.argv[1] ?? "", ["staleCommand", phones.home]);
    await told(command);
    const ways = {
      command: async ({ id }: Posted): Promise<number> => {
        const at = told(command);
        command.send(id);
        return (await at) as number;
      },
      inbox: ({ id }: Posted): Promise<number> => answerInInbox(phones, id),
    };
    const all = { command: [] as number[], inbox: [] as number[] };
    const inBlocks: number[][] = [];
    for (let block = -1; block < blocks; block += 1) {
      const posted = await phones.ask(2 * answers);
      const each: number[] = [];
      for (const [index, question] of posted.entries()) {
        const way = index % 2 === 0 ? "command" : "inbox";
        const edited = phones.edited(question.messages);
        const at = await ways[way](question);
        const ms = ((await edited) - at) * 1_000;
        await new Promise((next) => setTimeout(next, pauseMs));
        if (block < 0) continue;
        all[way].push(ms);
        each.push(ms);
      }
      if (block >= 0) inBlocks.push(each);
    }
    command.removeAllListeners("exit");
    command.disconnect();
    await phones.close();
    const p99s = inBlocks.map((each) => quantile(each, 0.99));
    const both = [...all.command, ...all.inbox];
    const said = (way: keyof typeof all): string =>
      `${way} p50 ${duration(median(all[way]))}, p99 ${duration(quantile(all[way], 0.99))}`;
    return [
      {
        name: "p99 of a stale button after an answer elsewhere",
        spread: { value: quantile(both, 0.99), low: Math.min(...p99s), high: Math.max(...p99s) },
        unit: "ms",
        goal: { most: 1_000 },
        detail: `p50 ${duration(median(both))}; ${said("command")}; ${said("inbox")}; ${both.length} answers, two phones`,
      },
    ];
  },
};

async function answerInInbox({ inbox: { port, session } }: Phones, question: string): Promise<number> {
  const decision = {
    command: { verb: "choose", question, key: "1" },
    key: `press-${question}`.padEnd(16, "-"),
  };
  const began = monotonic();
  const ack = await postJson<{ accepted: boolean }>(port, "/api/decide", decision, session);
  if (!ack.accepted) throw new Error("the inbox refused an answer");
  return began;
}

/** What a command does: it commits, then nudges the service. */
export async function staleCommand(home: string): Promise<void> {
  let at = 0;
  const owlpost = await openOwlpost({
    home,
    config: benchConfig(),
    onCommit: () => {
      at = monotonic();
      void nudgeService(home);
    },
  });
  process.on("message", async (question: string) => {
    const ack = await owlpost.decide({ verb: "choose", question, key: "1" }, "cli");
    if (!ack.accepted) throw new Error(ack.text);
    process.send?.(at);
  });
  process.once("disconnect", () => void owlpost.close().then(() => process.exit(0)));
  process.send?.("ready");
}
