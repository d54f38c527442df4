import { describe, expect, test } from "vitest";
import { readSaid, type Said, type World } from "../../../src/core/grammar.ts";
import type { QuestionId, RunId } from "../../../src/domain/ids.ts";
import { aQuestion } from "../../builders.ts";

const question = aQuestion();
const { id } = question;
const other = aQuestion({ id: "q-a3f2-013-search-1" as QuestionId });
const known = { question };
const world: World = {
  open: [known, { question: other }],
  question: (each) => [known, { question: other }].find((one) => one.question.id === each),
  runs: ["a3f2" as RunId],
};

function aLetter(text: string, comment = "", more: Partial<Said> = {}): Said {
  return {
    text,
    comment,
    chat: "direct",
    addressed: true,
    mentions: [],
    role: "owner",
    token: id,
    thread: id,
    proven: true,
    buttonless: true,
    ...more,
  };
}

describe("what stands beside the first line of a letter", () => {
  const note = "but keep it short,\nfor the night";

  test.each<[string, object]>([
    ["2", { verb: "choose", question: id, key: "2", comment: note }],
    ["Extend the TTL to 30 days", { verb: "choose", question: id, key: "2", comment: note }],
    ["/skip", { verb: "skip", question: id, comment: note }],
    ["!retry", { verb: "retry", question: id, comment: note }],
    [`/override ${id} 2`, { verb: "override", question: id, key: "2", comment: note }],
    ["/answer the third way", { verb: "answer", question: id, text: `the third way\n${note}` }],
    ["/answer 2", { verb: "choose", question: id, key: "2", comment: note }],
    ["/steer mind the tests", { verb: "steer", target: { question: id }, text: `mind the tests\n${note}` }],
  ])("goes with %s", (text, command) => {
    expect(readSaid(aLetter(text, note), world)).toEqual({ kind: "command", command });
  });

  test.each([
    ["1", "2"],
    ["1", "why not\n\n 2) \n"],
    ["2", "Refresh-token rotation"],
    ["1", "/skip"],
    ["/skip", "1"],
    ["/retry", "/skip"],
    ["/answer something else", "2"],
    ["1", "/answer 2"],
    ["1", `${id} 2`],
    ["1", `/answer ${id} 2`],
    ["1", `/skip ${id}`],
    ["1", `/override ${id} 2`],
    [`/override ${id} 1`, "2."],
  ])("%o with %o on a line of its own: nobody can tell which one is meant", (text, comment) => {
    expect(readSaid(aLetter(text, comment), world)).toMatchObject({
      kind: "refused",
      reason: "ambiguous",
      question: id,
      why: { code: "two-answers", question: id },
    });
  });

  test.each([
    ["1", "1"],
    ["1", "see 2 above"],
    ["1", "> 2"],
    ["1", "15"],
    ["1", "x"],
    ["1", "1. one reason\n2. another reason"],
    ["/skip", "/skip"],
    ["1", "/help"],
  ])("%o with %o is one answer", (text, comment) => {
    expect(readSaid(aLetter(text, comment), world)).toMatchObject({ kind: "command", command: { comment } });
  });

  test("the night's two words are told apart, too", () => {
    const night: World = { ...world, question: () => ({ question, form: "consent" }) };
    expect(readSaid(aLetter("go", "skip the tests"), night)).toMatchObject({ command: { goAhead: true } });
    expect(readSaid(aLetter("skip", "go"), night)).toMatchObject({ reason: "ambiguous" });
    expect(readSaid(aLetter("go", "no, wait:\n\nskip"), night)).toMatchObject({ reason: "ambiguous" });
    expect(readSaid(aLetter("skip", "skip"), night)).toMatchObject({ command: { verb: "skip" } });
    expect(readSaid(aLetter("skip", note), night)).toMatchObject({
      command: { verb: "skip", comment: note },
    });
  });
});

describe("a letter's token", () => {
  test("a letter without a word, or without a token, is told so; elsewhere silence is right", () => {
    expect(readSaid(aLetter(""), world)).toEqual({ kind: "unmatched" });
    expect(readSaid(aLetter("", "", { token: null }), world)).toMatchObject({ why: { code: "no-token" } });
    const { comment: _none, ...chat } = aLetter("");
    expect(readSaid(chat, world)).toEqual({ kind: "ignored" });
  });

  test("nothing without it but what is about the sender, whom the channel has proven", () => {
    const hint = (text: string, more: Partial<Said> = {}) =>
      readSaid(aLetter(text, "", { token: null, ...more }), world);
    for (const text of ["1", `${id} 1`, "/skip", "/status", "/steer 012-fix-auth x", "/abort a3f2"]) {
      expect(hint(text), text).toMatchObject({ kind: "refused", why: { code: "no-token" } });
    }
    expect(hint("/pair K7MX2PQR")).toEqual({ kind: "pair", code: "K7MX2PQR" });
    expect(hint("/pair K7MX2PQR", { role: undefined })).toEqual({ kind: "pair", code: "K7MX2PQR" });
    expect(hint("/unpair")).toEqual({ kind: "unpair" });
    const { proven: _nobody, ...unproven } = aLetter("/pair K7MX2PQR", "", { token: null });
    expect(readSaid(unproven, world)).toMatchObject({ why: { code: "no-token" } });
    expect(readSaid({ ...unproven, token: id }, world)).toMatchObject({ why: { code: "token-too-weak" } });
  });

  test("it speaks for its question, that question's task, and for no run", () => {
    expect(readSaid(aLetter("/steer 012-fix-auth mind the tests"), world)).toMatchObject({
      command: { verb: "steer", target: { question: id }, text: "mind the tests" },
    });
    expect(readSaid(aLetter("/steer a3f2 mind the tests"), world)).toMatchObject({
      why: { code: "token-too-weak" },
    });
    expect(readSaid(aLetter("/abort a3f2"), world)).toMatchObject({ why: { code: "token-too-weak" } });
    expect(readSaid(aLetter("/abort"), world)).toMatchObject({ reason: "bad-command" });
    expect(readSaid(aLetter(`${other.id} 1`), world)).toMatchObject({
      why: { code: "other-token", question: id },
    });
    const elsewhere = aLetter("1", "", { thread: other.id });
    expect(readSaid(elsewhere, world)).toMatchObject({ why: { code: "other-token", question: id } });
  });
});
