import type { Instant } from "../domain/ids.ts";
import type { StoredQuestion } from "../domain/question.ts";
import { formAt, morningAfter, type NightRules } from "./night.ts";
import { isNight, nextStartAt } from "./quiet-hours.ts";
import { timeWords } from "./wording.ts";

/** What one open question can still do tonight. */
export type QuestionWake =
  /** Its message has not gone out everywhere; it rings when it does. */
  | "may-ring"
  /** It was sent, and what becomes of it comes without ringing. */
  | "stands"
  /** It rings nobody before the morning. */
  | "held";

/** What can still wake somebody, and why. */
export type Wake = {
  /** Absent: none are set. */
  readonly quietHours?: {
    readonly window: string;
    readonly zone: string;
    readonly inside: boolean;
    /** Inside: when they end; outside: when they begin. Absent where they never do. */
    readonly changeAt?: Instant;
  };
  /** Channels that ring at all. */
  readonly channels: readonly string[];
  readonly questions: readonly { readonly id: string; readonly wake: QuestionWake }[];
};

export type WakeFacts = {
  readonly rules: NightRules | undefined;
  readonly open: readonly StoredQuestion[];
  readonly channels: readonly string[];
};

export function wakeOf({ rules, open, channels }: WakeFacts, now: Instant): Wake {
  const inside = rules !== undefined && isNight(rules.hours, now);
  const changeAt = rules && (inside ? morningAfter(rules, now) : nextStartAt(rules.hours, now));
  return {
    ...(rules
      ? {
          quietHours: {
            window: rules.hours.window,
            zone: rules.hours.zone,
            inside,
            ...(changeAt === undefined ? {} : { changeAt }),
          },
        }
      : {}),
    channels,
    questions: open.map((stored) => ({
      id: stored.question.id,
      wake: questionWake(stored, rules, channels, now),
    })),
  };
}

function questionWake(
  { question, state }: StoredQuestion,
  rules: NightRules | undefined,
  channels: readonly string[],
  now: Instant,
): QuestionWake {
  if (formAt(question, rules, now) === "held") return "held";
  return state === "pending" && channels.length > 0 ? "may-ring" : "stands";
}

/** `q-a3f2-012-1: held until 08:00`. */
export function questionWakeWords(
  wake: QuestionWake,
  { quietHours }: Wake,
  zone: string,
  now: Instant,
): string {
  if (wake === "may-ring") return "still on its way, and rings when it arrives";
  if (wake === "stands") return "does not ring again";
  const { changeAt } = quietHours ?? {};
  return changeAt === undefined
    ? "held as long as quiet hours last"
    : `held until ${timeWords(changeAt, zone, now)}`;
}

/** In a few lines: the window and whether it is now, what may still ring and where, and when the morning comes. */
export function wakeLines(wake: Wake, zone: string, now: Instant): readonly string[] {
  const { quietHours, channels, questions } = wake;
  const held = questions.filter((each) => each.wake === "held").length;
  if (channels.length === 0) {
    return [...windowLine(wake, zone, now), "No configured channel rings: nothing can wake anybody."];
  }
  const where = `on ${channels.join(", ")}`;
  if (!quietHours) return [`Quiet hours are not set: every new question may ring ${where}.`];
  const { inside, changeAt } = quietHours;
  const time = changeAt === undefined ? undefined : timeWords(changeAt, zone, now);
  const only =
    "a new question with two safe answers, and the receipt of what somebody sends there. Nothing else.";
  if (!inside) {
    return [
      ...windowLine(wake, zone, now),
      `Until then every new question may ring ${where}. From then on only ${only}`,
    ];
  }
  const morning =
    held > 0
      ? `${held === 1 ? "1 held question is" : `${held} held questions are`} sent in full then, and`
      : "Then";
  return [
    ...windowLine(wake, zone, now),
    `May still ring ${where}: ${only}`,
    ...(time === undefined
      ? []
      : [`The morning comes at ${time}: ${morning} what was skipped or ran out at night is asked again.`]),
  ];
}

function windowLine({ quietHours }: Wake, zone: string, now: Instant): readonly string[] {
  if (!quietHours) return [];
  const { window, inside, changeAt } = quietHours;
  const time = changeAt === undefined ? undefined : timeWords(changeAt, zone, now);
  const place =
    time === undefined
      ? "now inside, without an end"
      : inside
        ? `now inside, until ${time}`
        : `now outside, from ${time} on`;
  return [`Quiet hours ${window} (${quietHours.zone}): ${place}.`];
}
