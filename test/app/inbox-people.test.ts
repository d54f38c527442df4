import { describe, expect, it } from "vitest";
import { openChannels } from "../../src/app/channels.ts";
import { aConfig, aTools } from "../builders.ts";
import { aGitHub, someSettings } from "../github/desk.ts";
import { aService } from "../homes.ts";
import { aBotApi, token } from "../telegram/phone.ts";
import { type Seen, send } from "./inbox-peer.ts";

/** The real inbox of a real service that has a bot, and somebody who is signed in there. */
async function anInbox(changes: Parameters<typeof aConfig>[0] = {}) {
  const { api } = await aBotApi();
  const config = aConfig({
    deliver: ["telegram", "inbox"],
    channels: { inbox: { port: 0 }, telegram: { token, allow: [41], api_root: api.url } },
    ...changes,
  });
  const service = await aService({ config, channels: await openChannels(config, aTools()) });
  const { port = 0, owlpost } = service;
  const link = new URL((await owlpost.inboxLink()) ?? "").hash.slice("#token=".length);
  const signedIn = await send(port, {
    method: "POST",
    path: "/api/session",
    body: JSON.stringify({ token: link }),
  });
  const headers = { authorization: `Bearer ${JSON.parse(signedIn.body).session}` };
  const post = (path: string, body: unknown, more: Record<string, string> = {}): Promise<Seen> =>
    send(port, { method: "POST", path, body: JSON.stringify(body), headers: { ...headers, ...more } });
  const state = async () => JSON.parse((await send(port, { path: "/api/state", headers })).body).people;
  return { service, port, post, state, headers };
}

const mara = { name: "mara", role: "member", channel: "telegram" };

describe("people in the inbox", () => {
  it("makes a code that is shown once, with its link and the picture of it", async () => {
    const { post, state, service } = await anInbox();
    const seen = await post("/api/pair", mara);
    expect(seen.status).toBe(200);
    const made = JSON.parse(seen.body);
    expect(made).toMatchObject({
      ...mara,
      code: expect.stringMatching(/^[A-HJ-NP-Z2-9]{8}$/),
      say: `/start ${made.code}`,
      bot: "owlpost_nightjar_bot",
      link: expect.stringMatching(/^https:\/\/t\.me\/owlpost_nightjar_bot\?start=[\w-]{22}$/),
      until: { iso: expect.stringMatching(/Z$/) },
      qr: { size: 41, path: expect.stringMatching(/^(?:M\d+ \d+h\d+v1h-\d+z)+$/) },
    });
    const people = await state();
    expect(people).toEqual({
      people: [],
      allowed: [{ channel: "telegram", address: "41" }],
      codes: [{ id: 1, ...mara, until: made.until }],
      pairable: [{ channel: "telegram", by: "code" }],
    });
    expect(JSON.stringify([people, await service.owlpost.events(0, 100)])).not.toContain(made.code);
  });

  it("pairs by a login at once where the platform tells whose it is", async () => {
    const { api } = await aGitHub();
    const { post, state } = await anInbox({
      deliver: ["github", "inbox"],
      channels: { inbox: { port: 0 }, github: someSettings(api, { allow: [] }) },
    });
    expect((await state()).pairable).toEqual([{ channel: "github", by: "login" }]);
    const who = { name: "eric", role: "owner", channel: "github" };
    const missing = await post("/api/pair", who);
    expect([missing.status, JSON.parse(missing.body).error]).toEqual([400, "bad-usage"]);
    const paired = await post("/api/pair", { ...who, address: "eric-gh" });
    expect([paired.status, JSON.parse(paired.body)]).toEqual([
      200,
      { paired: "eric is paired on github as owner: eric-gh, id 583231." },
    ]);
    expect((await state()).people).toMatchObject([
      { name: "eric", bindings: [{ channel: "github", address: "583231" }] },
    ]);
    const nobody = await post("/api/pair", {
      name: "ola",
      role: "member",
      channel: "github",
      address: "nobody",
    });
    expect(JSON.parse(nobody.body)).toEqual({
      error: "no-such-person",
      message: "GitHub: there is no account nobody.",
    });
  });

  it("shows who is paired, and revokes bindings and codes", async () => {
    const { post, state, service } = await anInbox();
    await service.store.append(
      [{ type: "bind", person: { name: "eric", role: "owner" }, channel: "telegram", address: "42" }],
      Date.now(),
    );
    await post("/api/pair", mara);
    const { people, codes } = await state();
    expect(people).toMatchObject([
      { name: "eric", role: "owner", bindings: [{ id: 1, channel: "telegram", address: "42" }] },
    ]);
    const revoked = await post("/api/revoke", { id: people[0].bindings[0].id });
    expect([revoked.status, JSON.parse(revoked.body).text]).toEqual([
      200,
      "eric is not known on telegram any more.",
    ]);
    expect(JSON.parse((await post("/api/revoke", { id: codes[0].id })).body).text).toContain(
      "no longer be used",
    );
    expect(await state()).toMatchObject({ people: [], codes: [] });
    const gone = await post("/api/revoke", { id: 1 });
    expect([gone.status, JSON.parse(gone.body).error]).toEqual([404, "no-such-binding"]);
    const kinds = (await service.owlpost.events(0, 100)).map(({ kind }) => kind);
    expect(kinds).toContain("person.unpaired");
  });

  it.each([
    [{ ...mara, name: " " }, "bad-usage", "A name is missing."],
    [{ ...mara, name: "owner" }, "bad-usage", "that is a role"],
    [{ ...mara, role: "king" }, "bad-usage", "one of owner, member, viewer"],
    [{ ...mara, channel: "inbox" }, "no-pairing", "Nobody is paired on inbox"],
    [{ ...mara, channel: "pigeon" }, "no-such-channel", "There is no channel pigeon"],
    [{ ...mara, extra: 1 }, "bad-request", "no name, role and channel"],
    [{}, "bad-request", "no name, role and channel"],
    [null, "bad-request", "no name, role and channel"],
  ])("refuses %j as %s", async (body, error, text) => {
    const { post, state } = await anInbox();
    const seen = await post("/api/pair", body);
    expect(seen.status).toBe(400);
    expect(JSON.parse(seen.body)).toEqual({ error, message: expect.stringContaining(text) });
    expect((await state()).codes).toEqual([]);
  });

  it.each([{ id: "1" }, { id: 0 }, { id: -1 }, { id: 1.5 }, {}, { id: 1, all: true }])(
    "refuses to revoke %j",
    async (body) => {
      const { post } = await anInbox();
      expect((await post("/api/revoke", body)).status).toBe(400);
    },
  );

  it("field 62: has no way round the guards: neither by GET, nor from elsewhere, nor without a session", async () => {
    const { post, port, headers, state, service } = await anInbox();
    for (const [path, body] of [
      ["/api/pair", mara],
      ["/api/revoke", { id: 1 }],
    ] as const) {
      expect((await send(port, { path, headers })).status).toBe(405);
      expect((await send(port, { path, headers, method: "PUT", body: "{}" })).status).toBe(405);
      expect((await post(path, body, { origin: "http://evil.example" })).status).toBe(403);
      expect((await post(path, body, { host: "evil.example" })).status).toBe(403);
      expect((await post(path, body, { "content-type": "text/plain" })).status).toBe(415);
      expect((await post(path, body, { authorization: "" })).status).toBe(401);
      expect((await post(path, body, { authorization: `Bearer ${"x".repeat(43)}` })).status).toBe(401);
    }
    expect((await state()).codes).toEqual([]);
    expect((await service.owlpost.events(0, 100)).map(({ kind }) => kind)).not.toContain("pairing.code-made");
  });
});
