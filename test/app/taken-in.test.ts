import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { takeIn } from "../../src/app/inbox-turn.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { Reply } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, aPlace, evening, hour } from "../builders.ts";
import { afterwards, aQuickHome } from "../homes.ts";

const eric = "42";
const places = [aPlace({ allow: [eric] })];
const config = aConfig({
  deliver: ["telegram"],
  channels: { inbox: { port: 0 }, telegram: { allow: [42] } },
});

async function aStore() {
  const home = aQuickHome();
  const store = await openStore(join(home, "owlpost.db"));
  afterwards(() => store.close());
  const owlpost = await openOwlpost({ home, config, store, now: () => evening });
  const ids: QuestionId[] = [];
  for (let n = 0; n < 3; n += 1) {
    const asked = await owlpost.ask({ document: aDocument({ task: `00${n}` }) });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    ids.push(asked.id);
  }
  return { store, owlpost, ids };
}

const aMoment = fc.constantFrom(0, 8 * hour, 30 * hour);
const aReply = fc.record({
  question: fc.nat(2),
  sender: fc.constantFrom(eric, eric, eric, "666"),
  said: fc.constantFrom("1", "2", "skip", "go", "more", "9", "/override 2", "/override 1", "because"),
  adopted: fc.boolean(),
});

test("what a batch has moved is told as the store has it since, whatever the batch was", async () => {
  let told = 0;
  const script = fc.array(fc.tuple(aMoment, fc.array(aReply, { minLength: 1, maxLength: 6 })), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(script, async (batches) => {
      const { store, ids } = await aStore();
      let key = 0;
      let at = evening;
      for (const [later, said] of batches) {
        at += later;
        const replies = said.map(({ question, sender, said, adopted }): Reply => {
          const id = ids[question] ?? "";
          key += 1;
          const common = { key: `k${key}`, sender, chat: sender, private: true };
          const [verb, choice] = said.split(" ");
          if (choice !== undefined) return { ...common, text: `${verb} ${id} ${choice}` };
          const to = adopted ? { to: `${sender}:${key}` } : {};
          return said === "because"
            ? { ...common, text: `${id} because` }
            : { ...common, ...to, press: { question: id, action: said } };
        });
        const { acks, moved } = await takeIn(
          "telegram",
          { replies },
          { store, now: () => at, project: "default", places },
        );
        expect(acks).toHaveLength(replies.length);
        for (const [id, current] of moved) {
          told += 1;
          expect(current.stored).toEqual(await store.question(id));
          expect(current.copies).toEqual(await store.copies(id));
        }
      }
      await store.close();
    }),
    { numRuns: 60 },
  );
  expect(told).toBeGreaterThan(20);
});

test("a press on a message that was not known yet is shown from the store: its copy is new", async () => {
  const { store, ids } = await aStore();
  const [id = "" as QuestionId] = ids;
  const press = { key: "k1", sender: eric, chat: eric, private: true, press: { question: id, action: "1" } };
  const options = { store, now: () => evening, project: "default", places };
  const { acks, moved } = await takeIn("telegram", { replies: [{ ...press, to: "42:7" }] }, options);
  expect(acks[0]).toMatchObject({ accepted: true });
  expect([...moved.keys()]).toEqual([]);
  expect(await store.copies(id)).toMatchObject([{ ref: "42:7" }]);
});
