import { duration, median, monotonic, quantile, type Row, spreadOf } from "../measure.ts";
import { owners, type Phones, type Posted, startPhones, token } from "../phone.ts";

const blocks = 6;
const taps = 25;
const everyMs = 40;
/** Together with each tap; every one from a sender of its own. */
const guessesEach = 16;
/** So many wrong codes revoke the live ones. */
const compared = 20;

const [owner] = owners;
const firstSender = 5_550_300_000;

/**
 * A tap of the owner behind the twenty wrong codes that are compared with a live one, slow on purpose, until it is revoked;
 * then taps while strangers go on trying, 400 codes a second, beside the same taps in peace.
 */
export const guesses: Row = {
  name: "guesses",
  async run() {
    const phones = await startPhones();
    let sender = firstSender;
    const storm = (count = guessesEach): void => {
      for (let left = count; left > 0; left -= 1) {
        sender += 1;
        phones.api.addPerson(sender, "somebody");
        phones.api.say(token, { chat: sender, from: sender, text: "/pair AAAABBBB" });
      }
    };
    const behind: number[] = [];
    const peace: number[][] = [];
    const stormy: number[][] = [];
    for (let block = -1; block < blocks; block += 1) {
      const posted = await phones.ask(2 * taps + 1);
      const quiet = await tapAll(phones, posted.slice(0, taps), () => undefined);
      await phones.pair();
      const [last = Number.NaN] = await tapAll(phones, posted.slice(2 * taps), () => storm(compared));
      const loud = await tapAll(phones, posted.slice(taps, 2 * taps), storm);
      if (block < 0) continue;
      behind.push(last);
      peace.push(quiet);
      stormy.push(loud);
    }
    await phones.close();
    const all = { peace: peace.flat(), storm: stormy.flat() };
    return [
      {
        name: "p50 of a tap under 400 wrong codes a second / without",
        spread: spreadOf(stormy.map((block, index) => median(block) / median(peace[index] ?? []))),
        unit: "x",
        goal: { most: 5 },
        detail: `storm ${duration(median(all.storm))} (p99 ${duration(quantile(all.storm, 0.99))}), peace ${duration(median(all.peace))} (p99 ${duration(quantile(all.peace, 0.99))})`,
      },
      {
        name: "a tap behind twenty wrong codes that are compared",
        spread: spreadOf(behind),
        unit: "ms",
        goal: { most: 1_000 },
        detail: "once for each live code; then it is revoked, and nothing is compared any more",
      },
    ];
  },
};

/** From each tap to its toast, in milliseconds. */
async function tapAll(phones: Phones, posted: readonly Posted[], before: () => void): Promise<number[]> {
  const began = performance.now();
  const waits: Promise<number>[] = [];
  for (const [index, { id, messages }] of posted.entries()) {
    const pauseMs = began + index * everyMs - performance.now();
    await new Promise((next) => setTimeout(next, Math.max(0, pauseMs)));
    before();
    const message = messages.find(([chat]) => chat === owner)?.[1] ?? 0;
    const at = monotonic();
    const update = phones.api.press(token, { chat: owner, from: owner, message, data: `o1|${id}|1` });
    const toast = phones.toasted(update?.callback_query?.id ?? "");
    waits.push(toast.then((shown) => (shown - at) * 1_000));
  }
  return Promise.all(waits);
}
