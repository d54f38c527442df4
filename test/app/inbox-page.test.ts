import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const page = fileURLToPath(new URL("../../src/page/", import.meta.url));

type Palette = Record<string, string>;

async function palettes(): Promise<{ light: Palette; dark: Palette }> {
  const style = await readFile(`${page}style/base.css`, "utf8");
  const blocks = [...style.matchAll(/:root \{([^}]*)\}/g)].map((match) =>
    Object.fromEntries(
      [...(match[1] ?? "").matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map((each) => each.slice(1)),
    ),
  ) as Palette[];
  return { light: blocks[0] ?? {}, dark: blocks[1] ?? {} };
}

/** WCAG 2.2 contrast ratio of two colours `#rrggbb`. */
function contrast(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [bright = 0, dim = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

const pairs = [
  ...["ground", "card", "sunk", "accent-wash"].flatMap((back) => [
    ["ink", back],
    ["soft", back],
    ["accent", back],
  ]),
  ["accent-ink", "accent"],
  ["good", "card"],
  ["good", "good-wash"],
  ["warn", "card"],
  ["warn", "warn-wash"],
  ["bad", "bad-wash"],
] as const;

describe("the page's sources", () => {
  it.each(["light", "dark"] as const)(
    "reads well in %s: every text has a contrast of at least 4.5",
    async (mode) => {
      const palette = (await palettes())[mode];
      for (const [text = "", back = ""] of pairs) {
        const ratio = contrast(palette[text] ?? "", palette[back] ?? "");
        expect(ratio, `${text} on ${back}: ${ratio.toFixed(2)}`).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  it("makes no HTML out of text, anywhere", async () => {
    const files = (await readdir(page)).filter((name) => name.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(5);
    for (const name of files) {
      const source = await readFile(`${page}${name}`, "utf8");
      expect(source, name).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|srcdoc/,
      );
    }
  });
});
