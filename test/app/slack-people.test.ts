import { describe, expect, test } from "vitest";
import { until } from "../homes.ts";
import { eric, inTeam, mara, nils, ops } from "../slack/phone.ts";
import { botUser } from "../slack/workspace.ts";
import { aSlackConversation, type SlackConversation } from "./slack-conversation.ts";

const later = { default: { action: "skip_spec", at: "20h" } };

async function aCode(talk: SlackConversation, name: string, role = "member"): Promise<string> {
  const made = await talk.service.owlpost.pair({ name, role, channel: "slack" });
  if (!made.ok || made.by !== "code") throw new Error(JSON.stringify(made));
  return made.code;
}
const names = async (talk: SlackConversation) =>
  (await talk.service.owlpost.people()).bindings.map(({ person, address }) => [person.name, address]);

describe("pairing on Slack", () => {
  test("a code counts in private, by a command wherever it is typed, and is worth nothing once others have read it", async () => {
    const talk = await aSlackConversation({ channel: ops });
    const id = await talk.asks(later);
    await talk.sees(ops, id);

    talk.types(mara, `!pair ${await aCode(talk, "mara")}`);
    await talk.sees(mara, "Welcome, mara");
    await talk.sees(eric, "mara is paired on slack as member");

    const read = await aCode(talk, "nils");
    talk.types(eric, `!pair ${read}`, { in: ops, thread: id });
    await talk.sees(ops, /code/i, /private|revoked|no longer/i);
    talk.types(nils, `!pair ${read}`);
    await talk.settles();
    expect(talk.texts(nils)).toEqual([`!pair ${read}`]);
    expect(await names(talk)).toEqual([["mara", inTeam(mara)]]);

    // Whoever is nobody yet is not told, either, that a code was seen by everybody.
    const stray = await aCode(talk, "nils");
    talk.types(nils, `!pair ${stray}`, { in: ops });
    await talk.settles();
    const before = talk.texts(ops).length;
    talk.slash(nils, `pair ${stray}`, ops);
    await talk.settles();
    expect(talk.texts(ops)).toHaveLength(before);
    expect(await names(talk)).toHaveLength(1);

    talk.slash(nils, `pair ${await aCode(talk, "nils", "viewer")}`, ops);
    await talk.isTold(nils, "Welcome, nils");
    talk.taps(nils, "1", id, ops);
    await talk.isTold(nils, /viewer/);
    expect(await talk.state(id)).toBe("posted");
  });

  test("guesses are met with silence, and after five nothing is heard any more, not even the right one", async () => {
    const talk = await aSlackConversation({ channel: ops });
    const code = await aCode(talk, "mara");
    for (let n = 1; n <= 5; n += 1) talk.slash(nils, `pair AAAABBB${n}`, ops);
    await talk.settles();
    talk.slash(nils, `pair ${code}`, ops);
    await talk.settles();
    expect(talk.whispers(nils)).toEqual([]);
    expect(talk.slack.people.signs).toEqual([]);
    expect(await names(talk)).toEqual([]);
    talk.slash(mara, `pair ${code}`);
    await talk.isTold(mara, "Welcome, mara");
  });
});

describe("who is who", () => {
  test("somebody of another team in a shared channel is told nothing, whatever the id", async () => {
    const talk = await aSlackConversation({ channel: ops, allow: [inTeam(eric)] });
    talk.slack.addPerson("U0FAKEELSE", "eric", { shown: "Eric", team: "T0OTHERONE" });
    talk.slack.workspace.room(ops).members.add("U0FAKEELSE");
    const id = await talk.asks(later);
    await talk.sees(ops, id);
    talk.taps("U0FAKEELSE", "1", id, ops);
    talk.types("U0FAKEELSE", "1", { in: ops, thread: id });
    talk.types("U0FAKEELSE", `@owlpost ${id} 1`, { in: ops });
    await talk.settles();
    expect(await talk.state(id)).toBe("posted");
    expect(talk.whispers("U0FAKEELSE")).toEqual([]);
    expect(talk.thread(ops, id)).toEqual(["1"]);
  });

  test("an answer shows who gave it by the name that they chose, or else by their own", async () => {
    const talk = await aSlackConversation({ channel: ops, allow: [inTeam(eric), inTeam(nils)] });
    const first = await talk.asks(later);
    const second = await talk.asks({ ...later, task: "013-search", title: "Which index for `src/search`?" });
    await talk.sees(ops, second);
    talk.taps(eric, "1", first, ops);
    talk.taps(nils, "2", second, ops);
    await talk.sees(ops, first, `(by Eric (${inTeam(eric)}),`);
    await talk.sees(ops, second, `(by Nils Fake (${inTeam(nils)}),`);
  });
});

describe("field 29: every copy of a question", () => {
  test("in each owner's private chat shows at once how it ended, wherever that was decided", async () => {
    const talk = await aSlackConversation({ allow: [inTeam(eric), inTeam(mara)] });
    const first = await talk.asks(later);
    const second = await talk.asks({ ...later, task: "013-search", title: "Which index for `src/search`?" });
    for (const person of [eric, mara]) await talk.sees(person, second);
    expect(talk.texts(ops)).toEqual([]);

    talk.types(eric, "2", { thread: first });
    await talk.sees(mara, first, "✅ Answered: 2", `(by Eric (${inTeam(eric)}),`);
    talk.taps(mara, "1", first);
    await talk.isTold(mara, "already answered", "Eric");

    await talk.service.owlpost.decide({ verb: "choose", question: second, key: "1" }, "inbox");
    for (const person of [eric, mara]) {
      await talk.sees(person, second, "✅ Answered: 1");
      await until(
        () => [...talk.buttons(person, first), ...talk.buttons(person, second)],
        (buttons) => buttons.length === 0,
      );
    }
    expect(talk.messages(eric).filter(({ user }) => user === botUser)).toHaveLength(3);
  });
});

test("field 32: what an agent writes rings nobody, and forges no line of ours", async () => {
  const talk = await aSlackConversation({ channel: ops, allow: [inTeam(eric)] });
  const evil = "<!channel> <@U0FAKEMARA> @here &lt;!here&gt; <https://example.org|owlpost> `src/a.ts`";
  const id = await talk.asks({
    ...later,
    title: "Is <!channel> fine with *this*, <@U0FAKEMARA>?",
    context: `${evil}\n:white_check_mark: Answered: 2 (by eric)`,
    tried: `\`\`\`\n${evil}\n\`\`\``,
    options: [
      { key: "1", label: "<!here> go", consequence: "<@U0FAKEMARA> waits", recommended: true },
      { key: "2", label: "*stop* ~it~", consequence: "<!everyone> sleeps" },
    ],
  });
  const text = await talk.sees(ops, id);
  expect(text).toContain("<!channel>");
  expect(text).not.toMatch(/^(?:✅|:white_check_mark:)/m);
  talk.taps(eric, "1", id, ops);
  await talk.sees(ops, id, "✅ Answered: 1");
  talk.types(eric, `!answer ${id} <!channel> all of it`, { in: ops, thread: id });
  await talk.settles();
  expect(talk.messages(ops).flatMap(({ pings }) => pings)).toEqual([]);
});
