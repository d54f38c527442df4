import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { rowOf } from "../../renderers/matrix.ts";
import { notice } from "../core/notice.ts";
import { ownerRoutes } from "../core/people.ts";
import type { AnswerChannel } from "../domain/channel.ts";
import type { Instant } from "../domain/ids.ts";
import type { ServiceRecord, Store } from "../domain/store.ts";
import { openStore } from "../store/sqlite.ts";
import { type Airlock, startAirlock } from "./airlock/airlock.ts";
import type { Owlpost } from "./api.ts";
import { openChannels } from "./channels.ts";
import { coalesce } from "./coalesce.ts";
import type { Config } from "./config.ts";
import { trackHealth } from "./health.ts";
import { type Inbox, startInbox } from "./inbox-server.ts";
import { startLastWords } from "./last-word.ts";
import type { Log } from "./log.ts";
import { openNights } from "./nights.ts";
import { watchOutages } from "./outage.ts";
import { openOwlpost } from "./owlpost.ts";
import { type Poller, startPoller } from "./poller.ts";
import { projectFor } from "./project.ts";
import { reopener } from "./reopen.ts";
import { elsewhereOf, placesOf, routerOf, rowsOf } from "./route.ts";
import { openRush } from "./rush.ts";
import { startSender } from "./sender.ts";
import { isServiceAlive, processStart } from "./service-lock.ts";
import { listenPath, openServiceSocket } from "./service-socket.ts";
import { startSweeper } from "./sweeper.ts";
import { channelTools } from "./tokens.ts";

export type ServiceOptions = {
  readonly home: string;
  readonly config: Config;
  readonly log: Log;
  /** The folder of the built page; absent: the page is not served. */
  readonly assets?: string;
  readonly now?: () => Instant;
  readonly random?: () => number;
  /** Take the place of a service on another host, which cannot be looked at from here. */
  readonly takeOver?: boolean;
  /** Resolves when the start need not wait any longer for what came in meanwhile. */
  readonly stopped?: Promise<unknown>;
  /** Called every few seconds, at the look at the store. */
  readonly onLook?: () => void;
  /** The channels, instead of those that the configuration names. */
  readonly channels?: ReadonlyMap<string, AnswerChannel>;
};

export type Service = {
  readonly owlpost: Owlpost;
  readonly store: Store;
  /** The port of the local inbox; undefined where it is not configured. */
  readonly port: number | undefined;
  /** Sweeps, sends, and mirrors until nothing is left to do now. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

/** Another service holds this home. */
export class HomeTakenError extends Error {
  override readonly name = "HomeTakenError";
}

/** How long a starting service waits for what came in while it was away, before it lets deadlines run out. */
const backlogMs = 30_000;
/** … and before it sends what waits: a question that was answered meanwhile is not asked any more. */
const firstLookMs = 2_000;
/** Files and deadlines follow a commit this much later, so that a burst of answers gets its toasts and edits first … */
const followMs = 300;
/** … but not later than this, however long the burst goes on. */
const followWithinMs = 2_000;
/** The safety net under the nudges: how often the store is asked whether somebody committed. */
const lookMs = 3_000;

/** Starts the one process that owns the channels of a home. Rejects with `HomeTakenError` when there is one. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { home, config, log } = options;
  const now = options.now ?? Date.now;
  const random = options.random ?? Math.random;
  const store = await openStore(join(home, "owlpost.db"));
  const closing: (() => Promise<void>)[] = [() => store.close()];
  // One part that cannot end in order (the disk is full) keeps no other part open.
  const closeAll = async (): Promise<void> => {
    const faults: unknown[] = [];
    for (const close of closing.splice(0).reverse()) {
      await close().catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  };

  try {
    const token = randomUUID();
    const record: ServiceRecord = {
      pid: process.pid,
      startedAt: processStart(process.pid) ?? "",
      token,
      host: hostname(),
      socket: listenPath(home),
      port: undefined,
      sinceAt: now(),
    };
    await hold(store, record, home, options.takeOver ?? false);
    closing.push(() => store.releaseService(token));

    let wakeAll: () => void = () => undefined;
    const onCommit = (): void => wakeAll();
    const owlpost = await openOwlpost({ home, config, now, store, onCommit });
    const channels = options.channels ?? (await openChannels(config, await channelTools(store, now)));
    closing.push(async () => {
      await Promise.allSettled([...channels.values()].map((channel) => channel.close()));
    });
    const earlier = await store.health();
    const health = trackHealth(store, now, earlier);
    // A channel that fetches nothing is up once it is open; the others show it with their first poll.
    for (const channel of channels.values()) if (!channel.poll) await health.up(channel.id);

    const inbox = await openInbox(options, owlpost, store, now);
    if (inbox) {
      closing.push(() => inbox.close());
      await hold(store, { ...record, port: inbox.port }, home, false);
    }

    const rush = openRush(followMs, followWithinMs, () => performance.now());
    const router = () => routerOf(config, store);
    const onReopened = reopener({ store, health, router, now, onCommit });
    const onShown = rush.note;
    const sender = startSender({
      store,
      channels,
      health,
      log,
      now,
      random,
      night: config.night,
      rows: rowsOf(config),
      elsewhere: elsewhereOf(config),
      onCommit,
      onShown,
      onReopened,
    });
    closing.push(() => sender.close());
    const sweeper = startSweeper({
      store,
      log,
      now,
      nights: openNights({ store, config, onCommit }),
      onCommit,
    });
    closing.push(() => sweeper.close());
    // Both let deadlines pass (a take request sweeps, too), so both wait for the backlog.
    let airlock: Airlock | undefined;
    let caughtUp = false;

    wakeAll = () => {
      sender.wake();
      inbox?.changed();
      followers.wake();
    };
    const followers = coalesce(followMs, followWithinMs, () => {
      if (caughtUp) sweeper.wake();
      void airlock?.poke();
    });
    closing.push(async () => followers.close());
    const socket = await openServiceSocket({ home, owlpost, log, onNudge: onCommit });
    closing.push(() => socket.close());

    await store.append(
      [{ type: "log", event: { kind: "service.started", data: { pid: process.pid } } }],
      now(),
    );
    closing.push(() =>
      store.append([{ type: "log", event: { kind: "service.stopped", data: { pid: process.pid } } }], now()),
    );

    const pollers = [...channels.values()].map(
      (channel): Poller =>
        startPoller({
          channel,
          store,
          health,
          log,
          now,
          random,
          onCommit,
          project: projectFor({ config }),
          zone: config.zone,
          onAnswers: (questions, known) => {
            if (questions.length > 0) rush.note();
            sender.answered(questions, known);
          },
          places: placesOf(config),
          night: config.night,
          onReopened,
          isPlace: async (id, chat) =>
            (await router())().some((each) => each.channel === id && each.destination === chat),
          onWarning: async (text) => {
            const owners = ownerRoutes(placesOf(config), await store.bindings());
            await store.append(notice("channel", text, owners), now());
            onCommit();
          },
          onReceive: watchOutages({
            store,
            health,
            channel,
            pressMs: rowOf(channel.id).retention.pressMs,
            zone: config.zone,
            lastReceiveAt: earlier.find((each) => each.channel === channel.id)?.lastReceiveAt,
            now,
            onCommit,
          }),
        }),
    );
    closing.push(async () => {
      await Promise.all(pollers.map((poller) => poller.close()));
    });
    // Answers that came in time but were not fetched yet must not lose to their deadline.
    const backlog = Promise.all(pollers.map((poller) => poller.backlog));
    // A line that is dead holds up the deadlines, and no message of another.
    void Promise.race([backlog, wait(firstLookMs)]).then(() => sender.wake());
    await Promise.race([backlog, wait(backlogMs), ...(options.stopped ? [options.stopped] : [])]);
    caughtUp = true;
    const lastWords = startLastWords({ store, channels, log, now, zone: config.zone, night: config.night });
    closing.push(() => lastWords.close());
    const files = startAirlock({ owlpost, store, config, home, log, rushMs: rush.leftMs });
    airlock = files;
    closing.push(() => files.close());

    let seen = store.dataVersion();
    const look = setInterval(() => {
      options.onLook?.();
      const version = store.dataVersion();
      if (version === seen) return;
      seen = version;
      wakeAll();
    }, lookMs);
    closing.push(async () => clearInterval(look));
    wakeAll();

    return {
      owlpost,
      store,
      port: inbox?.port,
      async settle(): Promise<void> {
        await sweeper.run();
        await sender.settled();
        await files.settle();
        await sender.settled();
      },
      close: closeAll,
    };
  } catch (error) {
    await closeAll().catch(() => undefined);
    throw error;
  }
}

async function hold(store: Store, record: ServiceRecord, home: string, takeOver: boolean): Promise<void> {
  const holder = await store.acquireService(record, (other) => {
    if (other.token === record.token || (takeOver && other.host !== record.host)) return false;
    return isServiceAlive(other);
  });
  if (!holder) return;
  if (holder.host === record.host) {
    throw new HomeTakenError(
      `owlpost already runs for ${home} (process ${holder.pid}); stop that one first, or use another --home`,
    );
  }
  throw new HomeTakenError(
    `owlpost already runs for ${home} on ${holder.host} (process ${holder.pid}); stop it there, or, when that machine is gone or renamed, start with --take-over`,
  );
}

async function openInbox(
  options: ServiceOptions,
  owlpost: Owlpost,
  store: Store,
  now: () => Instant,
): Promise<Inbox | undefined> {
  const settings = options.config.channels.inbox;
  const { config, log, assets } = options;
  if (!settings || assets === undefined) return undefined;
  const port = typeof settings.port === "number" ? settings.port : 7373;
  return startInbox({ owlpost, store, port, zone: config.zone, host: hostname(), log, assets, now });
}

function wait(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms).unref();
  });
}
