import { aliveMs, decideAbort } from "../core/abort.ts";
import { notAliveText } from "../core/refused-words.ts";
import type { Ack, Sender } from "../domain/command.ts";
import type { Decision } from "../domain/store.ts";
import type { LocalSurface } from "./api.ts";
import { freshKey } from "./deciding.ts";
import type { Desk } from "./desk.ts";

/** The owner stops a run on this machine: the same as a typed `/abort`. */
export function aborting(desk: Desk) {
  const { store, now, host, committed } = desk;

  async function abort(typed: string, surface: LocalSurface): Promise<Ack> {
    const at = now();
    const sender: Sender = { via: surface, host };
    const alive = await store.runs(at - aliveMs);
    const run = alive.find((each) => each === typed);
    const [ack] = await store.turn(
      {
        channel: surface,
        inputs: [{ key: freshKey(at), payload: { verb: "abort", run: typed } }],
      },
      () => ({ questions: [], ...(run === undefined ? {} : { runs: [run] }) }),
      ({ runs, copies }): Decision<Ack> => {
        const known = run === undefined ? undefined : runs?.get(run);
        if (run === undefined || !known) {
          const text = notAliveText(typed, alive);
          return { effects: [], value: { accepted: false, reason: "bad-command", text } };
        }
        return decideAbort(run, known, { sender, now: at, copies });
      },
      at,
    );
    if (!ack) throw new Error("a turn of one input gave no ack");
    committed();
    return ack;
  }

  return { abort };
}
