import type { InboxState } from "../app/inbox-state.ts";
import { authorization } from "./session.ts";

/** `gone`: several attempts in a row found nobody. */
export type Connection = "live" | "reconnecting" | "gone";

export type Listener = {
  state(state: InboxState): void;
  connection(connection: Connection): void;
  signedOut(message: string): void;
};

const silenceMs = 45_000;
const goneAfter = 3;
const firstWaitMs = 400;
const longestWaitMs = 10_000;
/** A page out of sight gives its connection back: a browser opens only six to one address. */
const hiddenMs = 60_000;
const hiddenPollMs = 30_000;

/** Keeps the page fed until it is signed out. */
export async function follow(listener: Listener): Promise<void> {
  let failures = 0;
  for (;;) {
    if (longHidden()) {
      const polled = await poll(listener);
      if (polled === "signed-out") return;
      await wakeable(hiddenPollMs);
      continue;
    }
    const started = await readStream(listener, () => {
      failures = 0;
      listener.connection("live");
    });
    if (started === "signed-out") return;
    if (started === "hidden") continue;
    failures += 1;
    listener.connection(failures > goneAfter ? "gone" : "reconnecting");
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
    await wakeable(wait * (0.75 + Math.random() / 2));
  }
}

async function readStream(listener: Listener, live: () => void): Promise<"ended" | "hidden" | "signed-out"> {
  const abort = new AbortController();
  let why: "ended" | "hidden" = "ended";
  let silence = setTimeout(() => abort.abort(), silenceMs);
  let hide: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = (): void => {
    clearTimeout(hide);
    if (!document.hidden) return;
    hide = setTimeout(() => {
      why = "hidden";
      abort.abort();
    }, hiddenMs);
  };
  document.addEventListener("visibilitychange", onVisibility);
  onVisibility();
  try {
    const response = await fetch("/api/stream", {
      headers: authorization(),
      cache: "no-store",
      signal: abort.signal,
    });
    if (response.status === 401) {
      listener.signedOut(await messageOf(response));
      return "signed-out";
    }
    if (!response.ok || !response.body) return "ended";
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "ended";
      live();
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), silenceMs);
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      // Several states that came at once: only the last one is true.
      const last = lines.findLast((line) => line !== "");
      if (last !== undefined) listener.state(JSON.parse(last) as InboxState);
    }
  } catch {
    return why;
  } finally {
    clearTimeout(silence);
    clearTimeout(hide);
    document.removeEventListener("visibilitychange", onVisibility);
  }
}

async function poll(listener: Listener): Promise<"ok" | "signed-out"> {
  try {
    const response = await fetch("/api/state", { headers: authorization(), cache: "no-store" });
    if (response.status === 401) {
      listener.signedOut(await messageOf(response));
      return "signed-out";
    }
    if (!response.ok) return "ok";
    listener.state((await response.json()) as InboxState);
    listener.connection("live");
  } catch {
    listener.connection("reconnecting");
  }
  return "ok";
}

async function messageOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const message = typeof body === "object" && body !== null ? Reflect.get(body, "message") : undefined;
  return typeof message === "string" ? message : "Run `owlpost inbox` for a fresh link.";
}

let hiddenSince = document.hidden ? Date.now() : undefined;
document.addEventListener("visibilitychange", () => {
  hiddenSince = document.hidden ? Date.now() : undefined;
});

function longHidden(): boolean {
  return hiddenSince !== undefined && Date.now() - hiddenSince >= hiddenMs;
}

/** Waits, but no longer than until the page is looked at again or the network is back. */
function wakeable(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
      window.removeEventListener("online", done);
      resolve();
    };
    const onVisibility = (): void => {
      if (!document.hidden) done();
    };
    const timer = setTimeout(done, ms);
    document.addEventListener("visibilitychange", onVisibility);
    window.addEventListener("online", done);
  });
}
