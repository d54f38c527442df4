import { expect, test } from "vitest";
import { mayUse, verbs } from "../../../src/core/grammar/reading.ts";
import type { Role } from "../../../src/domain/person.ts";

const all = ["choose", ...verbs] as const;
type Deed = (typeof all)[number];
const looking: readonly Deed[] = ["status", "pending", "help", "pair", "unpair", "start"];

test.each<[Role, readonly Deed[]]>([
  ["owner", all],
  ["member", all.filter((deed) => deed !== "abort")],
  ["viewer", all.filter((deed) => looking.includes(deed))],
])("what a role may do: %s", (role, deeds) => {
  expect(all.filter((deed) => mayUse(role, deed))).toEqual(deeds);
});
