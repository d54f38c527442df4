import { describe, expect, test } from "vitest";
import {
  mayAnswer,
  mayOverride,
  ownerRoutes,
  recipientAt,
  routesFor,
  speakerOf,
} from "../../src/core/people.ts";
import type { Speaker } from "../../src/domain/person.ts";
import type { Answer } from "../../src/domain/question.ts";
import { aBinding, anAnswer, aPlace } from "../builders.ts";

const mara = aBinding({ id: 2, person: { name: "mara", role: "member" }, address: "43" });
const ola = aBinding({ id: 3, person: { name: "ola", role: "viewer" }, address: "44" });
const inbox = aPlace({ channel: "inbox", chats: "page" });

describe("who speaks", () => {
  test("where a channel knows nobody, a token speaks as the named recipient, who is a member", () => {
    const places = [aPlace(), aPlace({ channel: "ntfy", chats: "one", recipient: "eric" })];
    expect(recipientAt(places, "ntfy")).toEqual({ name: "eric", role: "member" });
    expect(recipientAt(places, "telegram")).toBeUndefined();
    expect(recipientAt(places, "elsewhere")).toBeUndefined();
  });

  test("R10: an empty allow list and no binding is nobody", () => {
    expect(speakerOf(undefined, false, "42", "Eric")).toBeUndefined();
  });

  test("a binding gives the name and the role, and its number", () => {
    expect(speakerOf(mara, false, "43", "Mara the Owl")).toEqual({
      name: "mara",
      role: "member",
      binding: 2,
    });
  });

  test("the role is the higher of both", () => {
    expect(speakerOf(mara, true, "43")).toEqual({ name: "mara", role: "owner", binding: 2 });
  });

  test.each([
    ["Eric", "Eric (42)"],
    [undefined, "42"],
    ["  \u200b ", "42"],
    ["\u3164", "42"],
    ["Eric\n\u202eirc", "Eric irc (42)"],
    ["x".repeat(60), `${"x".repeat(39)}… (42)`],
  ])("an allowed id that nobody paired, called %j, is shown as %j", (name, shown) => {
    expect(speakerOf(undefined, true, "42", name)).toEqual({ name: shown, role: "owner" });
  });
});

describe("what a role may do", () => {
  test("a member changes an answer of their own alone, an owner any", () => {
    const member = speakerOf(mara, false, "43");
    const owner = speakerOf(aBinding(), false, "42");
    const viewer = speakerOf(ola, false, "44");
    if (!member || !owner || !viewer) expect.fail("somebody is a stranger");
    const may = (speaker: Speaker, answer?: Answer, answerable_by?: string[]) =>
      mayOverride(speaker, answerable_by ? { answerable_by } : {}, answer);
    expect(may(member, anAnswer({ by: "mara" }))).toBe(true);
    expect(may(member, anAnswer({ by: "eric" }))).toBe(false);
    expect(may(member, anAnswer())).toBe(false);
    expect(may(owner, anAnswer({ by: "mara" }))).toBe(true);
    expect(may(viewer, anAnswer({ by: "ola" }))).toBe(false);
    // Nobody has answered: that there is nothing to change is for somebody else to say.
    expect(may(member)).toBe(true);
    // Who may not answer it may not change the answer.
    expect(may(owner, anAnswer({ by: "mara" }), ["mara"])).toBe(false);
    // The owner of this machine may do everything.
    expect(mayOverride({}, { answerable_by: ["mara"] }, anAnswer({ by: "mara" }))).toBe(true);
  });

  test.each<[string[] | undefined, string[]]>([
    [undefined, ["eric", "mara"]],
    [[], ["eric", "mara"]],
    [["owner"], ["eric"]],
    [["member"], ["mara"]],
    [[" MARA "], ["mara"]],
    [["viewer", "ola"], []],
    [["nobody"], []],
  ])("answerable_by %j is %j", (answerableBy, names) => {
    const speakers = [aBinding(), mara, ola].flatMap((each) => speakerOf(each, false, each.address) ?? []);
    expect(speakers.filter((each) => mayAnswer(each, answerableBy)).map(({ name }) => name)).toEqual(names);
  });
});

describe("whom a question rings", () => {
  const bindings = [aBinding(), mara, ola];
  const destinations = (...given: Parameters<typeof routesFor>) =>
    routesFor(...given).map(({ channel, destination }) => `${channel} ${destination}`);

  test("R10: nobody allowed and nobody bound gives no route", () => {
    expect(destinations([aPlace()], [])).toEqual([]);
    expect(destinations([aPlace()], [aBinding({ channel: "slack" })])).toEqual([]);
  });

  test("every owner in private, allowed ones first, each once", () => {
    expect(destinations([aPlace({ allow: ["41", "42"] })], bindings)).toEqual(["telegram 41", "telegram 42"]);
    expect(destinations([aPlace()], bindings)).toEqual(["telegram 42"]);
    expect(destinations([aPlace({ allow: ["43"] })], [mara])).toEqual(["telegram 43"]);
  });

  test.each<[string[], string[]]>([
    [["member"], ["telegram 43"]],
    [["mara"], ["telegram 43"]],
    [
      ["owner", "member"],
      ["telegram 42", "telegram 43"],
    ],
    [["eric"], ["telegram 42"]],
    [["viewer"], []],
    [["ola"], []],
    [["nobody"], []],
  ])("answerable_by %j rings %j", (answerableBy, rung) => {
    expect(destinations([aPlace()], bindings, answerableBy)).toEqual(rung);
  });

  test("a configured chat stands for everybody; a page and a single place need nobody", () => {
    const ntfy = aPlace({ channel: "ntfy", chats: "one" });
    const github = aPlace({ channel: "github", chats: "one", isPublic: true });
    expect(destinations([inbox, aPlace({ chat: "-100/44", allow: ["42"] }), ntfy], [], ["mara"])).toEqual([
      "inbox local",
      "telegram -100/44",
      "ntfy default",
    ]);
    expect(ownerRoutes([inbox, aPlace({ chat: "-100/44", allow: ["41"] }), ntfy, github], bindings)).toEqual([
      { channel: "inbox", destination: "local" },
      { channel: "telegram", destination: "41" },
      { channel: "telegram", destination: "42" },
      { channel: "ntfy", destination: "default" },
    ]);
  });
});
