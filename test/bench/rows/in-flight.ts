import { openOwlpost } from "../../../src/app/owlpost.ts";
import { at, benchConfig, benchDocuments, mustAsk, newHome } from "../home.ts";
import { duration, interleave, median, type Row, ratio } from "../measure.ts";

const together = 64;

/** 64 asks at once against 64 asks one after the other; that each is on disk first is checked under strace by `ask`. */
export const inFlight: Row = {
  name: "in-flight",
  async run() {
    const owlpost = await openOwlpost({ home: newHome(), config: benchConfig() });
    const size = { blocks: 9, rounds: 6, warm: 3 };
    const documents = benchDocuments((size.blocks * size.rounds + size.warm) * 2 * together);
    let n = 0;
    const one = async (): Promise<unknown> => mustAsk(await owlpost.ask({ document: at(documents, n++) }));
    const blocks = await interleave(
      {
        alone: async () => {
          for (let left = together; left > 0; left -= 1) await one();
        },
        together: () => Promise.all(Array.from({ length: together }, one)),
      },
      size,
    );
    await owlpost.close();
    const [alone, all] = [median(blocks.alone.flat()), median(blocks.together.flat())];
    const rate = (ms: number): string => `${Math.round((together / ms) * 1000)}/s`;
    return [
      {
        name: "64 asks in flight / one by one (rate)",
        spread: ratio(blocks, "alone", "together"),
        unit: "x",
        goal: { least: 4 },
        detail: `${rate(all)} (all after ${duration(all)}), one by one ${rate(alone)}`,
      },
    ];
  },
};
