import { type AnswerChannel, ChannelError, type ChannelTools, type Check } from "../src/domain/channel.ts";
import { abilityOf, probe } from "./ntfy/ability.ts";
import { watchBudget } from "./ntfy/budget.ts";
import { checkServer } from "./ntfy/checks.ts";
import { lastWordOf } from "./ntfy/last-word.ts";
import { openLine } from "./ntfy/line.ts";
import { destination, listening } from "./ntfy/listen.ts";
import { posting } from "./ntfy/posts.ts";
import type { Settings } from "./ntfy/settings.ts";

export { decode } from "./ntfy/decode.ts";
export { encode } from "./ntfy/encode.ts";
export { recipientOf, type Settings, settings } from "./ntfy/settings.ts";

export const help = [
  "Think of two topic names that nobody can guess (openssl rand -hex 16), one for questions and one for answers.",
  "Subscribe to the first one in the ntfy app; never to the second.",
  "On a server of your own, make a token that reads and writes both for owlpost, and one that only writes the second for the buttons.",
].join("\n");

export type Timing = {
  /** How long a poll waits for something to tell. */
  readonly waitMs: number;
  /** How long the line may be silent before it is made anew. */
  readonly silenceMs: number;
  /** A line that lasted no longer than that counts as a failure. */
  readonly shortMs: number;
  readonly callMs: number;
};

const usual: Timing = { waitMs: 25_000, silenceMs: 120_000, shortMs: 2_000, callMs: 20_000 };
const filesText =
  "ntfy: the server makes files of our messages, because its message-size-limit is below 4,096 bytes; raise it, or much of a question is read only by opening the file";

export async function open(
  given: Settings,
  tools: ChannelTools,
  timing: Partial<Timing> = {},
): Promise<AnswerChannel> {
  const times = { ...usual, ...timing };
  const { callMs } = times;
  const line = await openLine(given.base_url);
  const ability = abilityOf();
  const budget = watchBudget(line, given, { now: tools.now, callMs });
  const posts = posting(line, given, tools, { ability, callMs });
  const ears = listening(line, given, tools, times);
  const closing = new AbortController();
  let toldOfFiles = false;

  function warning(): string | undefined {
    if (!ability.makesFiles() || toldOfFiles) return budget.warning();
    toldOfFiles = true;
    return filesText;
  }

  return {
    id: "ntfy",
    rings: true,
    destinations: [destination],
    async post(to, message, key, signal) {
      mustBeOurs(to);
      const ref = await posts.post(message, key, signal);
      budget.spent();
      return ref;
    },
    async edit(to, ref, message, signal) {
      mustBeOurs(to);
      await posts.edit(ref, message, signal);
      budget.spent();
    },
    edits: async (signal) => ability.updates() ?? (await probe(line, given, ability, signal, callMs)),
    async poll(cursor, signal) {
      const batch = await ears.poll(cursor, signal);
      budget.look(closing.signal);
      const words = warning();
      return words === undefined ? batch : { ...batch, warning: words };
    },
    lastWord: lastWordOf(line, given, tools, {
      ability,
      budget: budget.known,
      spent: budget.spent,
      callMs,
    }),
    async close() {
      closing.abort();
      ears.close();
      await line.close();
    },
  };
}

/** There is one place for all; a chat of another channel's settings is none of ours. */
function mustBeOurs(to: string): void {
  if (to === destination) return;
  throw new ChannelError("no-such-destination", `ntfy: there is no destination “${to}”`, {
    closed: true,
    delivered: "no",
  });
}

/** Which settings are right, as far as the server can tell; nothing is sent to anybody. */
export async function checks(given: Settings): Promise<readonly Check[]> {
  const line = await openLine(given.base_url);
  try {
    return await checkServer(line, given, AbortSignal.timeout(30_000), 10_000);
  } finally {
    await line.close();
  }
}
