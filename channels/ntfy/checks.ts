import { ChannelError, type Check } from "../../src/domain/channel.ts";
import { abilityOf, probe } from "./ability.ts";
import { askBudget, budgetWarning } from "./budget.ts";
import { usualPace } from "./last-word.ts";
import type { Line } from "./line.ts";
import type { Settings } from "./settings.ts";

type Found = Omit<Check, "name" | "ok"> & { readonly ok?: boolean };
type Right = "read" | "write";
/** Absent: nobody's, as whoever knows the name of the topic may ask. */
type Token = string | undefined;

/**
 * Which settings are right, as far as the server can tell. No message is sent to a topic that anybody reads: whether a token
 * may write is asked with a message that is wrong in itself, which is refused after the token was looked at.
 */
export async function checkServer(
  line: Line,
  given: Settings,
  signal: AbortSignal,
  callMs: number,
): Promise<readonly Check[]> {
  const found: Check[] = [];
  const check = async (name: string, look: () => Promise<Found>): Promise<boolean> => {
    try {
      const { ok = true, ...rest } = await look();
      found.push({ name, ok, ...rest });
      return ok;
    } catch (error) {
      const text = error instanceof ChannelError ? error.message : "an unexpected error";
      found.push({ name, ok: false, text });
      return false;
    }
  };

  const may = async (right: Right, topic: string, token: Token): Promise<boolean> => {
    try {
      if (right === "read") {
        const path = `/${topic}/auth`;
        await line.call({ method: "GET", path, token, may: "read a topic" }, signal, callMs);
      } else {
        const path = `/${topic}`;
        const headers = { priority: "9" };
        await line.call({ method: "POST", path, token, headers, may: "write to a topic" }, signal, callMs);
      }
      return true;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      if (error.reason === "not-allowed") return false;
      // The wrong priority: the right was there.
      if (right === "write" && error.reason === "refused") return true;
      throw error;
    }
  };

  const { ask_topic: ask, reply_topic: reply, token, button_token: button } = given;
  const isThere = await check("server", async () => {
    const { fields, date } = await line.call(
      { method: "GET", path: "/v1/health", may: "look" },
      signal,
      callMs,
    );
    if (fields.healthy !== true)
      throw new ChannelError("unavailable", "ntfy: the server says that it is not well");
    const aheadMs = Date.parse(date ?? "") - Date.now();
    const clock = Number.isNaN(aheadMs) ? {} : { aheadMs };
    const { base_url } = given;
    if (isInTheClear(base_url) && (token ?? button) !== undefined)
      return {
        ...clock,
        warn: true,
        text: `${base_url} is well, but tokens travel to it unencrypted: use https`,
      };
    return { ...clock, text: `${base_url} is well` };
  });
  if (!isThere) return found;

  await check("ask topic", async () => {
    if (!(await may("write", ask, token)))
      return refused("owlpost may not write to it", token, "ASK_TOPIC rw");
    if (await may("read", ask, token)) return { text: "owlpost may write and read it" };
    return {
      warn: true,
      text: `owlpost may write to it, and not read it: a post whose answer was lost may come twice. On the server: ntfy access USER ASK_TOPIC rw`,
    };
  });
  await check("reply topic", async () =>
    (await may("read", reply, token))
      ? { text: "owlpost may read it" }
      : refused("owlpost may not read it, so no tap arrives", token, "REPLY_TOPIC rw"),
  );
  const isHeard = await check("buttons", async () => {
    if (!(await may("write", reply, button)))
      return refused(
        "they may not write to the reply topic, so no tap arrives",
        button,
        "REPLY_TOPIC write-only",
      );
    if (button === undefined)
      return { text: "they publish without a token: anybody may write to the reply topic" };
    const more = [];
    if (await may("read", reply, button)) more.push("read the reply topic");
    if (await may("read", ask, button)) more.push("read the ask topic");
    if (await may("write", ask, button)) more.push("write to the ask topic, which looks like owlpost");
    if (more.length === 0) return { text: "their token may write to the reply topic, and do nothing else" };
    return {
      warn: true,
      text: `their token stands in every question, and may do more than press: ${more.join(", ")}. Give it a user of its own: ntfy access USER REPLY_TOPIC write-only`,
    };
  });
  await check("secrecy", async () => {
    const open = [];
    if (await may("read", ask, undefined)) open.push(ask);
    if (await may("read", reply, undefined)) open.push(reply);
    if (open.length === 0) return { text: "nobody reads the topics without a token" };
    const weak = Object.entries({ ask_topic: ask, reply_topic: reply })
      .filter(([, topic]) => !isHardToGuess(topic))
      .map(([name]) => name);
    const who =
      "Whoever knows the name of the ask topic can read every question and answer it, and so can whoever runs the server";
    if (weak.length === 0) return { warn: true, text: `the topics' names are their only secret. ${who}` };
    return {
      warn: true,
      text: `the topics' names are their only secret, and ${weak.join(" and ")} can be guessed: make names of openssl rand -hex 16. ${who}`,
    };
  });
  if (isHeard) {
    await check("updates", async () => {
      const minutes = usualPace.aheadMs / 60_000;
      return (await probe(line, given, abilityOf(), signal, callMs))
        ? {
            text: `the server updates messages in place (not on iOS), and says so when owlpost has not been heard from for about ${minutes} minutes while questions are open`,
          }
        : {
            warn: true,
            text: "the server is older than 2.16: what became of a question follows as a message of its own, and nobody is told when owlpost dies. A newer server does both",
          };
    });
  }
  await check("messages", async () => {
    const budget = await askBudget(line, given, signal, callMs);
    if (!budget) return { text: "the server does not say how many it takes a day" };
    const { messages, left, keptMs } = budget;
    const kept = keptMs === undefined ? "" : `; taps are kept for ${Math.round(keptMs / 3_600_000)} h`;
    const warning = budgetWarning(budget);
    return warning === undefined
      ? { text: `${left} of ${messages} are left today${kept}` }
      : { warn: true, text: warning.replace(/^ntfy: /, "") };
  });
  await check("iOS", async () => ({
    text: "there a changed message comes as a second one, and only where the server has upstream-base-url: https://ntfy.sh (a server of one's own) it rings at once",
  }));
  return found;
}

/** No name of a topic is told: where nobody has a token they are the only secret, and what doctor says is shown around. */
function refused(what: string, token: Token, right: string): Found {
  const who = token === undefined ? "everyone" : "USER";
  return { ok: false, text: `${what}. On the server: ntfy access ${who} ${right}` };
}

function isInTheClear(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Random letters and digits in a row, at least as many as hold about a hundred bits. */
function isHardToGuess(topic: string): boolean {
  return topic.split(/[-_]/).some((run) => run.length >= 20 && /\d/.test(run) && /[A-Za-z]/.test(run));
}
