import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encode } from "../../channels/ntfy.ts";
import { takeIn } from "../../src/app/inbox-turn.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { placesOf } from "../../src/app/route.ts";
import { signing } from "../../src/app/tokens.ts";
import type { Reply } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, aTools, evening, minute } from "../builders.ts";
import { afterwards, aHome } from "../homes.ts";
import { aMessage, ask, heard, reply, someSettings } from "../ntfy/phone.ts";

const settings = someSettings("https://ntfy.example.org");
const first = "q-a3f2-012-fix-auth-1" as QuestionId;
const second = "q-a3f2-013-1" as QuestionId;

type Said = Parameters<typeof encode>[1]["buttons"][number]["action"];

/** The body of a button as it stands on the phone. */
function body(question: QuestionId, action: Said, given = settings, tools = aTools()): string {
  const button = { label: "x", question, action, primary: false };
  const [made] = encode("", aMessage({ buttons: [button] }), tools, given).actions ?? [];
  if (!made) throw new Error("no button");
  return made.body;
}

const right = body(first, { key: "2" });
const [id = "", key = "", token = ""] = right.split(" ");
const tokenOf = (text: string): string => text.split(" ").at(-1) ?? "";
const otherHome = aTools(signing(Buffer.from("the key of somebody else's home")));
const changed = (at: number): string => {
  const letter = token[at] === "a" ? "b" : "a";
  return `${token.slice(0, at)}${letter}${token.slice(at + 1)}`;
};

/** What comes in on the reply topic as a message with that text. */
const texts: Readonly<Record<string, string>> = {
  "a bare key": "2",
  "an id and a key": `${id} ${key}`,
  "an id, a key and no token, with the blank left": `${id} ${key} `,
  "a label": "Extend the TTL to 30 days",
  "the word go": "go",
  "a thumb": "👍",
  "skip, as it is typed elsewhere": `/skip ${id}`,
  "skip with a bang": `!skip ${id}`,
  "retry, as it is typed elsewhere": `/retry ${id}`,
  "an answer in words": `/answer ${id} use rotation`,
  "an override": `/override ${id} 1`,
  "a note": `/steer ${id} drop the table`,
  "a run that is to stop": "/abort a3f2",
  "a pairing code": "/pair ABCD2345",
  "a deep link's code": "/start ABCD2345",
  leaving: "/unpair",
  "the last letter of the token": `${id} ${key} ${changed(25)}`,
  "the first letter of the token": `${id} ${key} ${changed(0)}`,
  "a letter in its middle": `${id} ${key} ${changed(13)}`,
  "a token of as only": `${id} ${key} ${"a".repeat(26)}`,
  "a token that is one letter short": `${id} ${key} ${token.slice(0, 25)}`,
  "a token that is one letter long": `${id} ${key} ${token}a`,
  "half a token": `${id} ${key} ${token.slice(0, 13)}`,
  "the token backwards": `${id} ${key} ${[...token].reverse().join("")}`,
  "the token twice": `${id} ${key} ${token} ${token}`,
  "the token before the key": `${id} ${token} ${key}`,
  "the token alone": token,
  "the id and the token": `${id} ${token}`,
  "the key and the token": `${key} ${token}`,
  "another option with this one's token": `${id} 1 ${token}`,
  "an option that does not exist": `${id} 9 ${token}`,
  "skip with an option's token": `${id} /skip ${token}`,
  "go ahead with an option's token": `${id} /go ${token}`,
  "more with an option's token": `${id} /more ${token}`,
  "an option with skip's token": `${id} ${key} ${tokenOf(body(first, { verb: "skip" }))}`,
  "an option with go ahead's token": `${id} 1 ${tokenOf(body(first, { verb: "go" }))}`,
  "an option with more's token": `${id} 1 ${tokenOf(body(first, { verb: "more" }))}`,
  "skip without its mark": `${id} skip ${tokenOf(body(first, { verb: "skip" }))}`,
  "retry, which no button offers": `${id} /retry ${token}`,
  "abort with a token": `a3f2 /abort ${token}`,
  "steer with a token": `${id} /steer ${token}`,
  "another question with this one's token": `${second} ${key} ${token}`,
  "this question with another one's token": `${id} ${key} ${tokenOf(body(second, { key: "2" }))}`,
  "another recipient's token": body(first, { key }, { ...settings, name: "mara" }),
  "the token of another ask topic": body(first, { key }, { ...settings, ask_topic: "another-topic" }),
  "another home's token": body(first, { key }, settings, otherHome),
  "the key in other digits": `${id} ２ ${token}`,
  "a key in capitals": `${id} A ${token}`,
  "the id in capitals": `${id.toUpperCase()} ${key} ${token}`,
  "two blanks": `${id}  ${key} ${token}`,
  "a tab": `${id}\t${key}\t${token}`,
  "a zero-width space in the token": `${id} ${key} ${token.slice(0, 5)}\u200b${token.slice(5)}`,
  "a zero-width joiner before the id": `\u200d${right}`,
  "a bidi override before the id": `\u202e${right}`,
  "NUL behind the token": `${right}\u0000`,
  "something before it": `please: ${right}`,
  "something behind it": `${right} thanks`,
  "a line before it": `hello\n${right}`,
  "a line behind it": `${right}\nhello`,
  "the body twice": `${right}\n${right}`,
  "the body quoted": `> ${right}`,
  "the body in quotes": `"${right}"`,
  "the body as JSON": JSON.stringify({ body: right }),
  "the body in base64": Buffer.from(right).toString("base64"),
  "the body for a URL": encodeURIComponent(right),
  "a form's body": `body=${encodeURIComponent(right)}`,
  "a payload of Telegram's": `o1|${id}|${key}`,
  "a reply address of mail's": `owl+${id}.${token}@example.org`,
  nothing: "",
  blanks: " \n\t ",
  "what the server says of nothing": "triggered",
  "an emoji": "✅",
  "a line that looks like ours": "✅ Answered: 2 — Extend the TTL to 30 days (by eric, 02:14)",
  "a long text": `${"word ".repeat(800)}${right}`,
};

const line = (changes: Record<string, unknown>) => ({
  id: "FAKEmsg00001",
  time: Math.floor(evening / 1_000),
  event: "message",
  topic: reply,
  message: right,
  ...changes,
});

/** What comes in on the stream with the right body in it, and is no message that somebody published there. */
const events: Readonly<Record<string, unknown>> = {
  "on the ask topic": line({ topic: ask }),
  "on a topic of somebody else's": line({ topic: "elsewhere" }),
  "on both topics at once": line({ topic: `${ask},${reply}` }),
  "without a topic": line({ topic: undefined }),
  "as a sign of life": line({ event: "keepalive" }),
  "as the beginning of the stream": line({ event: "open" }),
  "as a notification that was dismissed": line({ event: "message_clear" }),
  "as one that was deleted": line({ event: "message_delete" }),
  "as a request to fetch": line({ event: "poll_request" }),
  "as a kind that nobody knows": line({ event: "message_edit" }),
  "without a kind": line({ event: undefined }),
  "with a file": line({ attachment: { name: "a.txt", url: "https://ntfy.example.org/file/a.txt" } }),
  "with an empty file": line({ attachment: {} }),
  "in base64": line({ encoding: "base64", message: Buffer.from(right).toString("base64") }),
  "called base64 and in the clear": line({ encoding: "base64" }),
  "in its title": line({ title: right, message: "triggered" }),
  "in its tags": line({ tags: [right], message: "triggered" }),
  "in a button": line({ actions: [{ action: "http", label: "x", body: right }], message: "triggered" }),
  "as a list": line({ message: [right] }),
  "as an object": line({ message: { text: right } }),
  "as a number": line({ message: 2 }),
  "without an id": line({ id: undefined }),
  "with an id that is none": line({ id: { $ne: "" } }),
  "with an id of many lines": line({ id: "a\nb" }),
  "without a time": line({ time: undefined }),
  "with a time in words": line({ time: "now" }),
  "with a time that is no instant": line({ time: Number.NaN }),
  "in a list": [line({})],
  "as a text": JSON.stringify(line({})),
  "as nothing": null,
};

async function aTurn() {
  const home = aHome();
  const store = await openStore(join(home, "owlpost.db"));
  afterwards(() => store.close());
  const config = aConfig({ deliver: ["ntfy"], channels: { inbox: {}, ntfy: settings } });
  const owlpost = await openOwlpost({ home, config, store, now: () => evening });
  await owlpost.ask({ document: aDocument() });
  await owlpost.ask({ document: aDocument({ task: "013", title: "And what about `013`?" }) });
  let at = evening;
  return {
    store,
    take: async (replies: readonly Reply[]) => {
      at += 2 * minute;
      const { acks } = await takeIn(
        "ntfy",
        { replies, cursor: "x:y:1" },
        { store, now: () => at, project: "default", places: placesOf(config) },
      );
      return acks;
    },
    async isUntouched(): Promise<boolean> {
      const kinds = (await store.events(0, 10_000)).map(({ kind }) => kind);
      const [one, other] = await Promise.all([store.question(first), store.question(second)]);
      const asked = kinds.filter((kind) => kind !== "reply.refused");
      expect(asked).toEqual(["question.asked", "question.asked"]);
      expect([one?.state, other?.state]).toEqual(["pending", "pending"]);
      return (await store.notes(0, 10)).length === 0;
    },
  };
}

describe("field 41: unsigned and forged messages", () => {
  test("there are more than a hundred shapes", () => {
    expect(Object.keys(texts).length + Object.keys(events).length).toBeGreaterThan(100);
  });

  test("none of the texts is accepted, and the right one is", async () => {
    const turn = await aTurn();
    let n = 0;
    for (const [name, message] of Object.entries(texts)) {
      n += 1;
      const { reply: said } = heard(line({ id: `FAKEtext${n}`, message }), settings);
      const acks = said ? await turn.take([said]) : [];
      expect([name, acks.filter(({ accepted }) => accepted)]).toEqual([name, []]);
      expect(said === null || said.token === null, name).toBe(true);
    }
    expect(await turn.isUntouched()).toBe(true);
    for (const [n, message] of [right, `${right}\n`, `${id} ${key} ${token.toUpperCase()}`].entries()) {
      const { reply: said } = heard(line({ id: `FAKEright${n}`, message }), settings);
      expect(said && (await turn.take([said]))).toMatchObject([{ accepted: true, state: "answered" }]);
    }
    expect((await turn.store.question(first))?.answer).toMatchObject({
      option: "2",
      by: "ntfy",
      via: "ntfy",
    });
    expect((await turn.store.question(second))?.state).toBe("pending");
  });

  test("nothing but a message of the reply topic is heard, whatever it holds", async () => {
    for (const [name, event] of Object.entries(events))
      expect([name, heard(event, settings).reply]).toEqual([name, null]);
    expect(heard(line({}), settings).reply?.token).toBe(first);
  });

  test("a reply whose press and token speak of two questions is refused", async () => {
    const turn = await aTurn();
    const said = heard(line({}), settings).reply;
    if (!said) throw new Error("no reply");
    const mixed = { ...said, press: { question: second, action: "2" } };
    expect(await turn.take([mixed])).toMatchObject([{ accepted: false, reason: "not-allowed" }]);
    expect(await turn.isUntouched()).toBe(true);
  });

  test("many forged ones in one batch bring one hint, and no receipt each", async () => {
    const turn = await aTurn();
    const replies = Array.from({ length: 200 }, (_, n) =>
      heard(line({ id: `FAKEflood${n}`, message: `${id} ${key} ${changed(n % 26)}` }), settings),
    ).flatMap(({ reply: said }) => (said ? [said] : []));
    await turn.take(replies);
    const jobs = await turn.store.queue("ntfy", reply, 1_000);
    expect(jobs.map(({ kind, notice }) => [kind, notice?.kind])).toEqual([["receipt", "hint"]]);
  });
});
