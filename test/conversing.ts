import { expect } from "vitest";
import type { Service } from "../src/app/service.ts";
import type { Event } from "../src/domain/event.ts";
import type { QuestionId } from "../src/domain/ids.ts";
import { aDocument } from "./builders.ts";
import { until } from "./homes.ts";

/**
 * What every conversation with a service does on the agent's side, whatever the channel. `running` gives the service that runs
 * now, `clock` its clock.
 */
export function conversing(running: () => Service, clock: { advance(ms: number): void }) {
  const stateOf = async (id: string): Promise<string | undefined> =>
    (await running().owlpost.question(id))?.state;
  const events = async (kind: string): Promise<readonly Event[]> =>
    (await running().owlpost.events(0, 10_000)).filter((event) => event.kind === kind);
  return {
    /** Files a question and returns its id. */
    async asks(document: Record<string, unknown> = {}): Promise<QuestionId> {
      const asked = await running().owlpost.ask({ document: aDocument(document) });
      if (!asked.ok) throw new Error(JSON.stringify(asked));
      return asked.id;
    },
    state: stateOf,
    async becomes(id: string, state: string): Promise<void> {
      await until(
        () => stateOf(id),
        (now) => now === state,
      );
      expect(await stateOf(id)).toBe(state);
    },
    events,
    count: async (kind: string): Promise<number> => (await events(kind)).length,
    /** Time goes by in steps, and whatever comes due at one is done. */
    async passes(times: number, ms: number): Promise<void> {
      for (let n = 0; n < times; n += 1) {
        await running().settle();
        clock.advance(ms);
        await new Promise((next) => setTimeout(next, 30));
      }
      await running().settle();
    },
  };
}
