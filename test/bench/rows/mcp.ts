import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { openOwlpost } from "../../../src/app/owlpost.ts";
import { aConfig } from "../../builders.ts";
import { builtCli } from "../built.ts";
import { newHome } from "../home.ts";
import { quantile, type Row } from "../measure.ts";

const rounds = 40;

/** From the commit of a person's answer to the agent that waits for it in `ask_human`, over a real pipe. */
export const mcp: Row = {
  name: "mcp",
  async run() {
    const home = newHome();
    const agent = await client(await builtCli(), home);
    const owner = await openOwlpost({ home, config: aConfig() });
    const delays: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const task = `task-${round}`;
      const waiting = agent.call("ask_human", { ...question, task });
      const id = `q-local-${task}-1`;
      while (!(await owner.question(id))) await new Promise((next) => setTimeout(next, 5));
      // Somewhere within its next look, and not always at the same point of it.
      await new Promise((next) => setTimeout(next, 20 + (round % 10) * 7));
      const [returnedAt, answeredAt] = await Promise.all([
        waiting.then(() => performance.now()),
        owner.decide({ verb: "choose", question: id, key: "1" }, "cli").then(() => performance.now()),
      ]);
      delays.push(returnedAt - answeredAt);
    }
    await owner.close();
    agent.child.kill("SIGTERM");
    const value = quantile(delays, 0.99);
    return [
      {
        name: "an answer until ask_human returns it, p99",
        spread: { value, low: Math.min(...delays), high: Math.max(...delays) },
        unit: "ms",
        goal: { most: 50 },
        detail: `p50 ${quantile(delays, 0.5).toFixed(1)} ms of ${rounds} answers`,
      },
    ];
  },
};

const question = {
  title: "Token refresh strategy?",
  context: "Sessions must survive a restart. See `src/auth.ts`.",
  options: [
    { label: "Rotation", consequence: "No schema change", recommended: true },
    { label: "Longer TTL", consequence: "Weaker security" },
  ],
};

async function client(cli: string, home: string) {
  const child: ChildProcess = spawn(process.execPath, [cli, "mcp", "--home", home], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (result: unknown) => void>();
  if (!child.stdout) throw new Error("no pipe");
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let last = 0;
  const request = (method: string, params: object): Promise<unknown> => {
    last += 1;
    const id = last;
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((done) => waiting.set(id, done));
  };
  const clientInfo = { name: "bench", version: "1" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return { child, call: (name: string, args: object) => request("tools/call", { name, arguments: args }) };
}
