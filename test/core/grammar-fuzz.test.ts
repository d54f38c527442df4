import { expect, test } from "vitest";
import { idsIn, type Reading, readSaid, type Said, type World } from "../../src/core/grammar.ts";
import { legalChange } from "./grammar-oracle.ts";
import { aScene, dice } from "./grammar-pieces.ts";

/** `GRAMMAR_FUZZ=1000000 npx vitest run --project tz-utc test/core/grammar-fuzz.test.ts`; `GRAMMAR_SEED` for another run. */
const times = Number(process.env.GRAMMAR_FUZZ ?? 4000);
const seed = Number(process.env.GRAMMAR_SEED ?? 20_261_130);

/** In the words of the oracle. */
function changeOf(reading: Reading, world: World): string {
  if (reading.kind === "abort") return `abort ${reading.run}`;
  if (reading.kind !== "command") return "nothing";
  const { command } = reading;
  if (command.verb === "steer") return `steer ${Object.values(command.target)[0]}`;
  const { verb, question } = command;
  if (!("key" in command)) return `${verb} ${question}`;
  const known = world.question(question)?.question.options.some((option) => option.key === command.key);
  const ahead = "goAhead" in command ? " ahead" : "";
  return known ? `${verb} ${question} ${command.key}${ahead}` : `stray ${question}`;
}

/** What was to be gathered before: nothing else may be asked for. */
function gathered(said: Said, world: World): World {
  const near = [...idsIn(said.text), said.thread, said.token];
  return { ...world, question: (id) => (near.includes(id) ? world.question(id) : undefined) };
}

test(`${times} generated replies: none throws, and each changes exactly what its text spells`, {
  timeout: 3_600_000,
}, () => {
  const roll = dice(seed);
  const counts = new Map<string, number>();
  const wrong: unknown[] = [];
  for (let at = 0; at < times && wrong.length < 20; at += 1) {
    const { said, world } = aScene(roll);
    const reading = readSaid(said, gathered(said, world));
    const change = changeOf(reading, world);
    const legal = legalChange(said, world);
    if (change !== legal)
      wrong.push({ said, legal, change, open: world.open.map((each) => each.question.id) });
    const name =
      reading.kind === "command"
        ? change.startsWith("stray")
          ? "stray key"
          : reading.command.verb
        : reading.kind;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (process.env.GRAMMAR_FUZZ) console.log(`seed ${seed}:`, JSON.stringify(Object.fromEntries(counts)));
  expect(wrong).toEqual([]);
  for (const name of [
    "choose",
    "answer",
    "skip",
    "retry",
    "steer",
    "override",
    "abort",
    "ignored",
    "unmatched",
  ])
    expect(counts.get(name), name).toBeGreaterThan(0);
});
