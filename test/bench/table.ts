import type { Figure } from "./measure.ts";

export function isMet(figure: Figure): boolean {
  const { goal, spread } = figure;
  if (!goal) return true;
  return "most" in goal ? spread.value <= goal.most : spread.value >= goal.least;
}

/** The table as it is printed: one line a figure, then what it is made of. */
export function tableText(figures: readonly Figure[]): string {
  const head = ["figure", "measured", "(min–max of blocks)", "goal", ""];
  const lines = figures.map((figure) => [
    figure.name,
    `${number(figure.spread.value)} ${figure.unit}`,
    `(${number(figure.spread.low)}–${number(figure.spread.high)})`,
    goalText(figure),
    figure.goal ? (isMet(figure) ? "ok" : "NOT") : "–",
    figure.detail,
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? "").length)),
  );
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function goalText({ goal, unit }: Figure): string {
  if (!goal) return "–";
  return "most" in goal ? `≤ ${goal.most} ${unit}` : `≥ ${goal.least} ${unit}`;
}

function number(value: number): string {
  if (value === 0) return "0";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
