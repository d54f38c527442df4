import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/sqlite.ts";
import { aGitHub, eric, issue, repository, token } from "../github/desk.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(() => {
  desk = aDesk();
});
afterEach(() => desk.remove());

const who = ["pair", "--name", "eric", "--role", "owner", "--channel", "github"];
const login = [...who, "--address", eric.login];

async function online() {
  const { api } = await aGitHub();
  configure(api.url);
  return api;
}

function configure(api_url: string): void {
  mkdirSync(desk.home, { recursive: true, mode: 0o700 });
  const channels = { inbox: { port: 0 }, github: { token, repository, issue, api_url } };
  writeFileSync(join(desk.home, "config.yaml"), JSON.stringify({ zone: "Europe/Berlin", channels }));
}

describe("owlpost pair on GitHub", () => {
  test("binds the account behind a login at once, without a code", async () => {
    await online();
    const { exit, json, err } = await desk.run([...login, "--json"]);
    expect([exit, json]).toEqual([
      0,
      { paired: 1, name: "eric", role: "owner", channel: "github", address: "583231", login: "eric-gh" },
    ]);
    expect(err).toBe("");
    const { json: list } = await desk.run(["pairing", "list", "--json"]);
    expect(list).toMatchObject({
      people: [{ name: "eric", role: "owner", bindings: [{ id: 1, channel: "github", address: "583231" }] }],
      codes: [],
    });
    const store = await openStore(join(desk.home, "owlpost.db"));
    const events = await store.events(0, 100);
    await store.close();
    expect(events.find(({ kind }) => kind === "person.paired")?.data).toMatchObject({
      login: "eric-gh",
      binding: 1,
    });
    expect(events.find(({ kind }) => kind === "notice.queued")?.data.text).toContain(
      "owlpost pairing revoke 1",
    );
  });

  test("for people: what counts, and how it is taken back", async () => {
    await online();
    const { exit, out, err } = await desk.run(login);
    expect([exit, out]).toEqual([0, "eric (owner) is paired on github: eric-gh, id 583231\n"]);
    expect(err).toContain("owlpost pairing revoke 1 takes it back");
    const revoked = await desk.run(["pairing", "revoke", "1", "--json"]);
    expect([revoked.exit, revoked.json]).toMatchObject([
      0,
      { was: "binding", name: "eric", last_owner: true },
    ]);
  });

  test("a login that somebody else has taken since is still the old account's, and the new one can be told apart", async () => {
    const api = await online();
    await desk.run(login);
    api.rename(eric.login, "eric-at-work");
    api.addAccount(eric.login, 4_242);
    const again = await desk.run([...login, "--json"]);
    expect([again.exit, again.json.error]).toEqual([3, "conflict"]);
    const other = await desk.run([
      "pair",
      "--name",
      "erik",
      "--role",
      "viewer",
      "--channel",
      "github",
      "--address",
      eric.login,
      "--json",
    ]);
    expect(other.json).toMatchObject({ paired: 2, address: "4242" });
    const { json } = await desk.run(["pairing", "list", "--json"]);
    expect(json.people).toMatchObject([
      { name: "eric", bindings: [{ address: "583231" }] },
      { name: "erik", bindings: [{ address: "4242" }] },
    ]);
  });

  test.each([
    [[...who], 2, "bad-usage", "give it (--address LOGIN)"],
    [[...who, "--address", " "], 2, "bad-usage", "give it (--address LOGIN)"],
    [[...who, "--address", "nobody-here"], 3, "no-such-person", "there is no account nobody-here"],
    [[...who, "--address", "nightjar-labs"], 3, "no-such-person", "is an organization"],
    [[...who, "--address", "build-bot"], 3, "no-such-person", "is a bot"],
    [[...who, "--address", "583231"], 3, "no-such-person", "looks like an account's number"],
  ])("%j is refused, and nobody is bound", async (line, wanted, error, words) => {
    await online();
    const { exit, json } = await desk.run([...line, "--json"]);
    expect([exit, json.error, json.message]).toEqual([wanted, error, expect.stringContaining(words)]);
    expect((await desk.run(["pairing", "list", "--json"])).json).toEqual({
      people: [],
      codes: [],
      allowed: [],
    });
  });

  test("where GitHub cannot be asked that is a fault, and no secret is told", async () => {
    configure("http://127.0.0.1:9");
    const { exit, json } = await desk.run([...login, "--json"]);
    expect([exit, json]).toEqual([
      1,
      { error: "unreachable", message: "GitHub cannot be reached (ECONNREFUSED)" },
    ]);
  });

  test("an agent pairs nobody", async () => {
    await online();
    const { exit, json } = await desk.run([...login, "--json"], { env: { OWLPOST_AS: "agent" } });
    expect([exit, json.reason]).toEqual([3, "not-allowed"]);
  });
});
