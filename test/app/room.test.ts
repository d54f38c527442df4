import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitsRow } from "../../renderers/ladder.ts";
import { render } from "../../renderers/render.ts";
import type { Config } from "../../src/app/config.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { checkAsk } from "../../src/app/room.ts";
import { elsewhereOf, rowsOf } from "../../src/app/route.ts";
import { checkQuestion } from "../../src/core/contract.ts";
import { longestViews } from "../../src/core/longest-views.ts";
import { questionView } from "../../src/core/view.ts";
import { mintQuestionId } from "../../src/domain/ids.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import { aConfig, aDocument, evening, hour, minute } from "../builders.ts";
import { aClock, afterwards, aHome } from "../homes.ts";

/** Nine options, each as long as it may be. */
function options(label: string, consequence: string, count = 9) {
  return Array.from({ length: count }, (_, at) => ({
    key: String(at + 1),
    label: `${label.repeat(79)}${at + 1}`,
    consequence: consequence.repeat(160),
    recommended: at === 0,
  }));
}
/** More than 6,400 bytes, and 2,160 UTF-16 units. */
const chinese = { options: options("選", "択") };
/** More than 4,300 UTF-16 units. */
const astral = { options: options("𝕬", "𝕭") };

const ntfy = { base_url: "https://ntfy.example.org", ask_topic: "a", reply_topic: "r" };
const channels: Config["channels"] = {
  inbox: { port: 0 },
  ntfy,
  telegram: { allow: [42] },
  slack: { allow: ["T01/U02"] },
};
const configFor = (...deliver: string[]): Config => aConfig({ deliver, channels });

async function anOwlpost(config: Config, home = aHome()) {
  const clock = aClock();
  const owlpost = await openOwlpost({ home, config, now: clock.now, host: "owl" });
  afterwards(() => owlpost.close());
  return { owlpost, clock, home };
}

describe("a question that is too large", () => {
  test("is refused whole where no channel has room for it: nothing is stored but that", async () => {
    const { owlpost } = await anOwlpost(configFor("ntfy", "telegram"));
    const asked = await owlpost.ask({ document: aDocument(astral) });
    if (asked.ok || asked.error !== "rejected") throw new Error(JSON.stringify(asked));
    expect(asked.broken).toEqual([
      {
        rule: "too-large",
        field: "options",
        found: expect.stringMatching(/^ntfy: \d{4,5} of 4095 bytes; telegram: 4\d{3} of 4096 UTF-16 units$/),
        mend: expect.stringMatching(/take away at least \d+ UTF-16 units for telegram: shorten `options\[/),
      },
    ]);
    const events = await owlpost.events(0, 10);
    expect(events.map(({ kind, data }) => [kind, data])).toEqual([
      ["question.rejected", { rules: [{ rule: "too-large", field: "options" }] }],
    ]);
    expect(await owlpost.store.questions({ limit: 10 })).toEqual([]);
  });

  test.each([["inbox"], ["telegram"], ["slack"]])(
    "is taken where %s has room, whatever ntfy has",
    async (other) => {
      const { owlpost } = await anOwlpost(configFor("ntfy", other));
      expect(await owlpost.ask({ document: aDocument(chinese) })).toMatchObject({ ok: true });
      const alone = await anOwlpost(configFor("ntfy"));
      const refused = await alone.owlpost.ask({ document: aDocument(chinese) });
      expect(refused).toMatchObject({ ok: false, broken: [{ rule: "too-large" }] });
    },
  );

  test("only a channel that reaches somebody counts", async () => {
    const { owlpost } = await anOwlpost(
      aConfig({ deliver: ["ntfy", "telegram"], channels: { ...channels, telegram: { allow: [] } } }),
    );
    expect(await owlpost.ask({ document: aDocument(chinese) })).toMatchObject({
      ok: false,
      broken: [{ rule: "too-large", found: expect.stringMatching(/^ntfy: [^;]*$/) }],
    });
  });

  test("the format of a channel's settings gives its room", async () => {
    const hook = (format: string): Config =>
      aConfig({ deliver: ["webhook"], channels: { webhook: { url: "https://hook.example.org", format } } });
    const ask = async (format: string) =>
      (await anOwlpost(hook(format))).owlpost.ask({ document: aDocument(astral) });
    expect(await ask("owlpost")).toMatchObject({ ok: true });
    expect(await ask("slack")).toMatchObject({
      ok: false,
      broken: [{ found: expect.stringMatching(/^webhook: \d+ of 4000 UTF-16 units$/) }],
    });
  });

  test("it is told with everything else that is broken", async () => {
    const { owlpost } = await anOwlpost(configFor("ntfy"));
    const document = aDocument({ ...chinese, context: "", default: { action: "skip_spec", at: "soon" } });
    const refused = await owlpost.ask({ document });
    if (refused.ok || refused.error !== "rejected") throw new Error(JSON.stringify(refused));
    expect(refused.broken.map(({ rule }) => rule).sort()).toEqual([
      "context-missing",
      "deadline-invalid",
      "too-large",
    ]);
  });
});

test("a question that was stored is found again by its id or key, though its channel has no room any more", async () => {
  const before = await anOwlpost(configFor("ntfy", "inbox"));
  const named = { ...aDocument(chinese), id: "q-a3f2-012-7" };
  const first = await before.owlpost.ask({ document: named });
  const keyed = await before.owlpost.ask({ document: aDocument(chinese), key: "k" });
  if (!first.ok || !keyed.ok) throw new Error(JSON.stringify([first, keyed]));
  const { owlpost, clock } = await anOwlpost(configFor("ntfy"), before.home);
  clock.advance(minute);
  expect(await owlpost.ask({ document: named })).toMatchObject({ ok: true, id: first.id, repeated: true });
  expect(await owlpost.ask({ document: aDocument(chinese), key: "k" })).toMatchObject({
    ok: true,
    id: keyed.id,
    repeated: true,
  });
  expect(await owlpost.ask({ document: aDocument(chinese), key: "other" })).toMatchObject({
    ok: false,
    broken: [{ rule: "too-large" }],
  });
});

describe("what the contract lets through", () => {
  const rows = [
    "telegram",
    "ntfy",
    "slack",
    "feishu",
    "webhook slack",
    "webhook discord",
    "email",
    "github",
    "inbox",
  ];
  const text = (most: number) =>
    fc
      .tuple(
        fc.constantFrom("x", "&", '"', "界", "𝕬", "\u202e", "a_b ", "@"),
        fc.integer({ min: 1, max: most }),
      )
      .map(([unit, count]) => `a${unit.repeat(count)}b`.slice(0, unit === "𝕬" ? most * 2 : most))
      .filter((each) => [...each].length <= most);
  const aLargeDocument = fc
    .record({
      title: text(118),
      options: fc.array(fc.record({ label: text(70), consequence: text(158) }), {
        minLength: 7,
        maxLength: 9,
      }),
      command: text(160),
      lowFidelity: fc.boolean(),
      at: fc.constantFrom("06:00", "12h", "9d"),
    })
    .map(({ title, options: some, command, lowFidelity, at }) =>
      aDocument({
        title,
        options: some.map(({ label, consequence }, index) => ({
          key: `${index}key`,
          label: `${index} ${label}`,
          consequence,
          recommended: index === 0,
        })),
        default: { action: "skip_spec", at },
        facts: { command, exit_code: 1, output_tail: `${title}\n`.repeat(5) },
        low_fidelity: lowFidelity,
      }),
    );
  const aDelivery = fc.subarray(rows, { minLength: 1, maxLength: 2 }).map((chosen): Config => {
    const hook = chosen.find((each) => each.startsWith("webhook"));
    const format = hook?.split(" ")[1];
    return aConfig({
      deliver: [...new Set(chosen.map((each) => each.split(" ")[0] ?? ""))],
      channels: format === undefined ? {} : { webhook: { format } },
    });
  });

  test("fits one of the channels at least, uncut, and nothing that fits is refused", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(aLargeDocument, aDelivery, async (document, config) => {
        const settings = {
          now: evening,
          zone: config.zone,
          minLeadMs: config.minLeadMs,
          channels: config.deliver.map((id) => ({ id })),
          ownerAutoDefault: false,
          asAgent: false,
          given: { project: "shop" },
        };
        const free = checkQuestion(document, settings);
        if (!free.ok) throw new Error(JSON.stringify(free.broken));
        const { digest, deadlineAt, zone, defaultAction, id: _none, ...question } = free.draft;
        const asked: StoredQuestion = {
          question: { ...question, id: mintQuestionId(question.run, question.task, 9999) },
          state: "pending",
          digest,
          revision: 1,
          askedAt: evening,
          deadlineAt,
          zone,
          defaultAction,
        };
        const elsewhere = elsewhereOf(config);
        const fitting = config.deliver
          .map(rowsOf(config))
          .filter((row) =>
            longestViews(asked, row.edit === "yes").every((view) => fitsRow({ ...view, elsewhere }, row)),
          );
        const checked = await checkAsk(document, settings, config);
        expect(checked.ok).toBe(fitting.length > 0);
        if (!checked.ok) {
          refused += 1;
          expect(checked.broken.map(({ rule }) => rule)).toEqual(["too-large"]);
        }
        for (const row of fitting) {
          const later = { ...asked, state: "expired" as const };
          const posted = questionView(asked, evening);
          const missed = questionView(later, deadlineAt + hour);
          // Where nothing is edited, a follow-up tells of it.
          for (const view of row.edit === "yes" ? [posted, missed] : [posted])
            expect(render({ ...view, elsewhere }, row).plain, row.dialect).not.toContain("do not fit here");
        }
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(0);
  });
});
