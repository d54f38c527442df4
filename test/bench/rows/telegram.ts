import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { encode, encodeEdit, open } from "../../../channels/telegram.ts";
import { rowOf } from "../../../renderers/matrix.ts";
import { render } from "../../../renderers/render.ts";
import { silentLog } from "../../../src/app/log.ts";
import { startService } from "../../../src/app/service.ts";
import { questionView } from "../../../src/core/view.ts";
import type { Question, StoredQuestion } from "../../../src/domain/question.ts";
import { anAnswer, aQuestion, aQuestionId, aStored, evening } from "../../builders.ts";
import { type BotApi, startBotApi } from "../../telegram/bot-api.ts";
import { builtPage } from "../built.ts";
import { apart } from "../cores.ts";
import { benchConfig, benchDocument, mustAsk, newHome } from "../home.ts";
import { duration, type Figure, median, quantile, type Row, spreadOf } from "../measure.ts";

const blocks = 5;
const warmTaps = 200;
/** All at once, as after a night: what is taken in and shown in a second. */
const rushTaps = 600;
const steadyTaps = 150;
const steadyEveryMs = 20;
/** What was put off must not run in the other arm's time. */
const restMs = 1_000;

const owner = 5550100001;
const arms = {
  owlpost: { role: "telegramService", token: "7000000001:BENCH-only-not-a-token", chat: owner },
  grammy: { role: "telegramBot", token: "7000000002:BENCH-only-not-a-token", chat: 5550100002 },
} as const;
type Arm = keyof typeof arms;

/**
 * Tap → durable answer → toast and edit, beside grammY's own polling bot that stores nothing and makes the same two
 * calls. The server stands in this process, each bot in one of its own; they are measured by turns.
 */
export const telegram: Row = {
  name: "telegram",
  async run() {
    const api = await startBotApi();
    const watch = watchCalls(api);
    const children = new Map<Arm, ChildProcess>();
    for (const arm of ["owlpost", "grammy"] as const) {
      const { role, token, chat } = arms[arm];
      api.addBot(token, `${arm}_bot`);
      api.addPerson(chat, arm);
      const child = fork(process.argv[1] ?? "", [role, api.url]);
      await told(child);
      children.set(arm, child);
    }
    apart(
      process.pid,
      [...children.values()].map(({ pid }) => pid),
    );
    const measured = async (arm: Arm, taps: number, everyMs: number): Promise<Measured> => {
      const child = children.get(arm);
      if (!child) throw new Error(`${arm} does not run`);
      const before = api.messages(arms[arm].chat).length;
      const posted = told(child);
      child.send(taps);
      await posted;
      await sleep(restMs);
      const usedMs = cpuMsOf(child);
      const tapped = await tap(api, watch, arm, api.messages(arms[arm].chat).slice(before), everyMs);
      return { ...tapped, cpuMs: cpuMsOf(child) - usedMs };
    };
    const rush: Record<Arm, number[]> = { owlpost: [], grammy: [] };
    const cpu: Record<Arm, number[]> = { owlpost: [], grammy: [] };
    const steady: Record<Arm, number[][]> = { owlpost: [], grammy: [] };
    for (let block = -1; block < blocks; block += 1) {
      const order = block % 2 === 0 ? (["owlpost", "grammy"] as const) : (["grammy", "owlpost"] as const);
      for (const arm of order) {
        const { ms, each, cpuMs } = await measured(arm, block < 0 ? warmTaps : rushTaps, 0);
        if (block < 0) continue;
        rush[arm].push((1_000 * each.length) / ms);
        cpu[arm].push(cpuMs / each.length);
      }
      for (const arm of block < 0 ? [] : order) {
        steady[arm].push([...(await measured(arm, steadyTaps, steadyEveryMs)).each]);
      }
    }
    for (const child of children.values()) child.disconnect();
    await api.close();
    return [throughput(rush, cpu), latency(steady)];
  },
};

function throughput(rush: Record<Arm, number[]>, cpu: Record<Arm, number[]>): Figure {
  const told = (arm: Arm): string =>
    `${arm} ${Math.round(median(rush[arm]))}/s (${duration(median(cpu[arm]))} of CPU each)`;
  return {
    name: "taps with toast and edit / grammY without a store",
    spread: spreadOf(rush.owlpost.map((rate, block) => rate / (rush.grammy[block] ?? Number.NaN))),
    unit: "x",
    goal: { least: 1.2 },
    detail: `${told("owlpost")}, ${told("grammy")}; ${rushTaps} at once in one chat`,
  };
}

function latency(steady: Record<Arm, number[][]>): Figure {
  const told = (arm: Arm): string => {
    const all = steady[arm].flat();
    return `${arm} ${duration(median(all))} (p99 ${duration(quantile(all, 0.99))})`;
  };
  return {
    name: "p50 of a tap at 50/s / grammY's",
    spread: spreadOf(
      steady.owlpost.map((block, index) => median(block) / median(steady.grammy[index] ?? [])),
    ),
    unit: "x",
    goal: { most: 1.5 },
    detail: `${told("owlpost")}, ${told("grammy")}`,
  };
}

// ---- the phone ---------------------------------------------------------------------------------------------------

type Taps = { readonly ms: number; readonly each: readonly number[] };
type Measured = Taps & { readonly cpuMs: number };
type Watch = { seen: (method: string, chat: number, message: number) => void };

/** Instead of keeping every call, tells of it as the server does it. */
function watchCalls(api: BotApi): Watch {
  const watch: Watch = { seen: () => undefined };
  api.calls.push = (...calls) => {
    for (const { method, params, ok } of calls) {
      if (ok) watch.seen(method, Number(params.chat_id), Number(params.message_id));
    }
    return 0;
  };
  return watch;
}

/** Taps the first button of each message, and waits until each has its toast and its edit. */
async function tap(
  api: BotApi,
  watch: Watch,
  arm: Arm,
  messages: ReturnType<BotApi["messages"]>,
  everyMs: number,
): Promise<Taps> {
  const { chat, token } = arms[arm];
  const tappedAt = new Map<number, number>();
  const each: number[] = [];
  let toasts = 0;
  const done = new Promise<number>((finish) => {
    watch.seen = (method, of, message) => {
      if (method === "answerCallbackQuery") toasts += 1;
      const at = tappedAt.get(message);
      if (method === "editMessageText" && of === chat && at !== undefined) {
        each.push(performance.now() - at);
        tappedAt.delete(message);
      }
      if (each.length === messages.length && toasts === messages.length) finish(performance.now());
    };
  });
  const began = performance.now();
  for (const [index, { message_id, payloads }] of messages.entries()) {
    if (everyMs > 0) await sleep(began + index * everyMs - performance.now());
    tappedAt.set(message_id, performance.now());
    api.press(token, { chat, message: message_id, from: chat, data: [...payloads][0] ?? "" });
  }
  const ended = await done;
  watch.seen = () => undefined;
  return { ms: ended - began, each };
}

/** What a process has used of the processor, all its threads together; the kernel counts in steps of 10 ms. */
function cpuMsOf({ pid }: ChildProcess): number {
  // The name may hold anything, so fields are counted from its end.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return 10 * (Number(stat[11]) + Number(stat[12]));
}

function told(child: ChildProcess): Promise<unknown> {
  return new Promise((done, failed) => {
    const ended = (code: number | null): void => failed(new Error(`a bot ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      done(message);
    });
  });
}

// ---- the two bots ------------------------------------------------------------------------------------------------

/** A whole service whose one phone is at that server; posts as many questions as it is told. */
export async function telegramService(url: string): Promise<void> {
  const { token, chat } = arms.owlpost;
  const settings = { token, allow: [chat], api_root: url };
  const { owlpost, store, close } = await startService({
    home: newHome(),
    config: benchConfig({ deliver: ["telegram"], channels: { inbox: { port: 0 }, telegram: settings } }),
    log: silentLog,
    assets: await builtPage(),
    channels: new Map([["telegram", await open(settings)]]),
  });
  let n = 0;
  process.on("message", async (count: number) => {
    for (let left = count; left > 0; left -= 1) mustAsk(await owlpost.ask({ document: benchDocument(n++) }));
    while ((await store.questions({ states: ["pending"], limit: 1 })).length > 0) await sleep(100);
    process.send?.("posted");
  });
  process.once("disconnect", () => void close().then(() => process.exit(0)));
  process.send?.("ready");
}

/**
 * What everybody writes first with grammY: its own loop, nothing stored. It makes the very calls that the service makes,
 * so that neither the server nor the wire has less to do; their words lie ready and cost it nothing.
 */
export async function telegramBot(url: string): Promise<void> {
  const { Bot } = await import("grammy");
  const { token, chat } = arms.grammy;
  const bot = new Bot(token, { client: { apiRoot: url } });
  const edits = new Map<number, ReturnType<typeof encodeEdit>>();
  bot.on("callback_query:data", async (ctx) => {
    await ctx.answerCallbackQuery({ text: "✅ 1 — Refresh-token rotation", show_alert: false });
    const edit = edits.get(ctx.msgId ?? 0);
    if (edit) await ctx.editMessageText(edit.text, edit);
  });
  let n = 0;
  process.on("message", async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      const question = aQuestion({ ...(benchDocument(n++) as Partial<Question>), id: aQuestionId });
      const asked = aStored({ question });
      const answered = aStored({ question, state: "answered", answer: anAnswer(), outcome: "answered" });
      const shown = (stored: StoredQuestion) => render(questionView(stored, evening), rowOf("telegram"));
      const { text, ...rest } = encode(String(chat), shown(asked));
      const sent = await bot.api.sendMessage(chat, text, rest);
      edits.set(sent.message_id, encodeEdit(`${chat}:${sent.message_id}`, shown(answered)));
    }
    process.send?.("posted");
  });
  process.once("disconnect", () => process.exit(0));
  const allowed_updates = ["callback_query"] as const;
  await new Promise<void>((started) => void bot.start({ allowed_updates, onStart: () => started() }));
  process.send?.("ready");
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.max(0, ms)));
}
