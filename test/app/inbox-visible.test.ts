import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible } from "../../src/page/visible.ts";

const shown = (text: string): string =>
  visible(text)
    .map((part) => part.text)
    .join("");

describe("what an agent wrote, made visible", () => {
  it.each([
    ["a bidi override", "safe\u202egpj.exe", "safe⟨U+202E⟩gpj.exe"],
    ["bidi isolates", "\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"],
    ["direction marks", "a\u200eb\u200fc\u061cd", "a⟨U+200E⟩b⟨U+200F⟩c⟨U+061C⟩d"],
    ["a zero-width space", "pass\u200bword", "pass⟨U+200B⟩word"],
    ["an escape sequence", "\u001b[31mred", "⟨U+001B⟩[31mred"],
    ["a lone carriage return", "keep\rgone", "keep⟨U+000D⟩gone"],
    ["a line separator", "one\u2028two", "one⟨U+2028⟩two"],
    ["tag characters", "hi\u{e0041}", "hi⟨U+E0041⟩"],
    ["a lone surrogate", "x\ud800y", "x⟨U+D800⟩y"],
    ["a joiner inside a Latin word", "pay\u200dpal", "pay⟨U+200D⟩pal"],
    ["a non-joiner inside a Latin word", "pay\u200cpal", "pay⟨U+200C⟩pal"],
  ])("shows %s", (_name, text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(visible(text).some((part) => part.control)).toBe(true);
  });

  it.each([
    ["line breaks and tabs", "one\n\ttwo"],
    ["a family", "👨‍👩‍👧"],
    ["a heart that burns", "❤️‍🔥"],
    ["skin tones", "👩🏽‍🚀"],
    ["a Hindi conjunct", "क्‍ष"],
    ["a Persian non-joiner", "می‌خواهم"],
    ["Hebrew", "שלום עולם"],
  ])("leaves %s alone", (_name, text) => {
    expect(visible(text)).toEqual([{ text, control: false }]);
  });

  it("turns a line break of Windows into a plain one", () => {
    expect(shown("a\r\nb")).toBe("a\nb");
  });

  it("never lets a bidi control through and never loses another character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const out = shown(text);
        expect(out).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f]/u);
        const kept = visible(text)
          .filter((part) => !part.control)
          .map((part) => part.text)
          .join("");
        expect(kept.replaceAll(/\p{Cf}/gu, "")).toBe(
          text
            .replaceAll("\r\n", "\n")
            .replaceAll(/[\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}\p{Cs}]/gu, "")
            .replaceAll(/[^\P{Cc}\n\t]/gu, ""),
        );
      }),
    );
  });
});
