import { open, type Settings } from "../../channels/github.ts";
import { aConfig, aTools } from "../builders.ts";
import { conversing } from "../conversing.ts";
import { aHome, aService, until } from "../homes.ts";
import { aGitHub, bot, issue, quick, repository, shown, someSettings } from "./desk.ts";

export type Talk = Awaited<ReturnType<typeof aTalk>>;

/** The real service with the real adapter against the strict server, driven by comments. The clock stands until it is moved. */
export async function aTalk(changes: Partial<Settings> = {}, config: Parameters<typeof aConfig>[0] = {}) {
  const { api, clock } = await aGitHub();
  const home = aHome();
  const github = someSettings(api, changes);
  const start = async () =>
    aService({
      home,
      now: clock.now,
      config: aConfig({ deliver: ["github"], channels: { inbox: { port: 0 }, github }, ...config }),
      channels: new Map([
        ["github", await open(github, aTools({ now: clock.now }), { ...quick, callMs: 400, mendMs: 20 })],
      ]),
    });
  let service = await start();
  const ours = () => api.comments(repository, issue).filter(({ login }) => login === bot.login);
  /** As they read on the page: without escapes and without what nobody sees. */
  const texts = () =>
    ours().map(({ body }) =>
      shown(body)
        .replaceAll("\u2060", "")
        .replace(/\\([^\w\s])/g, "$1")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">"),
    );

  const owl = conversing(() => service, clock);
  return {
    ...owl,
    api,
    clock,
    get service() {
      return service;
    },
    ours,
    /** What owlpost's comments say, the oldest first. */
    texts,
    async restarts(meanwhile: () => void = () => undefined): Promise<void> {
      await service.close();
      meanwhile();
      service = await start();
    },
    asks: (document: Record<string, unknown> = {}) =>
      owl.asks({ default: { action: "skip_spec", at: "20h" }, ...document }),
    /** Somebody comments; returns the id of the comment. */
    says: (login: string, text: string): number => api.say(repository, issue, login, text),
    /** A comment of ours that holds every part stands there, now or soon. */
    async sees(...parts: (string | RegExp)[]): Promise<string> {
      const holds = (text: string) =>
        parts.every((part) => (typeof part === "string" ? text.includes(part) : part.test(text)));
      const all = await until(texts, (each) => each.some(holds)).catch(() => {
        throw new Error(`nobody sees ${parts.join(" + ")}; there stands:\n${texts().join("\n---\n")}`);
      });
      return all.find(holds) ?? "";
    },
    /** Everything that was said by now has been read. */
    async hears(): Promise<void> {
      const before = api.calls.length;
      await until(
        () => api.calls.slice(before).filter(({ kind, status }) => kind === "list" && status === 304).length,
        (count) => count > 0,
      );
      await service.settle();
    },
    health: async () => (await service.owlpost.status()).channels.find(({ channel }) => channel === "github"),
  };
}
