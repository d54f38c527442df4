import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  idsIn,
  type Known,
  type Reading,
  readSaid,
  type Said,
  sayAgain,
  type World,
} from "../../src/core/grammar.ts";
import { foldText } from "../../src/core/text.ts";
import type { QuestionId, TaskId } from "../../src/domain/ids.ts";
import { aKnown, aSaid, auth, aWorld, bot, consent, dice, search, worlds } from "./grammar-pieces.ts";

const one = aWorld([auth]);
const two = aWorld([auth, search]);
const night = aWorld([consent]);
const authId = auth.question.id;
const searchId = search.question.id;

function read(text: string, world: World = one, changes: Partial<Said> = {}): Reading {
  return readSaid(aSaid(text, changes), world);
}

function choose(question: QuestionId, key: string, more: object = {}): Reading {
  return { kind: "command", command: { verb: "choose", question, key, ...more } };
}

const refused = (reading: Reading): unknown => (reading.kind === "refused" ? reading.reason : reading.kind);
const inGroup = { chat: "group", addressed: false } as const;

describe("what is no reply", () => {
  test.each(["", "   ", "\n\n", "\u00a0", "\u200b\u2066", "\u3164", "\ufe0f", "\u2800"])(
    "field 20: blank text is never a reply, %j",
    (text) => {
      for (const world of worlds) {
        for (const where of [{}, inGroup, { thread: authId }]) {
          expect(read(text, world, where)).toEqual({ kind: "ignored" });
        }
      }
      expect(read(`/answer ${text}`)).toMatchObject({ reason: "bad-command", why: { code: "missing" } });
      expect(read(`/steer ${text}`)).toMatchObject({ reason: "bad-command", why: { code: "missing" } });
    },
  );

  test.each([
    "1 think so too",
    "skip",
    "skip lunch?",
    "yes please",
    "go on then",
    "no way",
    "I would go with 1",
    "retry",
    "status?",
    "option 1",
    "one",
    "1st",
    "1?",
    "1!",
    "1,",
    "#1.",
    "[1]",
    "117",
    "+1",
    "👎",
    "👍👍",
    "ok, but not today",
    "好的",
    "!!!",
    "¡1!",
    "hello @owlpost_bot 1",
  ])("field 68: ordinary chat resolves nothing, %j", (text) => {
    for (const world of worlds) {
      expect(read(text, world)).toEqual({ kind: "unmatched" });
      expect(read(text, world, inGroup)).toEqual({ kind: "ignored" });
      expect(read(text, world, { ...inGroup, chat: "thread", thread: authId })).toEqual({ kind: "ignored" });
      expect(read(text, world, { ...inGroup, addressed: true })).toEqual({ kind: "unmatched" });
    }
  });

  test("agreement means nothing but on a consent question, whatever a label is called", () => {
    const labelled = aWorld([aKnown(authId, { "1": "OK", "2": "Yes", a: "Go" })]);
    for (const text of ["ok", "yes", "go", "👍"]) expect(read(text, labelled)).toEqual({ kind: "unmatched" });
    expect(read("/answer ok", labelled)).toEqual(choose(authId, "1"));
  });
});

test("two labels that read the same choose nothing", () => {
  const twins = aWorld([aKnown(authId, { "1": "Do it", "2": "do\u00a0 IT", "3": "Do not" })]);
  expect(read("do it", twins)).toEqual({ kind: "unmatched" });
  expect(read("do not", twins)).toEqual(choose(authId, "3"));
});

describe("go ahead", () => {
  test.each(["yes", "Y", "ok", "GO", "👍", "👍\ufe0f", "👍🏿", `${authId} go`])(
    "%j takes the recommendation",
    (text) => {
      expect(read(text, night)).toEqual(choose(authId, "1", { goAhead: true }));
    },
  );

  test("with two consent questions open it is said with an id", () => {
    const both = aWorld([consent, { ...search, form: "consent" }]);
    expect(refused(read("yes", both))).toBe("ambiguous");
    expect(read(`${searchId} yes`, both)).toEqual(choose(searchId, "1", { goAhead: true }));
  });

  test("a typed key is no go-ahead", () => {
    expect(read("1", night)).toEqual(choose(authId, "1"));
    expect(read("/answer 1", night)).toEqual(choose(authId, "1"));
  });

  test("the word skip is the second action where there are no buttons, and nowhere else", () => {
    const skip = { kind: "command", command: { verb: "skip", question: authId } };
    expect(read("skip", night, { buttonless: true })).toEqual(skip);
    expect(read(`${authId} skip`, night, { buttonless: true })).toEqual(skip);
    expect(read("skip", night)).toEqual({ kind: "unmatched" });
    expect(read("skip", one, { buttonless: true })).toEqual({ kind: "unmatched" });
    expect(refused(read("skip", night, { buttonless: true, role: "viewer" }))).toBe("not-allowed");
  });
});

describe("which question", () => {
  test("the id beats the thread, and says so", () => {
    const thread = { thread: searchId };
    expect(read(`${authId} 2`, two, thread)).toEqual({ ...choose(authId, "2"), conflict: searchId });
    expect(read(`/skip ${authId}`, two, thread)).toMatchObject({ conflict: searchId });
    expect(read(`${searchId} 2`, two, thread)).toEqual(choose(searchId, "2"));
  });

  test("two open: the list, each with the exact text to send", () => {
    const said: [string, "/" | "!", string[]][] = [
      ["3", "/", [`${authId} 1 (or 2)`, `${searchId} 3`]],
      ["rebuild the index", "/", [`${authId} 1 (or 2)`, `${searchId} 2`]],
      ["/skip", "/", [`/skip ${authId}`, `/skip ${searchId}`]],
      ["!retry", "!", [`!retry ${authId}`, `!retry ${searchId}`]],
      ["/steer be quick", "/", [`/steer ${authId} …`, `/steer ${searchId} …`]],
      ["/answer neither of them", "!", [`!answer ${authId} …`, `!answer ${searchId} …`]],
      ["/answer 2", "/", [`${authId} 2`, `${searchId} 2`]],
    ];
    for (const [text, mark, wanted] of said) {
      const reading = read(text, two);
      expect(refused(reading)).toBe("ambiguous");
      if (reading.kind !== "refused" || reading.why.code !== "several-open") throw new Error(text);
      const { attempt, open } = reading.why;
      expect(open.map((known) => sayAgain(attempt, known, mark))).toEqual(wanted);
    }
    const reading = read("yes", aWorld([consent, search]));
    if (reading.kind !== "refused" || reading.why.code !== "several-open") throw new Error("yes");
    expect(sayAgain(reading.why.attempt, consent, "/")).toBe(`${authId} go`);
  });

  test("what sayAgain says is understood, and means that question", () => {
    const mixed = aWorld([consent, search]);
    for (const text of ["1", "2", "/skip", "/retry", "/answer 1"]) {
      const reading = read(text, mixed);
      if (reading.kind !== "refused" || reading.why.code !== "several-open") throw new Error(text);
      for (const known of reading.why.open) {
        const again = read(sayAgain(reading.why.attempt, known, "/"), mixed);
        expect(again).toMatchObject({ kind: "command", command: { question: known.question.id } });
      }
    }
  });

  test("nothing open is no such question, for what is meant as an answer", () => {
    const none = aWorld([], [auth]);
    for (const text of ["1", "y", "/skip", "/answer use both", "/steer be quick"]) {
      expect(read(text, none)).toMatchObject({ reason: "no-such-question", why: { code: "nothing-open" } });
    }
    expect(read("yes", none)).toEqual({ kind: "unmatched" });
  });

  test.each(["q-ffff-099-nope-1", "q-a3f2-012-fix-auth-0", "q-a3f2-012-fix-auth-1x", "q-a3f2-012-fix-auth-"])(
    "an id that does not exist, %s, is never replaced by the only open question",
    (id) => {
      for (const text of [
        `${id} 1`,
        `/skip ${id}`,
        `/answer ${id} 1`,
        `/steer ${id} be quick`,
        `/override ${id} 2`,
      ]) {
        expect(read(text)).toMatchObject({
          reason: "no-such-question",
          why: { code: "no-such-id", typed: id },
        });
      }
    },
  );

  test("the thread of a question that is gone is not handed to the open one", () => {
    const gone = "q-a3f2-009-gone-1" as QuestionId;
    expect(refused(read("1", one, { thread: gone }))).toBe("no-such-question");
    expect(refused(read("/skip", one, { thread: gone }))).toBe("no-such-question");
  });

  test("only what idsIn finds is looked up by an id in the text", () => {
    expect(idsIn(`<@U0BOT> /answer ${authId.toUpperCase()} and ${searchId}`)).toEqual([authId, searchId]);
    expect(idsIn(`<@U0BOT>${authId} 1`)).toEqual([authId]);
    expect(idsIn(`@owlpost_bot:${authId} 1`)).toEqual([authId]);
    expect(idsIn(`\u2066${authId}\u2069 1`)).toEqual([authId]);
    expect(idsIn(`${"word ".repeat(100)}${authId}`)).toEqual([]);
    expect(idsIn(`${authId} `.repeat(10_000))).toEqual([authId]);
  });
});

describe("verbs", () => {
  test("the mark, the bot's name and a mention are equal", () => {
    const skip = { kind: "command", command: { verb: "skip", question: authId } };
    for (const text of [
      "/skip",
      "!skip",
      "/SKIP@Owlpost_Bot",
      "<@U0BOT> skip",
      "<@u0bot>, skip",
      "<@U0BOT>skip",
      "@owlpost_bot: skip",
      "\u2068@owlpost_bot\u2069 /skip",
      "/owlpost skip",
      "/sk\u200bip",
    ]) {
      expect(read(text), text).toEqual(skip);
      expect(read(text, one, { ...inGroup, addressed: true }), text).toEqual(skip);
    }
  });

  test("a name that only begins like the bot's is somebody else", () => {
    expect(read("@owlpost_bot2 skip")).toEqual({ kind: "unmatched" });
    expect(read("/skip@owlpost_bot2")).toEqual({ kind: "unmatched" });
    expect(read("/skip@owlpost_bot2", one, { ...inGroup, thread: authId })).toEqual({ kind: "ignored" });
  });

  test("in a group a marked verb counts when it is addressed or in a question's thread", () => {
    expect(read("/skip", one, inGroup)).toEqual({ kind: "ignored" });
    expect(read("/frobnicate", one, inGroup)).toEqual({ kind: "ignored" });
    expect(read(`/skip ${authId}`, one, inGroup)).toEqual({ kind: "ignored" });
    expect(read("/skip", one, { ...inGroup, thread: authId })).toMatchObject({ kind: "command" });
    expect(read(`${authId} 2`, one, inGroup)).toEqual(choose(authId, "2"));
  });

  test.each([
    ["/frobnicate", "unknown-verb"],
    ["/usr/bin/env", "unknown-verb"],
    ["/skip it", "extra"],
    [`/skip ${authId} please`, "extra"],
    ["/status now", "extra"],
    ["/answer", "missing"],
    [`/answer ${authId}`, "missing"],
    ["/steer 012-fix-auth", "missing"],
    ["/steer a3f2", "missing"],
    ["/override", "missing"],
    ["/override 2", "missing"],
    [`/override ${authId}`, "missing"],
    [`/override ${authId} the other one`, "extra"],
    ["/abort", "missing"],
    ["/abort a3f2 now", "extra"],
    ["/abort b7d0", "run-not-alive"],
    ["/pair", "missing"],
    [`/pair ${"A".repeat(65)}`, "missing"],
  ])("%j is a bad command: %s", (text, code) => {
    expect(read(text)).toMatchObject({ kind: "refused", reason: "bad-command", why: { code } });
  });

  test("free text is kept as it was typed", () => {
    const typed = "Ｋeep  the\u200d API,\n\n  ‘as is’ <b>e\u0301</b>";
    const answer = { verb: "answer", question: authId, text: typed };
    expect(read(`/answer  ${typed}\u00a0\n`)).toEqual({ kind: "command", command: answer });
    const steer = { verb: "steer", target: { task: "012-fix-auth" }, text: typed };
    expect(read(`!STEER 012-Fix-Auth ${typed}`)).toEqual({ kind: "command", command: steer });
  });

  test("a note is for a task or a run only where there is one of that name", () => {
    const known = { ...one, tasks: ["020-later" as TaskId] };
    expect(read("/steer 020-later go slow", known)).toMatchObject({
      command: { target: { task: "020-later" } },
    });
    expect(read("/steer 020-later go slow")).toMatchObject({
      command: { target: { question: authId }, text: "020-later go slow" },
    });
    expect(read("/steer a3f go slow")).toMatchObject({ command: { text: "a3f go slow" } });
    expect(read("/steer A3F2 go slow")).toMatchObject({
      command: { target: { run: "a3f2" }, text: "go slow" },
    });
  });

  test("an override takes a label, too, and a key that is none reaches the decision", () => {
    const override = (key: string) => ({ command: { verb: "override", question: authId, key } });
    expect(read(`/override ${authId} extend the ttl to 30 days`)).toMatchObject(override("2"));
    expect(read(`/override ${authId} (2)`)).toMatchObject(override("2"));
    expect(read(`/override ${authId} nine`)).toMatchObject(override("nine"));
  });
});

describe("who speaks", () => {
  test("a stranger is met with silence, and may only pair in a private chat", () => {
    for (const text of ["1", "hello", "/skip", "/status", "/help", "/start", "/unpair", "/abort a3f2"]) {
      expect(read(text, one, { role: undefined })).toEqual({
        kind: "refused",
        reason: "unknown-sender",
        why: { code: "stranger" },
      });
    }
    expect(read("/start K7M3XQ4R", one, { role: undefined })).toEqual({ kind: "pair", code: "K7M3XQ4R" });
    expect(read("!pair K7M3 XQ4R", one, { role: undefined })).toEqual({ kind: "pair", code: "K7M3XQ4R" });
    expect(read("/owlpost pair aB_c-9", one, { role: undefined })).toEqual({ kind: "pair", code: "aB_c-9" });
    expect(read("lol", one, { ...inGroup, role: undefined })).toEqual({ kind: "ignored" });
  });

  test("a code in a group is given out, to be revoked, whoever typed it", () => {
    const why = { code: "code-in-group", typed: "K7M3XQ4R" };
    for (const text of ["/pair K7M3XQ4R", "/start K7M3XQ4R", "<@U0BOT> pair K7M3XQ4R"]) {
      expect(read(text, one, inGroup)).toEqual({ kind: "refused", reason: "bad-command", why });
      expect(read(text, one, { ...inGroup, role: undefined })).toEqual({
        kind: "refused",
        reason: "unknown-sender",
        why,
      });
    }
    expect(read("/start", one, inGroup)).toEqual({ kind: "ignored" });
  });

  test("a viewer looks and changes nothing, before anything else is checked", () => {
    for (const text of [
      "1",
      "9",
      `${authId} 1`,
      "q-ffff-099-nope-1 1",
      "/answer",
      "/skip",
      "/steer x",
      "/abort x",
    ]) {
      expect(refused(read(text, two, { role: "viewer" })), text).toBe("not-allowed");
    }
    for (const kind of ["status", "pending", "help"]) {
      expect(read(`/${kind}`, two, { role: "viewer" })).toEqual({ kind });
    }
    expect(read("thanks", two, { role: "viewer" })).toEqual({ kind: "unmatched" });
  });

  test("a token speaks for its question alone", () => {
    expect(read("2", two, { token: authId })).toEqual(choose(authId, "2"));
    expect(read("/skip", two, { token: authId })).toMatchObject({ command: { question: authId } });
    expect(read("hello", two, { token: authId })).toEqual({ kind: "unmatched" });
    const hints: [string, Partial<Said>, string][] = [
      [`${searchId} 1`, { token: authId }, "other-token"],
      ["1", { token: authId, thread: searchId }, "other-token"],
      ["/abort a3f2", { token: authId }, "token-too-weak"],
      ["/steer a3f2 stop", { token: authId }, "token-too-weak"],
      ["/steer 013-search stop", { token: authId }, "token-too-weak"],
      ["/unpair", { token: authId }, "token-too-weak"],
      [`${authId} 1`, { token: null }, "no-token"],
      ["hello", { token: null, role: undefined }, "no-token"],
    ];
    for (const [text, changes, code] of hints) {
      expect(read(text, two, changes), text).toMatchObject({ reason: "not-allowed", why: { code } });
    }
  });
});

describe("a press", () => {
  const press = (action: string, changes: Partial<Said> = {}, question: string = searchId): Reading =>
    read("", two, { press: { question, action }, ...changes });

  test("carries its question and what it does", () => {
    expect(press("3")).toEqual(choose(searchId, "3"));
    expect(press("skip")).toEqual({ kind: "command", command: { verb: "skip", question: searchId } });
    expect(press("retry")).toEqual({ kind: "command", command: { verb: "retry", question: searchId } });
    expect(press("go")).toEqual(choose(searchId, "1", { goAhead: true }));
    expect(press("/more")).toEqual({ kind: "more", question: searchId });
    expect(press("3", { thread: authId })).toEqual(choose(searchId, "3"));
  });

  test("is refused like everything else", () => {
    expect(refused(press("3", {}, "q-a3f2-099-gone-1"))).toBe("no-such-question");
    expect(refused(press("3", {}, "no id at all"))).toBe("no-such-question");
    expect(refused(press("/abort"))).toBe("bad-command");
    expect(refused(press(""))).toBe("bad-command");
    expect(refused(press("3", { role: "viewer" }))).toBe("not-allowed");
    expect(press("/more", { role: "viewer" })).toMatchObject({ kind: "more" });
    expect(refused(press("3", { role: undefined }))).toBe("unknown-sender");
    expect(refused(press("3", { token: authId }))).toBe("not-allowed");
    expect(press("3", { token: searchId })).toEqual(choose(searchId, "3"));
    expect(refused(press("3", { token: null }))).toBe("not-allowed");
  });
});

describe("folding", () => {
  test("is Unicode's simple case folding, character by character", () => {
    for (let code = 0x80; code < 0x1f000; code += 1) {
      const letter = String.fromCodePoint(code);
      if (!/\p{Cased}/u.test(letter) || letter.normalize("NFC") !== letter) continue;
      for (const other of [letter.toUpperCase(), letter.toLowerCase()]) {
        if ([...other].length !== 1 || other.normalize("NFC") !== other) continue;
        const same = new RegExp(`^${letter}$`, "iu").test(other);
        expect(foldText(`x${letter}`) === foldText(`x${other}`), `${letter} ${other}`).toBe(same);
      }
    }
    expect(foldText("ΟΔΟΣ")).toBe(foldText("οδος"));
    expect(foldText("ı")).not.toBe(foldText("I"));
    expect(foldText("STRASSE")).not.toBe(foldText("Straße"));
  });

  test("drops what cannot be seen, but keeps emoji whole", () => {
    expect(foldText(" a\u200bb\u00ad\u2066 \u3000\n C\u2069 ")).toBe("ab c");
    expect(foldText("👩\u200d💻")).toBe("👩\u200d💻");
    expect(foldText("1\u200d")).toBe("1");
  });

  test("a label is understood in any case, spacing and composition", () => {
    const label = fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(label, (text) => {
        const said = foldText(text);
        fc.pre(said !== "" && !/^[/!@<q]|^skip$/.test(said) && read(text).kind === "unmatched");
        const world = aWorld([aKnown(authId, { "1": text, "2": `${text} and more` })]);
        for (const typed of [text, ` ${text}\n`, text.normalize("NFD"), `\u200b${text}`]) {
          fc.pre(!["yes", "no", "unknown", "go", "ok"].includes(said));
          expect(read(typed, world)).toEqual(choose(authId, "1"));
        }
      }),
    );
  });
});

describe("what the fuzz found", () => {
  test("halves of a hidden character do not join and vanish", () => {
    expect(foldText("s\udb40\u2069\udc41kip")).toBe("s\ufffd\ufffdkip");
    expect(refused(read("!s\udb40\u2069\udc41kip"))).toBe("bad-command");
    expect(read("\udb40\u2069\udc41 1")).toEqual({ kind: "unmatched" });
  });

  test("a mark that stands alone after a verb is something", () => {
    expect(refused(read("/skip\n\u0301"))).toBe("bad-command");
    expect(refused(read("/retry \ufe0f"))).toBe("bad-command");
    expect(read("/retry \u200b")).toMatchObject({ kind: "command" });
  });
});

describe("whatever is said", () => {
  const scene = fc.record({
    text: fc.string({ unit: "binary", maxLength: 300 }),
    chat: fc.constantFrom("direct", "group", "thread"),
    addressed: fc.boolean(),
    mentions: fc.array(fc.oneof(fc.constantFrom(...bot), fc.string()), { maxLength: 3 }),
    role: fc.constantFrom("owner", "member", "viewer", undefined),
  });

  test("reading is total, and says the same again", () => {
    fc.assert(
      fc.property(
        scene,
        fc.nat(worlds.length - 1),
        fc.string(),
        fc.string(),
        (said, at, question, action) => {
          const world = worlds[at] as World;
          const reading = readSaid(said as Said, world);
          expect(readSaid(said as Said, world)).toEqual(reading);
          expect(readSaid({ ...(said as Said), press: { question, action } }, world).kind).toBe("refused");
        },
      ),
    );
  });

  test("takes time that is linear in the length of the text", () => {
    const size = 100_000;
    const hostile = [
      " ",
      "1",
      "\u200b",
      "\u{1f3f4}\u{e0020}",
      "\u0315\u0300",
      "👍🏽",
      "a ",
      "/skip ",
      "q-a3f2-1-",
      "<@U0BOT>",
      "(",
      "\ud800",
      "\u00a0\u200d",
    ];
    const started = performance.now();
    for (const piece of hostile) {
      const body = piece.repeat(size / piece.length);
      for (const text of [body, `${body}1`, `/answer ${body}`, `${authId} ${body}`, `<@U0BOT> ${body}x`]) {
        expect(readSaid(aSaid(text), two).kind).not.toBe("pair");
        expect(idsIn(text).length).toBeLessThanOrEqual(8);
      }
    }
    // 65 texts of 100,000 characters: about a second, and minutes if any step were quadratic.
    expect(performance.now() - started).toBeLessThan(30_000);
  }, 60_000);
});

test("the dice are the seed's alone", () => {
  const roll = dice(7);
  const rolled = Array.from({ length: 5 }, () => roll(6));
  const again = dice(7);
  expect(Array.from({ length: 5 }, () => again(6))).toEqual(rolled);
  expect(new Set(rolled).size).toBeGreaterThan(1);
  const known: Known | undefined = worlds[0]?.open[0];
  expect(known?.question.id).toBe(authId);
});
