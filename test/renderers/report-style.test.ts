import { expect, test } from "vitest";
import { reportStyle } from "../../renderers/report-style.ts";

type Palette = Readonly<Record<string, string>>;

/** Light, dark and paper, in this order. */
function palettes(): readonly Palette[] {
  const found: Palette[] = [];
  for (const [block] of reportStyle.matchAll(/\.report \{[^}]*--r-[^}]*\}/g)) {
    const colours = [...block.matchAll(/--r-([a-z]+): #([0-9a-f]{6}|[0-9a-f]{3});/g)].map((match) => {
      const hex = match[2] ?? "";
      return [
        match[1] ?? "",
        hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex,
      ] as const;
    });
    found.push(Object.fromEntries(colours));
  }
  return found;
}

/** WCAG 2.2 contrast ratio of two colours `rrggbb`. */
function contrast(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [bright = 0, dim = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

test.each([
  ["in the light", 0],
  ["in the dark", 1],
  ["on paper", 2],
])("every text of the report has a contrast of at least 4.5 %s, every mark of 3", (_name, index) => {
  const palette = palettes()[index] ?? {};
  expect(Object.keys(palette)).toHaveLength(12);
  const ratio = (text: string, back: string): number => contrast(palette[text] ?? "", palette[back] ?? "");
  for (const back of ["ground", "card", "sunk", "quiet"]) {
    for (const text of ["ink", "soft", "bad", "accent"]) {
      expect(ratio(text, back), `${text} on ${back}`).toBeGreaterThanOrEqual(4.5);
    }
    for (const mark of ["good", "warn"]) {
      expect(ratio(mark, back), `${mark} on ${back}`).toBeGreaterThanOrEqual(3);
    }
  }
  expect(ratio("on", "good")).toBeGreaterThanOrEqual(3);
});
