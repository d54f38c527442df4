import { describe, expect, test } from "vitest";
import { decideLogin } from "../../src/core/pairing.ts";
import type { Effect, PeopleSnapshot } from "../../src/domain/store.ts";
import { aBinding, aPairingCode, aPlace, evening } from "../builders.ts";

const github = aPlace({ channel: "github", chats: "one", isPublic: true });
const telegram = aPlace();
const eric = aBinding();
const mara = { name: "mara", role: "member" } as const;

function login(
  snapshot: Partial<PeopleSnapshot> = {},
  changes: Partial<Parameters<typeof decideLogin>[1]> = {},
  places = [telegram, github],
) {
  const request = { person: mara, channel: "github", address: "583232", login: "mara-gh", ...changes };
  return decideLogin({ bindings: [eric], codes: [], ...snapshot }, request, 8, evening, places);
}

const notices = (effects: readonly Effect[]) =>
  effects.flatMap((effect) =>
    effect.type === "send" ? [[effect.job.channel, effect.job.destination, effect.job.notice?.text]] : [],
  );

describe("pairing by a login", () => {
  test("binds the number at once, logs it, and tells every owner with the line that takes it back", () => {
    const { effects, value } = login();
    expect(value).toEqual({ ok: true, person: mara, binding: 8 });
    expect(effects.slice(0, 2)).toEqual([
      { type: "bind", person: mara, channel: "github", address: "583232" },
      {
        type: "log",
        event: { kind: "person.paired", data: { ...mara, via: "github", binding: 8, login: "mara-gh" } },
      },
    ]);
    // Never in public.
    expect(notices(effects)).toEqual([
      [
        "telegram",
        "42",
        "mara is paired on github as member (mara-gh, id 583232). Not expected? On the machine: owlpost pairing revoke 8",
      ],
    ]);
  });

  test("whom the configuration allows is an owner, and the news says so", () => {
    const { effects } = login({}, {}, [telegram, { ...github, allow: ["583232"] }]);
    expect(notices(effects)[0]?.[2]).toContain("as owner");
  });

  test("who is known elsewhere keeps the spelling and the role", () => {
    const known = aBinding({ id: 2, person: { name: "Mara", role: "member" }, address: "43" });
    expect(login({ bindings: [eric, known] }).value).toMatchObject({
      person: { name: "Mara", role: "member" },
    });
    const other = aBinding({ id: 2, person: { name: "Mara", role: "viewer" }, address: "43" });
    expect(login({ bindings: [eric, other] })).toEqual({
      effects: [],
      value: { ok: false, error: "conflict", message: expect.stringContaining("a viewer already") },
    });
  });

  test.each([
    [
      "that account is somebody else's",
      { person: { name: "ola", role: "member" }, address: "583232" },
      "583232 is paired on github already, as ola",
    ],
    ["they have another account there", { person: mara, address: "9" }, "mara is paired on github already"],
  ] as const)("%s", (_name, bound, words) => {
    const there = aBinding({ id: 3, channel: "github", ...bound });
    expect(login({ bindings: [eric, there] })).toEqual({
      effects: [],
      value: { ok: false, error: "conflict", message: expect.stringContaining(words) },
    });
  });

  test.each([
    [{ person: { name: " ", role: "member" } }, "a name is missing"],
    [{ person: { name: "owner", role: "member" } }, "that is a role"],
    [{ address: "" }, "the address must be"],
  ] as const)("%j is bad usage", (changes, words) => {
    expect(login({}, changes)).toMatchObject({
      effects: [],
      value: { ok: false, error: "bad-usage", message: expect.stringContaining(words) },
    });
  });

  test("a code of the same name on that channel is worth nothing any more", () => {
    const code = aPairingCode({ channel: "github", expiresAt: evening + 1 });
    expect(login({ codes: [code] }).effects[0]).toEqual({ type: "revoke-codes", codes: [7] });
  });
});
