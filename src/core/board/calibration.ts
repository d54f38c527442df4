import type { Calibration, Sample } from "../../domain/review.ts";

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
