import { type ChildProcess, fork } from "node:child_process";
import { open } from "../../channels/telegram.ts";
import { newLink } from "../../src/app/inbox-server.ts";
import { silentLog } from "../../src/app/log.ts";
import { startService } from "../../src/app/service.ts";
import { type BotApi, startBotApi } from "../telegram/bot-api.ts";
import { builtPage } from "./built.ts";
import { benchConfig, benchDocument, mustAsk, newHome } from "./home.ts";
import { monotonic } from "./measure.ts";

export const token = "7000000001:BENCH-only-not-a-token";
export const owners = [5550100001, 5550100002] as const;

export type Posted = { readonly id: string; readonly messages: readonly [chat: number, message: number][] };
export type Phones = {
  readonly api: BotApi;
  readonly home: string;
  /** Where the local inbox is, and who may use it. */
  readonly inbox: { readonly port: number; readonly session: string };
  /** Asks so many questions, and waits until they stand on both phones. */
  ask(count: number): Promise<readonly Posted[]>;
  /** A pairing code is live from then on. */
  pair(): Promise<void>;
  /** When each of these messages was edited for the first time from now on; resolves with the latest, as `monotonic` counts. */
  edited(messages: Posted["messages"]): Promise<number>;
  /** When that tap had its toast. */
  toasted(query: string): Promise<number>;
  close(): Promise<void>;
};

/** The strict Bot API server with two owners in this process, and a whole service in one of its own. */
export async function startPhones(): Promise<Phones> {
  const api = await startBotApi();
  api.addBot(token, "owlpost_bench_bot");
  for (const owner of owners) api.addPerson(owner, `owner ${owner}`);
  const waiting = new Map<string, (at: number) => void>();
  // Instead of keeping every call, tells of it as the server does it.
  api.calls.push = (...calls) => {
    for (const { method, params, ok } of calls) {
      const what =
        method === "editMessageText"
          ? `${params.chat_id}:${params.message_id}`
          : method === "answerCallbackQuery"
            ? String(params.callback_query_id)
            : "";
      if (ok) waiting.get(what)?.(monotonic());
    }
    return 0;
  };
  const happens = (what: string): Promise<number> =>
    new Promise((done) => {
      waiting.set(what, (at) => {
        waiting.delete(what);
        done(at);
      });
    });
  const home = newHome();
  const child = fork(process.argv[1] ?? "", ["phonesService", JSON.stringify({ home, url: api.url })]);
  const { port, token: link } = (await told(child)) as { port: number; token: string };
  const { session } = await postJson<{ session: string }>(port, "/api/session", { token: link });

  return {
    api,
    home,
    inbox: { port, session },
    async ask(count) {
      const asked = told(child);
      child.send({ ask: count });
      const ids = (await asked) as readonly string[];
      return ids.map((id) => ({
        id,
        messages: owners.map((chat) => {
          const message = api.messages(chat).findLast(({ payloads }) => payloads.has(`o1|${id}|1`));
          return [chat, message?.message_id ?? 0] as [number, number];
        }),
      }));
    },
    async pair() {
      const paired = told(child);
      child.send({ pair: true });
      await paired;
    },
    edited: async (messages) =>
      Math.max(...(await Promise.all(messages.map(([chat, message]) => happens(`${chat}:${message}`))))),
    toasted: happens,
    async close() {
      child.removeAllListeners("exit");
      child.disconnect();
      await api.close();
    },
  };
}

/** The service of it, in its own process. */
export async function phonesService(given: string): Promise<void> {
  const { home, url } = JSON.parse(given) as { home: string; url: string };
  const telegram = { token, allow: [...owners], api_root: url };
  const { owlpost, store, port, close } = await startService({
    home,
    config: benchConfig({
      deliver: ["telegram", "inbox"],
      channels: { inbox: { port: 0 }, telegram },
    }),
    log: silentLog,
    assets: await builtPage(),
    channels: new Map([["telegram", await open(telegram)]]),
  });
  let n = 0;
  const ask = async (count: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let left = count; left > 0; left -= 1) {
      ids.push(mustAsk(await owlpost.ask({ document: benchDocument(n++) })).id);
    }
    while ((await store.nextJobAt()) !== undefined) await new Promise((next) => setTimeout(next, 50));
    return ids;
  };
  process.on("message", async (wanted: { ask?: number }) => {
    if (wanted.ask !== undefined) return process.send?.(await ask(wanted.ask));
    const paired = await owlpost.pair({ name: "mara", role: "member", channel: "telegram" });
    if (!paired.ok) throw new Error(paired.message);
    process.send?.("paired");
  });
  process.once("disconnect", () => void close().then(() => process.exit(0)));
  const link = new URL(await newLink(store, port ?? 0, Date.now()));
  process.send?.({ port, token: link.hash.slice("#token=".length) });
}

export async function postJson<Value>(
  port: number,
  path: string,
  body: unknown,
  session?: string,
): Promise<Value> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      origin: `http://127.0.0.1:${port}`,
      "content-type": "application/json",
      ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the inbox answered ${response.status}`);
  return (await response.json()) as Value;
}

/** The next thing that a process tells. */
export function told(child: ChildProcess): Promise<unknown> {
  return new Promise((done, failed) => {
    const ended = (code: number | null): void => failed(new Error(`a process ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      done(message);
    });
  });
}
