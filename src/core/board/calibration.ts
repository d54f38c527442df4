import type { VerdictWord } from "./verdict.ts";

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

export const leastSamples = 30;
export const leastAgreement = 0.8;

/** How often a reviewer agrees with people. Below the bar, or measured on too few tasks, it stays disabled. */
export function calibrate(samples: readonly Sample[]): Calibration {
  const disagreed = samples.filter(({ expected, got }) => expected !== got);
  const agreed = samples.length - disagreed.length;
  const agreement = samples.length === 0 ? 0 : agreed / samples.length;
  const why =
    samples.length < leastSamples
      ? `only ${samples.length} labelled tasks; ${leastSamples} are needed`
      : agreement < leastAgreement
        ? `it agreed on ${agreed} of ${samples.length}; ${leastAgreement * 100} % are needed`
        : undefined;
  return {
    samples: samples.length,
    agreed,
    agreement,
    enabled: why === undefined,
    ...(why === undefined ? {} : { why }),
    disagreed,
  };
}
