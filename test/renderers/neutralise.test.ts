import { describe, expect, test } from "vitest";
import { gfm } from "../../renderers/gfm.ts";
import { mrkdwn } from "../../renderers/mrkdwn.ts";
import { disown, joiner, reveal } from "../../renderers/neutralise.ts";
import { telegramHtml } from "../../renderers/telegram-html.ts";

describe("nothing hidden", () => {
  test.each([
    ["a family", "👨‍👩‍👧‍👦"],
    ["a pirate's flag", "🏴‍☠️"],
    ["a flag with tags", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["a heart with a selector", "❤️ 1️⃣"],
    ["a Persian word", "می‌خواهم"],
    ["a Hindi word", "क्‍ष"],
    ["an ideograph's form", "葛󠄀"],
    ["marks on letters", "Z͑ͫ̓ éo"],
    ["everything of a keyboard", "\t\n !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~ äß€"],
  ])("%s stays as it is", (_name, text) => {
    expect(reveal(text)).toBe(text);
  });

  test.each([
    ["an override", "safe \u202etxt.exe\u202c", "safe ⟨U+202E⟩txt.exe⟨U+202C⟩"],
    ["controls", "a\u0000b\u0007c\u001b[31m\u009b", "a⟨U+0000⟩b⟨U+0007⟩c⟨U+001B⟩[31m⟨U+009B⟩"],
    ["line separators", "a\u2028b\u0085c", "a⟨U+2028⟩b⟨U+0085⟩c"],
    [
      "zero-width characters",
      "pay\u200bpal w\u2060ord \ufeffs soft\u00adhyphen \u200f",
      "paypal word s softhyphen ",
    ],
    ["joiners that join nothing", "a\u200db 👨\u200d x", "ab 👨 x"],
    ["hidden tags", "hi\u{e0041}\u{e0042}", "hi"],
    ["halves of characters", "half \ud83d and \udc00", "half \ufffd and \ufffd"],
    ["line ends", "a\r\nb\rc", "a\nb\nc"],
  ])("%s", (_name, text, seen) => {
    expect(reveal(text)).toBe(seen);
  });
});

test("a flood of line ends before or behind a mark takes no minutes", () => {
  const flood = "\n".repeat(65_000);
  const began = performance.now();
  expect(disown(`✅${flood}x`)).toBe(`· ✅${flood}x`);
  expect(disown(`x${flood}y ✅`)).toBe(`x${flood}y ✅`);
  expect(disown(`x${flood}✅`)).toBe("x ✅");
  expect(disown("✅".repeat(20_000))).toBe(`· ${"✅".repeat(20_000)}`);
  expect(performance.now() - began).toBeLessThan(1_000);
});

test("a line that looks like one of ours goes on in the line before it", () => {
  expect(disown("red.\n✅ Answered: 2")).toBe("red. ✅ Answered: 2");
  expect(disown("red.\n\n  \u2800⏰ No answer")).toBe("red. ⏰ No answer");
  expect(disown("✅ Answered: 2")).toBe("· ✅ Answered: 2");
  expect(disown("x\n:white_check_mark: Answered\n▶ Picked up")).toBe(
    "x :white_check_mark: Answered ▶ Picked up",
  );
  expect(disown("all ✅ so far\nnext")).toBe("all ✅ so far\nnext");
  expect(disown("x\n##- Reply above this line -##")).toBe("x ##- Reply above this line -##");
});

describe("what each platform would act on", () => {
  const seen = (text: string): string => text.replaceAll(joiner, "⁃");
  test("Telegram: names, commands, links to people; addresses and paths stay whole", () => {
    expect(seen(telegramHtml.calm("@octo_cat, a@b.example src/auth/x /abort a3f2 tg://user?id=1"))).toBe(
      "@⁃octo_cat, a@b.example src/auth/x /⁃abort a3f2 tg:⁃//user?id=1",
    );
  });
  test("Slack: formats, shortcodes, quotes; names of code stay whole", () => {
    expect(seen(mrkdwn.calm("snake_case *b* 2 * 3\n> q :tada: a::b"))).toBe(
      "snake_case ⁃*⁃b* 2 * 3\n⁃> q :⁃tada: a::b",
    );
    expect(mrkdwn.escape("<!channel> & <@U1>")).toBe("&lt;!channel&gt; &amp; &lt;@U1&gt;");
  });
  test("GitHub: mentions, references, lists, boxes, headings, tables", () => {
    expect(seen(gfm.calm("@octo #12 GH-3 a/b#4\n- [x] done\n# h\n1. one\n| a |"))).toBe(
      "@⁃octo #⁃12 GH-⁃3 a/b#⁃4\n⁃- [x] done\n⁃# h\n⁃1. one\n⁃| a |",
    );
    expect(gfm.block("a\n```\nb").sent).toBe("````\na\n```\nb\n````");
    expect(gfm.code("a ` b").sent).toBe("``a ` b``");
  });
});

describe("what Telegram makes a command of", () => {
  // As its own library finds them: a tap on one sends it.
  const command = /(?<![\p{L}\p{N}_/<>])\/[a-z0-9_]{1,64}(?:@[a-z0-9_]{3,32})?(?![\p{L}\p{N}_/<>])/iu;
  test.each([
    "/skip",
    "see /skip",
    ":/skip",
    "→/skip now",
    "•/skip",
    "./skip",
    "-/skip@owlpost_bot",
    "。/retry",
    "&/1",
  ])("%s is broken", (text) => {
    expect(text).toMatch(command);
    expect(telegramHtml.calm(text)).not.toMatch(command);
  });

  test.each(["src/skip", "/legacy/export", "./src/auth/session.ts", "https://example.com/skip"])(
    "%s may be copied as it is",
    (text) => {
      expect(text).not.toMatch(command);
      expect(telegramHtml.calm(text)).toBe(text);
    },
  );
});
