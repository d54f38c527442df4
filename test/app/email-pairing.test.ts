import { describe, expect, test } from "vitest";
import { withPeople } from "../../src/app/channels.ts";
import { aConfig, minute } from "../builders.ts";
import { aCorrespondence, type Correspondence } from "../mail/correspondence.ts";
import { eric, mara } from "../mail/phone.ts";

const stranger = "someone@example.com";

async function invited(post: Correspondence, changes: Record<string, string> = {}) {
  const made = await post.service.owlpost.pair({
    name: "mara",
    role: "member",
    channel: "email",
    address: "Mara@Example.NET ",
    ...changes,
  });
  if (!made.ok) throw new Error(made.message);
  if (made.by !== "code") throw new Error("no code was made");
  return { ...made, invitation: await post.finds(mara, "pairing code") };
}

const bindings = async (post: Correspondence) =>
  (await post.service.owlpost.people()).bindings.map(({ person, address }) => [
    person.name,
    person.role,
    address,
  ]);

describe("pairing by mail", () => {
  test("the code comes back as the reply to a mail that does not hold it", async () => {
    const post = await aCorrespondence();
    const { code, mailedTo, say, invitation, bot, link } = await invited(post);
    expect([mailedTo, say, bot, link]).toEqual([mara, code, undefined, undefined]);
    expect(invitation.raw.toString()).not.toContain(code);
    expect(invitation.mail.text).toContain("as mara, a member");
    post.writes({ from: mara, answers: invitation.mail, text: code });
    await post.finds(mara, "Welcome, mara. You are a member here");
    expect(await bindings(post)).toEqual([["mara", "member", mara]]);
    await post.finds(eric, "mara is paired on email as member (id mara@example.net)");
  });

  test.each([
    ["as a command", (code: string) => `/pair ${code}`],
    ["in small letters, with a dash", (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase()],
    ["above a comment", (code: string) => `${code}\n\nThanks!`],
  ])("also %s", async (_how, write) => {
    const post = await aCorrespondence();
    const { code, invitation } = await invited(post);
    post.writes({ from: mara, answers: invitation.mail, text: write(code) });
    await post.finds(mara, "Welcome, mara");
  });

  test("whoever is paired is asked what waits for them, and answers it", async () => {
    const post = await aCorrespondence();
    const id = await post.asks({ answerable_by: ["owner", "mara"] });
    const { code, invitation } = await invited(post);
    post.writes({ from: mara, answers: invitation.mail, text: code });
    const question = await post.finds(mara, `[${id}]`, "Token refresh");
    post.taps(question, "1", mara);
    await post.becomes(id, "answered");
  });

  test("a reply that is not proven gets silence, and so does everybody else who has the code", async () => {
    const post = await aCorrespondence();
    const { code, invitation } = await invited(post);
    await post.settles();
    const before = post.smtp.taken.filter(({ to }) => !to.includes(eric)).length;
    post.writes({ from: mara, answers: invitation.mail, text: code, verdict: "fail" });
    post.writes({ from: stranger, answers: invitation.mail, text: code });
    post.writes({ from: stranger, answers: invitation.mail, text: `/pair ${code}` });
    await post.settles();
    expect(await bindings(post)).toEqual([]);
    expect(post.smtp.taken.filter(({ to }) => !to.includes(eric))).toHaveLength(before);
    const events = await post.service.owlpost.events(0, 1_000);
    expect(events.filter(({ kind }) => kind === "pairing.failed")).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === "reply.refused").length).toBeGreaterThan(0);
    // The code is still good for whom it was made.
    post.writes({ from: mara, answers: invitation.mail, text: code });
    await post.finds(mara, "Welcome, mara");
  });

  test("after ten minutes the code is worth nothing", async () => {
    const post = await aCorrespondence();
    const { code, invitation } = await invited(post);
    post.clock.advance(11 * minute);
    post.writes({ from: mara, answers: invitation.mail, text: code });
    await post.settles();
    expect(await bindings(post)).toEqual([]);
  });

  test("a word of eight letters from somebody who waits for no code is no code", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const { mail } = await post.finds(eric, id);
    post.writes({ answers: mail, text: "whatever" });
    await post.settles();
    const events = await post.service.owlpost.events(0, 1_000);
    expect(events.filter(({ kind }) => kind.startsWith("pairing."))).toEqual([]);
  });

  test.each([
    ["no address", undefined, "paired by their address"],
    ["a number", "42", "such as owl@example.org"],
    ["two of them", "a@example.org, b@example.org", "such as owl@example.org"],
    ["letters that no server must know", "mära@example.org", "such as owl@example.org"],
  ])("%s is refused", async (_what, address, words) => {
    const post = await aCorrespondence();
    const request = { name: "mara", role: "member", channel: "email" };
    const made = await post.service.owlpost.pair(address === undefined ? request : { ...request, address });
    expect(made).toMatchObject({ ok: false, error: "bad-usage", message: expect.stringContaining(words) });
    expect(post.smtp.taken).toEqual([]);
  });
});

test("whoever is paired counts as somebody who may answer, also where the configuration names nobody", async () => {
  const post = await aCorrespondence({ to: [] });
  const { code, invitation } = await invited(post);
  post.writes({ from: mara, answers: invitation.mail, text: code });
  await post.finds(mara, "Welcome, mara");
  const { bindings: bound } = await post.service.owlpost.people();
  const config = aConfig({ channels: { email: post.settings } });
  expect(withPeople(config, "email", bound).channels.email).toMatchObject({ to: [mara] });
});
