import { describe, expect, test } from "vitest";
import { markFor } from "../../channels/github/mark.ts";
import type { Comment } from "../../channels/github/rest.ts";
import { decode } from "../../channels/github.ts";
import { aQuestionId, aTools } from "../builders.ts";

const me = { id: "900001", login: "owlpost-bot" };
const q = aQuestionId;
const other = "q-a3f2-013-cache-2";
const at = "2026-11-29T19:45:08Z";
const eric = { id: 583_231, login: "eric-gh", type: "User" };

function aComment(body: string, changes: Partial<Comment> = {}): Comment {
  return { id: 77, node_id: "IC_77", body, user: eric, created_at: at, updated_at: at, ...changes };
}
const decoded = (body: string, changes: Partial<Comment> = {}) => decode(aComment(body, changes), me, "77");
const texts = (body: string) => decoded(body).map(({ text }) => text);

describe("what a comment says to us", () => {
  test("names its author by number, its time, its place, and the question that it is about", () => {
    expect(decode(aComment(`${q} 2`), me, "77", (question) => (question === q ? "55" : undefined))).toEqual([
      {
        key: "77",
        sender: "583231",
        name: "eric-gh",
        at: Date.parse(at),
        text: `${q} 2`,
        chat: "default",
        message: "77",
        addressed: false,
        about: q,
        to: "55",
      },
    ]);
  });

  test.each([
    ["an id and a key", `${q} 2`, [`${q} 2`]],
    ["in capitals", `${q.toUpperCase()} 2`, [`${q.toUpperCase()} 2`]],
    [
      "with a reason below, which is for people",
      `${q} 2\r\n\r\nThe tokens are short-lived anyway.`,
      [`${q} 2`],
    ],
    ["an id alone on its line, the key below", `${q}\n2\n`, [`${q} 2`]],
    ["a mention alone on its line", `@owlpost-bot\n\n/status`, ["@owlpost-bot /status"]],
    ["a verb with an id", `/skip ${q}`, [`/skip ${q}`]],
    ["the other mark", `!retry ${q}`, [`!retry ${q}`]],
    [
      "words of their own, with all their lines",
      `/answer ${q} neither:\n\n- keep the cookies\n- refresh them hourly`,
      [`/answer ${q} neither:\n\n- keep the cookies\n- refresh them hourly`],
    ],
    [
      "a note that holds code",
      `/steer ${q} look:\n\`\`\`\n@owlpost-bot\n\`\`\``,
      [`/steer ${q} look:\n\`\`\`\n@owlpost-bot\n\`\`\``],
    ],
    ["two answers, each on its line", `${q} 1\n${other} 2`, [`${q} 1`, `${other} 2`]],
    [
      "an answer, then words of their own",
      `${q} 1\n/answer ${other} in May\nor June`,
      [`${q} 1`, `/answer ${other} in May\nor June`],
    ],
    ["with a mention", "@owlpost-bot 2", ["@owlpost-bot 2"]],
    ["a mention in the middle", "hey @OwlPost-Bot, what is open?", ["hey @OwlPost-Bot, what is open?"]],
    ["behind words for people", `Thanks, that helps.\n\n${q} 2`, [`${q} 2`]],
    ["a mention behind words for people", "Good morning.\n@owlpost-bot status", ["@owlpost-bot status"]],
    ["behind pasted code", "```\nq-x-log-1 1\n```\n@owlpost-bot skip", ["@owlpost-bot skip"]],
    ["an id somewhere in the line: the grammar decides", `as for ${q}, hm`, [`as for ${q}, hm`]],
    ["two choices: nobody knows which, so the grammar gets both", `${q} 1\n2`, [`${q} 1\n2`]],
    ["the same choice twice is one", `${q} 1\n1`, [`${q} 1`]],
  ])("%s", (_name, body, wanted) => {
    expect(texts(body)).toEqual(wanted);
  });

  test.each([
    ["people talking", "I think 2 is right"],
    ["a bare key", "2"],
    ["a bare verb", "/skip"],
    ["another bot's command", "/lgtm"],
    ["another account", "@owlpost-bot2 2"],
    ["an address", "mail me at eric@owlpost-bot"],
    ["a mention in code", "`@owlpost-bot` is what I typed"],
    ["a mention in a block of code", "see\n~~~\n@owlpost-bot 2\n~~~"],
    ["an id in a block of code", `look\n\`\`\`\n${q} 1\n\`\`\``],
    ["a mention in a quote", "> @owlpost-bot 2\n\nyes, that"],
    ["a quote alone", `> ${q} 2`],
    ["an id that is none", "q-a3f2-012-fix-auth-0 1"],
    ["a longer word that holds an id", `x-${q} 1`],
    ["nothing", " \n\n "],
    ["no text at all", undefined],
  ])("nothing: %s", (_name, body) => {
    expect(decode({ ...aComment(""), ...(body === undefined ? {} : { body }) }, me, "77")).toEqual([]);
  });

  test.each([
    ["its header", `> 🦉 **owlpost needs a decision** [${q}]\n> Task: 012\n\n2`, q, ["2"]],
    [
      "all of it, which names the one question often",
      `> [${q}]\n> Comment: ${q} 1 (or 2) · /skip ${q}\n2`,
      q,
      ["2"],
    ],
    [
      "a mail program below",
      `2\r\n\r\nOn Mon, 30 Nov 2026, owlpost-bot wrote:\r\n> owlpost needs a decision [${q}]`,
      q,
      ["2"],
    ],
    ["a list of several", `> ${q}\n> ${other}\n\n2`, undefined, []],
    ["somebody else's words", "> what do you think?\n\n2", undefined, []],
  ])("a quote of %s", (_name, body, about, wanted) => {
    const replies = decoded(body);
    expect(replies.map(({ text }) => text)).toEqual(wanted);
    expect(replies[0]?.about).toBe(about);
    expect(replies[0]?.addressed ?? false).toBe(false);
  });

  test("an id in the words stands beside the question that is quoted: the core says which counts", () => {
    expect(decoded(`> [${q}]\n\n${other} 2`)).toMatchObject([{ text: `${other} 2`, about: q }]);
  });

  test.each([
    [`@owlpost-bot 2`, true, ["@owlpost-bot"]],
    [`/skip ${q}`, true, undefined],
    [`/answer@owlpost-bot ${q} later`, true, ["@owlpost-bot"]],
    [`${q} ok`, false, undefined],
    [`${q} is hard`, false, undefined],
  ])("%s: is it said to the bot?", (body, addressed, mentions) => {
    expect(decoded(body)[0]).toMatchObject({ addressed });
    expect(decoded(body)[0]?.mentions).toEqual(mentions);
  });

  test("each of several replies has a key of its own, and twenty are enough of one comment", () => {
    const lines = Array.from({ length: 5_000 }, (_, n) => `${q} ${n % 3}`).join("\n");
    const replies = decoded(lines);
    expect(replies).toHaveLength(20);
    expect(replies.slice(0, 3).map(({ key }) => key)).toEqual(["77", "77/2", "77/3"]);
    expect(replies.slice(0, 3).map(({ message }) => message)).toEqual(["77", "77/2", "77/3"]);
  });

  test.each([
    ["a longer fence around a shorter one", "````\n```\nQUESTION 1\n```\n````"],
    ["tildes inside of backticks", "```\n~~~\nQUESTION 1\n```"],
    ["a fence with words behind it inside of another", "```\n``` sh\nQUESTION 1\n```"],
    ["code on one line that looks like a fence", "```npm test``` fails"],
  ])("%s: what stands in it is code, and what stands behind it is said", (_what, code) => {
    const text = code.replaceAll("QUESTION", q);
    expect(decoded(`${text}\n\n${q} 2`).map((reply) => reply.text)).toEqual([`${q} 2`]);
  });

  test("what was changed later says so, and counts from then", () => {
    const later = "2026-11-29T20:00:00Z";
    expect(decoded(`${q} 2`, { updated_at: later })).toMatchObject([{ edited: true, at: Date.parse(later) }]);
  });

  test("a long text takes no long time", () => {
    const began = performance.now();
    for (const part of [
      "q-a-",
      "q-a3f2-0-",
      "@owlpost-bo",
      "`",
      "> ",
      "/answer ",
      "q-a-1-1 ",
      "\n",
      "~~~\n",
    ]) {
      decoded(part.repeat(Math.floor(65_536 / part.length)));
      decoded(`@owlpost-bot ${part.repeat(Math.floor(65_000 / part.length))}`);
    }
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe("field 72: what owlpost and other programs write is never read as an answer", () => {
  const answer = `${q} 2`;
  test.each([
    [
      "our own comment",
      `${markFor("k", aTools())}\n${answer}`,
      { user: { id: 900_001, login: "owlpost-bot", type: "User" } },
    ],
    [
      "an edited one of ours",
      `${markFor(`${q}/edit`, aTools())}\n${answer}`,
      { updated_at: "2026-11-29T21:00:00Z" },
    ],
    ["one of ours under the owner's own account", `${markFor("k", aTools())}\n${answer}`, {}],
    ["one of another home", `<!-- owlpost:k:aaaaaaaaaaaaaaaaaaaaaaaaaa -->\n${answer}`, {}],
    ["one without its first line", `<!-- owlpost:question:${q} -->\n${answer}`, {}],
    ["a bot's", answer, { user: { id: 5, login: "dependabot[bot]", type: "Bot" } }],
    ["an organization's", answer, { user: { id: 5, login: "nightjar-labs", type: "Organization" } }],
    ["an app's, in a person's name", answer, { performed_via_github_app: { id: 7, slug: "some-app" } }],
    ["nobody's: the account is gone", answer, { user: null }],
  ])("%s", (_name, body, changes) => {
    expect(decoded(answer)).toHaveLength(1);
    expect(decoded(body, changes)).toEqual([]);
  });

  test("what the owner types under the account of the token is theirs all the same", () => {
    expect(decode(aComment(answer), { id: "583231", login: "eric-gh" }, "77")).toMatchObject([
      { sender: "583231" },
    ]);
  });
});
