import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import type { Owlpost } from "./api.ts";
import type { Page } from "./inbox-app.ts";
import { openLive } from "./inbox-live.ts";
import { openSessions } from "./inbox-session.ts";
import type { Log } from "./log.ts";

export { newLink } from "./inbox-session.ts";

export type InboxOptions = {
  readonly owlpost: Owlpost;
  readonly store: Store;
  /** 0: any free port. */
  readonly port: number;
  readonly zone: string;
  /** The name of this machine, as it is logged. */
  readonly host: string;
  readonly log: Log;
  /** The folder that `buildPage` filled: index.html, inbox.js, inbox.css. */
  readonly assets: string;
  readonly now?: () => Instant;
};

export type Inbox = {
  readonly port: number;
  /** Something was committed: open pages get the new state. */
  changed(): void;
  close(): Promise<void>;
};

/**
 * Starts the local inbox on 127.0.0.1. Rejects when the page is not built or the port is taken; both errors say
 * what to do.
 */
export async function startInbox(options: InboxOptions): Promise<Inbox> {
  const { owlpost, store, zone, log } = options;
  const clock = options.now ?? Date.now;
  const page = openPage(options.assets);
  const sessions = openSessions(store, clock);
  const live = openLive({
    owlpost,
    store,
    zone,
    clock,
    failed: (error) => log.error({ err: error }, "the inbox could not read the state"),
  });
  let port = options.port;
  const server = createServer(
    whenAsked(async () => {
      const { inboxListener } = await import("./inbox-app.ts");
      return inboxListener({
        owlpost,
        live,
        sessions,
        page: page.read(),
        log,
        zone,
        clock,
        port: () => port,
      });
    }, log),
  );
  try {
    port = await listen(server, options.port);
  } catch (error) {
    page.close();
    throw error;
  }
  log.info({ port, host: options.host }, "the local inbox is open");
  return {
    port,
    changed: live.changed,
    async close() {
      page.close();
      live.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Streams end by themselves now; what is still there a moment later is cut.
      const cut = setTimeout(() => server.closeAllConnections(), 500);
      server.closeIdleConnections();
      await closed;
      clearTimeout(cut);
    },
  };
}

/**
 * What answers is loaded with the first request: it holds a tenth of the memory of a service whose page nobody opens,
 * because its phones suffice.
 */
function whenAsked(load: () => Promise<RequestListener>, log: Log): RequestListener {
  let listener: RequestListener | undefined;
  let loading: Promise<RequestListener> | undefined;
  return (request, response) => {
    if (listener) return listener(request, response);
    loading ??= load();
    loading.then(
      (loaded) => {
        listener = loaded;
        loaded(request, response);
      },
      (error: unknown) => {
        loading = undefined;
        log.error({ err: error }, "the local inbox could not be loaded");
        response.writeHead(500).end();
      },
    );
  };
}

/**
 * The page, which is read with the first request. Its files are held open until then: dist/ may be replaced under a
 * running service, and a page of another version would not understand it.
 */
function openPage(folder: string) {
  const files: number[] = [];
  const close = (): void => {
    for (const file of files.splice(0)) closeSync(file);
  };
  try {
    for (const name of ["index.html", "inbox.js", "inbox.css"]) files.push(openSync(join(folder, name), "r"));
  } catch (cause) {
    close();
    throw new Error(`the inbox's page is not built in ${folder}: run \`npm run build\``, { cause });
  }
  let page: Page | undefined;
  return {
    read(): Page {
      if (page) return page;
      const [html = "", script = "", style = ""] = files.map((file) => readFileSync(file, "utf8"));
      page = { html, script, style };
      close();
      return page;
    },
    close,
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const told =
        error.code === "EADDRINUSE"
          ? `port ${port} is in use, by another program or by owlpost for another home: set channels.inbox.port in config.yaml to a free one (0 takes any)`
          : error.code === "EACCES"
            ? `port ${port} may not be opened by this account: set channels.inbox.port to 1024 or higher`
            : `the inbox cannot listen on 127.0.0.1:${port}`;
      reject(new Error(told, { cause: error }));
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
