import { describe, expect, test } from "vitest";
import { questionWakeWords, wakeLines, wakeOf } from "../../src/core/wake.ts";
import { aQuestion, aStored, evening, hour, someRules } from "../builders.ts";

const zone = "Europe/Berlin";
const unsafe = aQuestion({ kind: "blocked" });

function lines(rules: ReturnType<typeof someRules> | undefined, now: number, channels = ["telegram"]) {
  const open = [aStored({ state: "pending" }), aStored(), aStored({ question: unsafe })];
  const wake = wakeOf({ rules, open, channels }, now);
  const each = wake.questions.map((one) => questionWakeWords(one.wake, wake, zone, now));
  return { each, whole: wakeLines(wake, zone, now) };
}

describe("field 60: exactly what can still wake somebody tonight, and why", () => {
  test("inside quiet hours: the window, what may ring and where, what each question does, and when morning comes", () => {
    expect(lines(someRules(), evening)).toEqual({
      each: ["still on its way, and rings when it arrives", "does not ring again", "held until 08:00"],
      whole: [
        "Quiet hours 22:00-08:00 (Europe/Berlin): now inside, until 08:00.",
        "May still ring on telegram: a new question with two safe answers, and the receipt of what somebody sends there. Nothing else.",
        "The morning comes at 08:00: 1 held question is sent in full then, and what was skipped or ran out at night is asked again.",
      ],
    });
  });

  test("outside: when they begin, and what may ring until then and from then on", () => {
    expect(lines(someRules(), evening - 2 * hour).whole).toEqual([
      "Quiet hours 22:00-08:00 (Europe/Berlin): now outside, from 22:00 on.",
      "Until then every new question may ring on telegram. From then on only a new question with two safe answers, and the receipt of what somebody sends there. Nothing else.",
    ]);
  });

  test("without an end, without quiet hours, and without a channel that rings", () => {
    expect(lines(someRules("00:00-24:00"), evening)).toMatchObject({
      each: [expect.anything(), expect.anything(), "held as long as quiet hours last"],
      whole: [
        "Quiet hours 00:00-24:00 (Europe/Berlin): now inside, without an end.",
        expect.stringContaining("May still ring"),
      ],
    });
    expect(lines(undefined, evening).whole).toEqual([
      "Quiet hours are not set: every new question may ring on telegram.",
    ]);
    expect(lines(someRules(), evening, []).whole).toEqual([
      "Quiet hours 22:00-08:00 (Europe/Berlin): now inside, until 08:00.",
      "No configured channel rings: nothing can wake anybody.",
    ]);
  });
});
