import { describe, expect, test } from "vitest";
import { decideSweep } from "../../src/core/sweep.ts";
import type { GatheredReceipt } from "../../src/domain/store.ts";
import { evening } from "../builders.ts";

const receipt: GatheredReceipt = {
  channel: "telegram",
  sender: "7",
  destination: "42",
  replyTo: "42:1",
  lines: ["q-a3f2-012-fix-auth-1 has no option 5: send 1 or 2", "No such question: q-a3f2-x-9", "again"],
};

function swept(...gathered: readonly GatheredReceipt[]) {
  return decideSweep({ due: [], lapsed: [], gathered, copies: new Map() }, evening);
}

describe("a sweep of gathered refusals", () => {
  test("becomes one receipt that names each", () => {
    const { effects, value } = swept(receipt);
    expect(value).toEqual({ expired: 0, lapsed: 0, gathered: 1 });
    expect(effects).toEqual([
      {
        type: "send",
        job: {
          channel: "telegram",
          destination: "42",
          kind: "receipt",
          replyTo: "42:1",
          notice: {
            kind: "receipt",
            text: [
              "3 replies were refused:",
              "• q-a3f2-012-fix-auth-1 has no option 5: send 1 or 2",
              "• No such question: q-a3f2-x-9",
              "• again",
            ].join("\n"),
          },
        },
      },
    ]);
  });

  test("one is one, and a line stays a line", () => {
    const { replyTo: _, ...rest } = receipt;
    const { effects } = swept({ ...rest, lines: ["2 questions are open:\n  1 q-a\r\n  2 q-b\n"] });
    expect(effects).toEqual([
      {
        type: "send",
        job: {
          channel: "telegram",
          destination: "42",
          kind: "receipt",
          notice: { kind: "receipt", text: "1 reply was refused:\n• 2 questions are open: 1 q-a 2 q-b" },
        },
      },
    ]);
  });

  test("each sender gets their own", () => {
    const { effects, value } = swept(receipt, { ...receipt, sender: "8", destination: "8" });
    expect(value.gathered).toBe(2);
    expect(effects.map((effect) => effect.type === "send" && effect.job.destination)).toEqual(["42", "8"]);
  });

  test("a hundred are still named, each of them, in one message; the same words once", () => {
    const many = Array.from(
      { length: 90 },
      (_, n) => `“/nosuch${n}”: Nothing was changed: ${"x".repeat(90)}`,
    );
    const same = Array.from({ length: 10 }, () => "“again ”: no”: Nothing was changed");
    const { effects } = swept({ ...receipt, lines: [...many, ...same] });
    const text = effects[0]?.type === "send" ? (effects[0].job.notice?.text ?? "") : "";
    expect(text).toMatch(/^100 replies were refused: “\/nosuch0”, “\/nosuch1”, /);
    for (let n = 0; n < 90; n += 1) expect(text).toContain(`“/nosuch${n}”`);
    expect(text).toContain("“again ” (10 times)");
    expect(text.length).toBeLessThan(3_600);
  });

  test("where not even that fits, the rest is counted", () => {
    const lines = Array.from({ length: 200 }, (_, n) => `“${"x".repeat(28)}${n}”: no`);
    const { effects } = swept({ ...receipt, lines });
    const text = effects[0]?.type === "send" ? (effects[0].job.notice?.text ?? "") : "";
    const named = text.split("”, “").length;
    expect(text).toMatch(new RegExp(` … and ${200 - named} more$`));
    expect(text.length).toBeLessThan(3_600);
  });
});
