import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { rowOf } from "../../renderers/matrix.ts";
import { reached } from "../core/reached.ts";
import { isZone, localClock } from "../core/time.ts";
import { timeWords } from "../core/wording.ts";
import type { ChannelId, Instant } from "../domain/ids.ts";
import { type ServiceRecord, type Store, StoreError } from "../domain/store.ts";
import { openStore } from "../store/sqlite.ts";
import { checkChannel, withPeople } from "./channels.ts";
import { type Config, configErrorLines, loadConfig } from "./config.ts";
import { readRefusal, refusalText } from "./config-refusal.ts";
import { type Environment, openHome } from "./home.ts";
import { hooksFinding } from "./hook/settings-file.ts";
import { masked } from "./masked.ts";
import { routesOf } from "./route.ts";
import { isServiceAlive } from "./service-lock.ts";
import { inboxUrl } from "./watching.ts";

/** One line of the examination. `text` says what is so and, where it is not well, how to mend it; it holds no secret. */
export type Finding = {
  /** `store`, `clock`, `telegram token` … */
  readonly about: string;
  /** `warn`: it works, and yet it wants a look. */
  readonly level: "ok" | "warn" | "fail";
  readonly text: string;
};

export type DoctorOptions = {
  readonly home: string;
  readonly env: Environment;
  readonly now?: () => Instant;
};

const littleBytes = 200 * 1_048_576;
const fewestBytes = 20 * 1_048_576;
/** The platforms tell whole seconds, and an answer takes its time. */
const skewWarnMs = 10_000;
const skewFailMs = 120_000;
const jumpMs = 1_000;

const ok = (about: string, text: string): Finding => ({ about, level: "ok", text });
const warn = (about: string, text: string): Finding => ({ about, level: "warn", text });
const fail = (about: string, text: string): Finding => ({ about, level: "fail", text });

/**
 * Looks at everything that a night depends on. Nothing is sent to anybody and nothing is mended, but for the mode of a
 * home that stood open. Never rejects for what it finds.
 */
export async function examine(options: DoctorOptions): Promise<readonly Finding[]> {
  const { home, env, now = Date.now } = options;
  const beganAt = now();
  const began = performance.now();
  const opened = openHome(home);
  if (!opened.ok) return [fail("home", opened.message)];
  const mode =
    "tightened" in opened ? warn("home", `${home} stood open to others; it is closed now`) : ok("home", home);

  const loaded = await loadConfig(home, env);
  const config = loaded.ok ? loaded.config : undefined;
  const configured = loaded.ok
    ? [ok("configuration", loaded.config.file ?? "none: the defaults")]
    : configErrorLines(loaded.file, loaded.errors).map((line) => fail("configuration", line));

  const refusal = readRefusal(home);
  const refused = refusal ? [warn("configuration in force", refusalText(refusal, now()))] : [];

  const { findings: stored, store } = await storeFindings(home);
  try {
    const service = store ? await store.service() : undefined;
    const running = service && isServiceAlive(service) ? service : undefined;
    const asked = config ? await channelFindings(config, store) : { findings: [], aheadMs: [] };
    const jump = now() - beganAt - (performance.now() - began);
    return [
      mode,
      ...configured,
      ...refused,
      ...stored,
      ...(await diskFinding(home)),
      ...(config ? [zoneFinding(config, now())] : []),
      ...(config ? hookFindings(config, env) : []),
      clockFinding({ now: now(), jump, aheadMs: asked.aheadMs, newestAt: await newestAt(store) }),
      serviceFinding(running),
      ...(config ? [await portFinding(config, running)] : []),
      ...(config ? [reachFinding(config)] : []),
      ...(config && store && running ? await healthFindings(config, store, now()) : []),
      ...asked.findings,
    ];
  } finally {
    await store?.close();
  }
}

async function storeFindings(home: string): Promise<{ findings: readonly Finding[]; store?: Store }> {
  const file = join(home, "owlpost.db");
  if (!existsSync(file)) return { findings: [ok("store", "none yet: the first question makes it")] };
  let store: Store;
  try {
    store = await openStore(file);
  } catch (error) {
    return { findings: [fail("store", faultText(error))] };
  }
  try {
    const damage = await store.check();
    if (damage.length === 0) return { findings: [ok("store", "opens, and SQLite finds no damage")], store };
    const mend = "stop owlpost, keep the file aside, and put a backup in its place";
    return { findings: damage.map((line) => fail("store", `is damaged: ${line}. ${mend}`)), store };
  } catch (error) {
    return { findings: [fail("store", faultText(error))], store };
  }
}

/** What a fault of the store says is made for people; nobody knows what any other error holds. */
function faultText(error: unknown): string {
  return error instanceof StoreError ? error.message : "an unexpected error; see the log";
}

async function diskFinding(home: string): Promise<readonly Finding[]> {
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const text = `${Math.floor(free / 1_048_576).toLocaleString("en-US")} MiB free`;
  if (free >= littleBytes) return [ok("disk", text)];
  return [
    free < fewestBytes ? fail("disk", `${text}: free some space`) : warn("disk", `${text}: that is little`),
  ];
}

function hookFindings({ hookDeadlineMs }: Config, env: Environment): readonly Finding[] {
  const found = env.HOME ? hooksFinding(env.HOME, hookDeadlineMs) : undefined;
  return found ? [{ about: "hooks", ...found }] : [];
}

function zoneFinding(config: Config, at: Instant): Finding {
  const { zone, file } = config;
  if (!isZone(zone)) return fail("zone", `${zone} is no time zone known here: write zone into config.yaml`);
  const text = `${zone}, where it is ${localClock(at, zone)}`;
  const isUtc = /^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal|GMT)$/.test(zone);
  if (!isUtc || file !== undefined) return ok("zone", text);
  return warn(
    "zone",
    `${text}: the machine's own. Write zone into config.yaml if that is not the time on the wall`,
  );
}

type Clock = {
  readonly now: Instant;
  /** By how much the clock ran ahead of the time that went by while it was looked at, in milliseconds. */
  readonly jump: number;
  /** How far the clocks of others are ahead, in milliseconds. */
  readonly aheadMs: readonly number[];
  readonly newestAt: Instant | undefined;
};

function clockFinding({ now, jump, aheadMs, newestAt }: Clock): Finding {
  const mend = "Let the system keep the time (timedatectl set-ntp true)";
  const ahead = aheadMs.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0];
  if (ahead !== undefined && Math.abs(ahead) >= skewWarnMs) {
    const text = `is ${seconds(ahead)} ${ahead > 0 ? "behind" : "ahead of"} a platform's: deadlines come ${ahead > 0 ? "late" : "early"}. ${mend}`;
    return Math.abs(ahead) >= skewFailMs ? fail("clock", text) : warn("clock", text);
  }
  if (Math.abs(jump) >= jumpMs) {
    return warn("clock", `was set by ${seconds(jump)} while it was looked at. ${mend}`);
  }
  if (newestAt !== undefined && newestAt - now >= jumpMs) {
    return warn("clock", `went back: the newest event is ${seconds(newestAt - now)} from now. ${mend}`);
  }
  return ok(
    "clock",
    ahead === undefined ? "runs evenly; nobody outside was there to compare it with" : "is right",
  );
}

function seconds(ms: number): string {
  const whole = Math.round(Math.abs(ms) / 1_000);
  return whole < 120 ? `${whole} s` : `${Math.round(whole / 60).toLocaleString("en-US")} min`;
}

async function newestAt(store: Store | undefined): Promise<Instant | undefined> {
  if (!store) return undefined;
  try {
    const last = await store.lastEvent();
    return (await store.events(last - 1, 1))[0]?.at;
  } catch {
    // That the store cannot be read is said already.
    return undefined;
  }
}

function serviceFinding(running: ServiceRecord | undefined): Finding {
  if (!running) {
    return warn(
      "service",
      "is not running: nothing is sent and nothing comes in. Start it with owlpost serve",
    );
  }
  const where = running.host === hostname() ? "" : ` on ${running.host}`;
  return ok("service", `runs${where} (process ${running.pid})`);
}

async function portFinding(config: Config, running: ServiceRecord | undefined): Promise<Finding> {
  const about = "inbox";
  const port = Number(config.channels.inbox?.port ?? 0);
  if (running?.port !== undefined) {
    const url = inboxUrl(running.port);
    if (running.host !== hostname()) return ok(about, `is served on ${running.host}; look from there`);
    if (!(await answers(url)))
      return fail(about, `${url} does not answer: stop the service and start it again`);
    return port === 0 || port === running.port
      ? ok(about, `answers at ${url}`)
      : warn(about, `answers at ${url}, and the configuration says port ${port}: start the service again`);
  }
  if (running) return warn(about, "the running service serves no page");
  const refused = port === 0 ? undefined : await bindError(port);
  if (refused === undefined) return ok(about, port === 0 ? "takes any free port" : `port ${port} is free`);
  const why =
    refused === "EADDRINUSE" ? "is taken by another program: stop that one" : `cannot be used (${refused})`;
  return fail(about, `port ${port} ${why}, or set channels.inbox.port`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const { ok: fine, body } = await fetch(url, { signal: AbortSignal.timeout(3_000) });
    await body?.cancel();
    return fine;
  } catch {
    return false;
  }
}

function bindError(port: number): Promise<string | undefined> {
  return new Promise((tell) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => tell(error.code ?? "unknown error"));
    probe.listen(port, "127.0.0.1", () => probe.close(() => tell(undefined)));
  });
}

function reachFinding(config: Config): Finding {
  const ringing = config.deliver.filter((id) => rowOf(id).rings);
  return ringing.length > 0
    ? ok("reach", `${ringing.join(", ")} may ring`)
    : warn(
        "reach",
        "nothing that is configured rings: a question waits until somebody looks. Add a channel such as telegram",
      );
}

/** How the running service finds its channels. */
async function healthFindings(config: Config, store: Store, at: Instant): Promise<readonly Finding[]> {
  const health = await store.health().catch(() => []);
  const routes = routesOf(config, await store.bindings().catch(() => []));
  return health
    .filter(({ channel }) => config.deliver.includes(channel))
    .map((each) => reached(each, routes))
    .flatMap(({ channel, up, since, detail }) => {
      const said = masked(detail ?? "no reason is known", config);
      if (!up) return [fail(`${channel} line`, `down since ${timeWords(since, config.zone, at)}: ${said}`)];
      return detail === undefined ? [] : [warn(`${channel} line`, said)];
    });
}

async function channelFindings(config: Config, store: Store | undefined) {
  const ids = Object.keys(config.channels);
  // That the store cannot be read is said already.
  const bindings = (await store?.bindings().catch(() => [])) ?? [];
  const all = await Promise.all(ids.map((id) => findingsOf(withPeople(config, id, bindings), id)));
  return {
    findings: all.flatMap(({ findings }) => findings),
    aheadMs: all.flatMap(({ aheadMs }) => aheadMs),
  };
}

async function findingsOf(config: Config, id: ChannelId) {
  // A page reads the store itself, whatever is delivered.
  const idle =
    config.deliver.includes(id) || rowOf(id).inbound === "page"
      ? []
      : [warn(id, "is configured, and not in deliver: it gets no questions and hears no answers")];
  try {
    const found = await checkChannel(config, id);
    const findings = found.map(({ name, ok: fine, warn: look, text }) => {
      const level = fine ? (look ? "warn" : "ok") : "fail";
      return { about: `${id} ${name}`, level, text: masked(text, config) } as const;
    });
    return {
      findings: [...idle, ...findings],
      aheadMs: found.flatMap(({ aheadMs }) => (aheadMs === undefined ? [] : [aheadMs])),
    };
  } catch {
    // Nobody knows what the error holds.
    return { findings: [...idle, fail(id, "could not be checked: an unexpected error")], aheadMs: [] };
  }
}
