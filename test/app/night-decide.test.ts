import { describe, expect, test } from "vitest";
import type { LocalCommand, LocalSurface } from "../../src/app/api.ts";
import { parseDecision } from "../../src/app/inbox-decision.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { aConfig, aDocument, hour } from "../builders.ts";
import { aClock, afterwards, aHome } from "../homes.ts";
import { nightRules } from "../renderers/night-cases.ts";

/** A home at night, with one question that the night lets through and one that it holds. */
async function aNight(window = "22:00-08:00") {
  const clock = aClock();
  const config = aConfig({ night: nightRules({ window }) });
  const owlpost = await openOwlpost({ home: aHome(), config, now: clock.now, host: "owl" });
  afterwards(() => owlpost.close());
  const ask = async (changes: Record<string, unknown>): Promise<string> => {
    const asked = await owlpost.ask({
      document: aDocument({ default: { action: "skip_spec", at: "14h" }, ...changes }),
    });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    return asked.id;
  };
  const consent = await ask({});
  const held = await ask({ kind: "blocked", task: "013-rate-limit" });
  const decide = (command: LocalCommand, surface: LocalSurface) => owlpost.decide(command, surface);
  return { owlpost, clock, consent, held, decide };
}

describe("at night, on this machine", () => {
  test.each(["cli", "inbox"] as const)(
    "go, from %s, is the recommendation of a consent question",
    async (surface) => {
      const { owlpost, consent, decide } = await aNight();
      const ack = await decide({ verb: "choose", question: consent, key: "go" }, surface);
      expect(ack).toMatchObject({ accepted: true });
      expect((await owlpost.question(consent))?.answer).toMatchObject({ option: "1", via: surface });
    },
  );

  test("an option of a consent question is refused with the two actions, as they are said there", async () => {
    const { consent, decide } = await aNight();
    const choose = { verb: "choose", question: consent, key: "1" } as const;
    const words = { verb: "answer", question: consent, text: "both" } as const;
    for (const command of [choose, words, { ...choose, confirmed: "in-full" } as const]) {
      expect(await decide(command, "cli")).toMatchObject({
        reason: "needs-confirmation",
        text: `At night it takes two answers: owlpost answer ${consent} go, or owlpost skip ${consent} to be asked again tomorrow. Go ahead is 1 — Refresh-token rotation.`,
      });
      expect(await decide(command, "inbox")).toMatchObject({ reason: "needs-confirmation" });
    }
  });

  test("a held question names the inbox, and there a second press counts", async () => {
    const { owlpost, held, decide } = await aNight();
    for (const key of ["1", "go"]) {
      const ack = await decide({ verb: "choose", question: held, key, confirmed: "in-full" }, "cli");
      expect(ack).toMatchObject({ reason: "needs-confirmation" });
      expect(ack.text).toContain("Held until 08:00");
      expect(ack.text).toContain("owlpost inbox");
    }
    expect(await decide({ verb: "choose", question: held, key: "2" }, "inbox")).toMatchObject({
      reason: "needs-confirmation",
    });
    expect(
      await decide({ verb: "choose", question: held, key: "2", confirmed: "in-full" }, "inbox"),
    ).toMatchObject({ accepted: true });
    expect((await owlpost.question(held))?.answer).toEqual({
      outcome: "answered",
      option: "2",
      via: "inbox",
      host: "owl",
      at: expect.any(Number),
      digest: expect.any(String),
    });
  });

  test("skip, retry and a note work on both", async () => {
    const { consent, held, decide } = await aNight();
    const note = await decide({ verb: "steer", target: held, text: "mind the cache" }, "cli");
    expect(note).toMatchObject({ accepted: true });
    expect(await decide({ verb: "skip", question: consent }, "cli")).toMatchObject({
      accepted: true,
      text: "Skipped: 012-fix-auth stays blocked and the loop goes on with the rest. It is asked again at 08:00.",
    });
    expect(await decide({ verb: "retry", question: held }, "inbox")).toMatchObject({ accepted: true });
  });

  test("in the morning every option counts again; a press on Go ahead that comes late still means it", async () => {
    const { clock, consent, held, decide } = await aNight();
    clock.advance(9 * hour);
    const typed = await decide({ verb: "choose", question: consent, key: "go" }, "cli");
    expect(typed).toMatchObject({ reason: "bad-option" });
    expect(await decide({ verb: "choose", question: consent, key: "go" }, "inbox")).toMatchObject({
      accepted: true,
    });
    expect(await decide({ verb: "choose", question: held, key: "2" }, "cli")).toMatchObject({
      accepted: true,
    });
  });

  test("where quiet hours have no end, nothing is promised for a morning", async () => {
    const { held, consent, decide } = await aNight("00:00-24:00");
    const ack = await decide({ verb: "choose", question: held, key: "1" }, "cli");
    expect(ack.text).toContain("Held as long as quiet hours last");
    const skipped = await decide({ verb: "skip", question: consent }, "cli");
    expect(skipped.text).toBe("Skipped: 012-fix-auth stays blocked and the loop goes on with the rest.");
  });
});

test("a page may confirm a choice or an answer in words, and only in one way", () => {
  const key = "abcdefghijklmnop";
  const sent = (command: Record<string, unknown>): boolean =>
    parseDecision({ command: { question: "q-a-b-1", ...command }, key }).ok;
  expect(sent({ verb: "choose", key: "1", confirmed: "in-full" })).toBe(true);
  expect(sent({ verb: "answer", text: "both", confirmed: "in-full" })).toBe(true);
  expect(sent({ verb: "choose", key: "1", confirmed: true })).toBe(false);
  expect(sent({ verb: "override", key: "1", confirmed: "in-full" })).toBe(false);
  expect(sent({ verb: "skip", confirmed: "in-full" })).toBe(false);
});
