import { expect, test } from "vitest";
import type { TurnInput } from "../../src/domain/store.ts";
import { aPath, aStore, now } from "./builders.ts";

const input = (key: string, twin?: string, payload: unknown = key): TurnInput => ({
  key,
  payload,
  ...(twin === undefined ? {} : { twin }),
});

async function aMailbox(path = aPath()) {
  const store = await aStore(path);
  const decided: string[] = [];
  const take = (...inputs: readonly TurnInput[]) =>
    store.turn(
      { channel: "slack", inputs },
      () => ({ questions: [] }),
      (_snapshot, { key }) => {
        decided.push(key);
        return { effects: [], value: { accepted: true, state: "told", text: key } };
      },
      now,
    );
  return { take, decided };
}

const again = (text: string) => ({ accepted: true, text, replayed: true, repeated: true });

test("field 25: of two that share a twin one is decided, in one batch, in two, and by another process", async () => {
  const path = aPath();
  const { take, decided } = await aMailbox(path);
  expect(await take(input("Ev1", "C:1"), input("Ev2", "C:1"))).toMatchObject([{ text: "Ev1" }, again("Ev1")]);
  expect(await take(input("Ev3", "C:1", "told in other words"))).toMatchObject([again("Ev1")]);
  const other = await aMailbox(path);
  expect(await other.take(input("Ev4", "C:1"))).toMatchObject([again("Ev1")]);
  expect([...decided, ...other.decided]).toEqual(["Ev1"]);
});

test("what is told under the twin alone is the same, before it and after it", async () => {
  const { take, decided } = await aMailbox();
  await take(input("Ev1", "C:1"));
  expect(await take(input("C:1", undefined, "read again"))).toMatchObject([again("Ev1")]);
  await take(input("C:2", undefined, "read again"));
  expect(await take(input("Ev2", "C:2"))).toMatchObject([again("C:2")]);
  expect(decided).toEqual(["Ev1", "C:2"]);
});

test("twins of different keys are different, and one that has none is as before", async () => {
  const { take, decided } = await aMailbox();
  await take(input("Ev1", "C:1"), input("Ev2", "C:2"), input("Ev3"));
  expect(await take(input("Ev3"))).toMatchObject([again("Ev3")]);
  expect(await take(input("Ev3", undefined, "another payload"))).toMatchObject([{ accepted: false }]);
  expect(decided).toEqual(["Ev1", "Ev2", "Ev3"]);
});
