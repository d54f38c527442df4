import { surelyFits } from "../../renderers/at-most.ts";
import { type Checked, type ContractSettings, checkQuestion } from "../core/contract.ts";
import { longestViews } from "../core/longest-views.ts";
import { defaultAt } from "../core/night.ts";
import type { Extent } from "../domain/capabilities.ts";
import type { Config } from "./config.ts";
import { elsewhereOf, rowsOf } from "./route.ts";

type Settings = Omit<ContractSettings, "excess">;

/**
 * Checks the contract, with how much room each channel has. Nearly every question fits by far, and then nothing of it is
 * written down for that, nor is what writes it loaded: an ask is to be quick.
 */
export async function checkAsk(document: unknown, settings: Settings, config: Config): Promise<Checked> {
  const rows = rowsOf(config);
  const checked = checkQuestion(document, {
    ...settings,
    excess: ({ question }, channel) => (surelyFits(question, rows(channel)) ? undefined : unknown),
  });
  if (checked.ok || !checked.broken.some(({ rule }) => rule === "too-large")) return checked;
  return checkQuestion(document, { ...settings, excess: await exactly(config) });
}

/** It has to be measured. */
const unknown: Extent = { size: 1, room: 0, unit: "codepoint", of: "message" };

/** As it would be posted, and as its message may be edited while it can be answered. */
async function exactly(config: Config): Promise<NonNullable<ContractSettings["excess"]>> {
  const { uncut } = await import("../../renderers/ladder.ts");
  const rows = rowsOf(config);
  const elsewhere = elsewhereOf(config);
  return (asked, channel) => {
    const row = rows(channel);
    const shown = { ...asked, defaultAction: defaultAt(asked, config.night) };
    const extents = longestViews(shown, row.edit === "yes").map((view) => uncut({ ...view, elsewhere }, row));
    return extents
      .filter(({ size, room }) => size > room)
      .reduce<Extent | undefined>(
        (most, each) => (most && most.size * each.room >= each.size * most.room ? most : each),
        undefined,
      );
  };
}
