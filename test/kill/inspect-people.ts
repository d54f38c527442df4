import type { Event } from "../../src/domain/event.ts";
import type { Store } from "../../src/domain/store.ts";
import type { Scene } from "./scene.ts";

/** Who is known is who must be; each code bound once; and every wrong one counts exactly once, never less afterwards. */
export async function inspectPeople(store: Store, scene: Scene, events: readonly Event[]): Promise<string[]> {
  const must = scene.people;
  if (!must) return [];
  const wrong: string[] = [];
  const same = (what: string, is: unknown, wanted: unknown): void => {
    if (JSON.stringify(is) !== JSON.stringify(wanted)) {
      wrong.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
    }
  };
  const bindings = await store.bindings();
  same(
    "the bindings",
    bindings.map(({ person, address }) => ({ name: person.name, role: person.role, address })),
    must.bindings,
  );
  const of = (kind: string): readonly Event[] => events.filter((event) => event.kind === kind);
  const names = (kind: string): unknown[] => of(kind).map(({ data }) => data.name);
  same("paired", names("person.paired"), must.paired);
  same("unpaired", names("person.unpaired"), must.unpaired);
  const used = of("person.paired").map(({ data }) => data.binding);
  if (new Set(used).size !== used.length) wrong.push(`a code bound twice: ${used.join()}`);

  const failed = of("pairing.failed");
  for (const [sender, { counted, now }] of Object.entries(must.failures)) {
    const own = failed.filter(({ data }) => data.sender === sender).map(({ data }) => data.failures);
    same(
      `the wrong codes of ${sender}`,
      own,
      Array.from({ length: counted }, (_, index) => index + 1),
    );
    const counter = (await store.counters("telegram", sender)).find(({ name }) => name === "pairing");
    same(`the counter of ${sender}`, counter?.value ?? 0, now);
  }
  const known = Object.values(must.failures).reduce((sum, { counted }) => sum + counted, 0);
  same("all the wrong codes", failed.length, known);
  const live = (await store.codes(0)).map(({ person, failures }) => ({ name: person.name, failures }));
  same("the live codes", live, [must.live]);
  return wrong;
}
