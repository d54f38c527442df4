export const verdictWords = ["PASS", "NEEDS_REFINEMENT", "REJECT"] as const;
export type VerdictWord = (typeof verdictWords)[number];

/** From the place of a new colleague who is handed this spec alone. */
export const axes = [
  "goal",
  "boundary",
  "verifiability",
  "reproducibility",
  "hidden_context",
  "fidelity",
] as const;
export type Axis = (typeof axes)[number];
export const axisMarks = ["◯", "△", "✗"] as const;
export type AxisMark = (typeof axisMarks)[number];
export type AxisMarks = Readonly<Record<Axis, AxisMark>>;

/** What a reviewer found. */
export type Review = {
  readonly axes?: AxisMarks;
  readonly verdict: VerdictWord;
  readonly gaps: readonly string[];
  readonly fixes: readonly string[];
};

/** `live` always asks the reviewer, `cache-only` never does, `cache-aware` only where no PASS stands. */
export const reviewModes = ["live", "cache-only", "cache-aware"] as const;
export type ReviewMode = (typeof reviewModes)[number];

/** One task that a person has judged beforehand, and what the reviewer said of it; undefined where it gave nothing usable. */
export type Sample = {
  readonly id: string;
  readonly expected: VerdictWord;
  readonly got: VerdictWord | undefined;
};

export type Calibration = {
  readonly samples: number;
  readonly agreed: number;
  /** Between 0 and 1. */
  readonly agreement: number;
  /** May the reviewer's verdicts count? */
  readonly enabled: boolean;
  /** Why not. */
  readonly why?: string;
  readonly disagreed: readonly Sample[];
};
