import { type ChildProcess, fork } from "node:child_process";
import { neededScopes, open, settings } from "../../../channels/slack.ts";
import { silentLog } from "../../../src/app/log.ts";
import { startService } from "../../../src/app/service.ts";
import { aTools } from "../../builders.ts";
import { type SlackServer, startSlack } from "../../slack/slack-server.ts";
import type { Envelope } from "../../slack/socket-mode.ts";
import { botUser, type Message, team } from "../../slack/workspace.ts";
import { builtPage } from "../built.ts";
import { benchConfig, benchDocument, mustAsk, newHome } from "../home.ts";
import { duration, type Figure, median, quantile, type Row, spreadOf } from "../measure.ts";
import { told } from "../phone.ts";

const botToken = "xoxb-7000000001-BENCH-only-not-a-token";
const appToken = "xapp-1-A0FAKEOWL1-BENCH-only-not-a-token";
const eric = "U0FAKEERIC";
const mara = "U0FAKEMARA";
const ops = "C0FAKEOPS1";

const blocks = 4;
const seconds = 5;
const perSecond = 200;
/** One a block of ten events is tapped; each is tapped again and again. */
const questions = 40;
const restMs = 1_000;

/**
 * From an envelope to its ack, which waits for our commit, while a team is loud: half is talk in the channel, a third is
 * words in the threads of questions, the rest are taps and answers with their receipts and edits.
 */
export const slack: Row = {
  name: "slack",
  async run() {
    const server = await startSlack();
    server.addToken(botToken, "bot", Object.keys(neededScopes));
    server.addToken(appToken, "app", ["connections:write"]);
    server.addPerson(eric, "eric");
    server.addPerson(mara, "mara");
    server.addChannel(ops, "nightjar-ops", [eric, mara, botUser]);
    const child = fork(process.argv[1] ?? "", ["slackService", server.url]);
    await told(child);
    const committed: number[][] = [];
    const all: number[][] = [];
    for (let block = -1; block < blocks; block += 1) {
      const posted = await asked(server, child);
      const before = server.sockets.envelopes.length;
      await evening(server, posted);
      const envelopes = server.sockets.envelopes.slice(before);
      if (block < 0) continue;
      all.push(envelopes.map(waited));
      committed.push(envelopes.filter(isStored).map(waited));
    }
    const misuses = server.misuses();
    child.removeAllListeners("exit");
    child.disconnect();
    await server.close();
    if (misuses.length > 0) throw new Error(`Slack frowns: ${misuses.slice(0, 3).join("; ")}`);
    return [
      figure(`p99 of an envelope's ack at ${perSecond} events a second`, all),
      figure("p99 of those that are stored first", committed),
    ];
  },
};

function figure(name: string, waits: readonly (readonly number[])[]): Figure {
  const flat = waits.flat();
  return {
    name,
    spread: spreadOf(waits.map((block) => quantile(block, 0.99))),
    unit: "ms",
    goal: { most: 300 },
    detail: `p50 ${duration(median(flat))}, slowest ${duration(Math.max(...flat))}, ${flat.length} envelopes`,
  };
}

/** An envelope that was never acked, or came twice, is no better than one that waited for ever. */
function waited({ state, attempt, tookMs }: Envelope): number {
  return state === "acked" && attempt === 0 && tookMs !== undefined ? tookMs : Number.POSITIVE_INFINITY;
}

/** Taps, and what is said in a thread of ours. */
function isStored({ kind, payload }: Envelope): boolean {
  const event = payload.event as { parent_user_id?: string; bot_id?: string } | undefined;
  return kind !== "events_api" || (event?.parent_user_id !== undefined && event.bot_id === undefined);
}

async function asked(server: SlackServer, child: ChildProcess): Promise<readonly Message[]> {
  const before = server.workspace.room(ops).messages.length;
  const posted = told(child);
  child.send(questions);
  await posted;
  await sleep(restMs);
  return server.workspace.room(ops).messages.slice(before);
}

async function evening(server: SlackServer, posted: readonly Message[]): Promise<void> {
  const { people } = server;
  const began = performance.now();
  for (let n = 0; n < seconds * perSecond; n += 1) {
    await sleep(began + (n * 1_000) / perSecond - performance.now());
    const question = posted[Math.floor(n / 10) % posted.length];
    if (!question) throw new Error("nothing was posted");
    const step = n % 10;
    const thread = { in: ops, thread: question.ts };
    if (step < 5) people.says(mara, `talk ${n}, which is meant for others`, { in: ops });
    else if (step < 8) people.says(mara, `I am not so sure about ${n}`, thread);
    else if (step < 9) people.taps(eric, question, ({ value }) => value.endsWith("|1"));
    else people.says(eric, n % 20 < 10 ? "2" : "!steer mind the cache", thread);
  }
  await sleep(restMs);
}

/** The service of it, in its own process. */
export async function slackService(url: string): Promise<void> {
  const given = settings.parse({
    bot_token: botToken,
    app_token: appToken,
    channel: ops,
    allow: [`${team}/${eric}`],
    api_url: url,
  });
  const { owlpost, store, close } = await startService({
    home: newHome(),
    config: benchConfig({ deliver: ["slack"], channels: { inbox: { port: 0 }, slack: given } }),
    log: silentLog,
    assets: await builtPage(),
    channels: new Map([["slack", await open(given, aTools({ now: Date.now }))]]),
  });
  let n = 0;
  process.on("message", async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      mustAsk(await owlpost.ask({ document: benchDocument(n++) }));
    }
    while ((await store.nextJobAt()) !== undefined) await sleep(50);
    process.send?.("asked");
  });
  process.once("disconnect", () => void close().then(() => process.exit(0)));
  process.send?.("ready");
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.max(0, ms)));
}
