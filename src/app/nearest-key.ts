/** The known word nearest to a mistyped one, or undefined when none is near enough to be meant. */
export function nearestKey(word: string, known: Iterable<string>): string | undefined {
  const typed = fold(word);
  let best: { key: string; distance: number } | undefined;
  for (const key of known) {
    const distance = editDistance(typed, fold(key));
    if (!best || distance < best.distance) best = { key, distance };
  }
  if (!best) return undefined;
  const limit = Math.max(1, Math.floor(Math.max(typed.length, best.key.length) * 0.4));
  return best.distance <= limit ? best.key : undefined;
}

/** `minLead`, `min-lead` and `MIN_LEAD` are all spellings of `min_lead`. */
function fold(word: string): string {
  return word
    .slice(0, 64)
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(before, j - 2) + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] as number;
}
