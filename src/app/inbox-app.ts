import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { stream } from "hono/streaming";
import type { Instant } from "../domain/ids.ts";
import type { Owlpost } from "./api.ts";
import { parseDecision } from "./inbox-decision.ts";
import { ownOnly, refuse, secureHeaders } from "./inbox-guard.ts";
import type { Live } from "./inbox-live.ts";
import { answerPair, answerRevoke } from "./inbox-pairing.ts";
import { addReport } from "./inbox-report.ts";
import type { Sessions } from "./inbox-session.ts";
import type { Log } from "./log.ts";

const maxBodyBytes = 128 * 1024;
/** A browser opens six at most to one address; this leaves room for ten of them. */
const maxStreams = 60;

/** The built page, whole. */
export type Page = { readonly html: string; readonly script: string; readonly style: string };

export type AppParts = {
  readonly owlpost: Pick<Owlpost, "decide" | "pair" | "revoke" | "report">;
  readonly live: Live;
  readonly sessions: Sessions;
  readonly page: Page;
  readonly log: Log;
  readonly zone: string;
  readonly clock: () => Instant;
  readonly port: () => number;
};

/** Answers the requests to the local inbox. */
export function inboxListener(parts: AppParts): RequestListener {
  return getRequestListener(inboxApp(parts).fetch);
}

function inboxApp({ owlpost, live, sessions, page, log, zone, clock, port }: AppParts): Hono {
  const app = new Hono();
  app.use(secureHeaders);
  app.use(ownOnly(port));
  app.use(async (c, next) => {
    // hono answers HEAD by running the GET handler; a stream must not be opened for nothing.
    if (c.req.method === "HEAD" && c.req.path.startsWith("/api/")) return wrongMethod(c);
    return next();
  });
  app.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: (c) => refuse(c, 413, "too-large", "That is more than 128 KiB; shorten it."),
    }),
  );

  app.get("/", (c) => c.html(page.html));
  app.get("/inbox.js", (c) => c.body(page.script, 200, { "content-type": "text/javascript; charset=utf-8" }));
  app.get("/inbox.css", (c) => c.body(page.style, 200, { "content-type": "text/css; charset=utf-8" }));

  app.post("/api/session", async (c) => {
    const body = await readJson(c);
    const exchanged = await sessions.exchange(body?.token);
    if (exchanged.ok) return c.json({ session: exchanged.session });
    return unknownToken(c, exchanged.reason, "This link was used before, or it is older than 10 minutes.");
  });

  const signedIn = async (c: Context): Promise<Response | undefined> => {
    const admitted = await sessions.admit(c.req.header("authorization"));
    return admitted === "yes" ? undefined : unknownToken(c, admitted, "This page is not signed in any more.");
  };

  app.get("/api/state", async (c) => {
    const refused = await signedIn(c);
    if (refused) return refused;
    return c.body(await live.line(), 200, { "content-type": "application/json" });
  });

  app.get("/api/stream", async (c) => {
    const refused = await signedIn(c);
    if (refused) return refused;
    if (live.followers() >= maxStreams) {
      return refuse(c, 503, "too-many-pages", "Too many pages are open; close some and load this one again.");
    }
    const authorization = c.req.header("authorization");
    c.header("content-type", "application/x-ndjson; charset=utf-8");
    return stream(
      c,
      async (out) => {
        const gone = new AbortController();
        out.onAbort(() => gone.abort());
        const still = async (): Promise<boolean> => (await sessions.admit(authorization)) === "yes";
        await live.follow((line) => out.write(line), still, gone.signal);
      },
      async (error) => log.error({ err: error }, "a stream of the inbox broke"),
    );
  });

  addReport(app, owlpost, signedIn);

  app.post("/api/decide", async (c) => {
    const refused = await signedIn(c);
    if (refused) return refused;
    const decision = parseDecision(await readJson(c));
    if (!decision.ok) return refuse(c, 400, "bad-decision", decision.message);
    const ack = await owlpost.decide(decision.command, "inbox", decision.key);
    live.changed();
    return c.json(ack);
  });

  app.post("/api/pair", async (c) => {
    const refused = await signedIn(c);
    if (refused) return refused;
    const answer = await answerPair(c, await readJson(c), owlpost, zone, clock);
    live.changed();
    return answer;
  });

  app.post("/api/revoke", async (c) => {
    const refused = await signedIn(c);
    if (refused) return refused;
    const answer = await answerRevoke(c, await readJson(c), owlpost);
    live.changed();
    return answer;
  });

  app.all("/", wrongMethod);
  app.all("/inbox.js", wrongMethod);
  app.all("/inbox.css", wrongMethod);
  app.all("/report.css", wrongMethod);
  for (const path of ["session", "state", "stream", "report", "report.html", "decide", "pair", "revoke"])
    app.all(`/api/${path}`, wrongMethod);
  app.notFound((c) => refuse(c, 404, "no-such-page", "There is nothing at this address."));
  app.onError((error, c) => {
    log.error({ err: error, path: c.req.path }, "a request to the inbox failed");
    const told = error.name === "StoreError" ? error.message : "Something failed; the log says what.";
    return refuse(c, 500, "fault", told);
  });
  return app;
}

function wrongMethod(c: Context): Response {
  return refuse(c, 405, "wrong-method", `${c.req.method} does nothing here.`);
}

function unknownToken(c: Context, reason: "wrong" | "too-many", what: string): Response {
  return reason === "too-many"
    ? refuse(c, 429, "too-many-wrong-tokens", "Too many wrong links in one minute. Wait a minute, try again.")
    : refuse(c, 401, "unknown-token", `${what} Run \`owlpost inbox\` for a fresh link.`);
}

async function readJson(c: Context): Promise<Record<string, unknown> | undefined> {
  try {
    const body: unknown = await c.req.json();
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
