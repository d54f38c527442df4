import { describe, expect, test } from "vitest";
import type { Asked } from "../../src/app/api.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { aConfig, aDocument, hour, minute } from "../builders.ts";
import { aClock, afterwards, aHome } from "../homes.ts";

async function anOwlpost(config = aConfig()) {
  const clock = aClock();
  const owlpost = await openOwlpost({ home: aHome(), config, now: clock.now, host: "owl" });
  afterwards(() => owlpost.close());
  async function ask(changes: Record<string, unknown> = {}, more: object = {}): Promise<Asked> {
    const asked = await owlpost.ask({ document: aDocument(changes), ...more });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    return asked;
  }
  const kinds = async (): Promise<string[]> => (await owlpost.events(0, 1_000)).map((event) => event.kind);
  return { owlpost, clock, ask, kinds };
}

describe("asking", () => {
  test("numbers the questions of one run and task", async () => {
    const { ask } = await anOwlpost();
    expect((await ask()).id).toBe("q-a3f2-012-fix-auth-1");
    expect((await ask({ title: "Another one about the session?" })).id).toBe("q-a3f2-012-fix-auth-2");
    expect((await ask({ run: "b" })).id).toBe("q-b-012-fix-auth-1");
  });

  test("the same id and text is the same question, another text is a conflict", async () => {
    const { owlpost, ask, kinds } = await anOwlpost();
    const first = await ask({ id: "q-a3f2-012-7" });
    const again = await ask({ id: "q-a3f2-012-7" });
    expect(again).toEqual({ ...first, repeated: true });
    const other = await owlpost.ask({
      document: aDocument({ id: "q-a3f2-012-7", title: "Something else in `src`?" }),
    });
    expect(other).toMatchObject({ ok: false, error: "id-conflict", id: "q-a3f2-012-7" });
    expect(await kinds()).toEqual(["question.asked"]);
  });

  test("a key makes an ask without an id idempotent", async () => {
    const { ask } = await anOwlpost();
    const [first, again] = [await ask({}, { key: "k1" }), await ask({}, { key: "k1" })];
    expect(again.id).toBe(first.id);
    expect(again.repeated).toBe(true);
    expect((await ask({}, { key: "k2" })).id).not.toBe(first.id);
  });

  test("the same ask is safe again after its absolute deadline has come", async () => {
    const { owlpost, clock, ask } = await anOwlpost();
    const changes = { id: "q-a3f2-012-7", default: { action: "skip_spec", at: "2026-07-07T04:00:00Z" } };
    const first = await ask(changes);
    const keyed = await ask({ ...changes, id: undefined }, { key: "k" });
    clock.advance(24 * hour);
    expect(await ask(changes)).toMatchObject({ id: first.id, repeated: true });
    expect(await ask({ ...changes, id: undefined }, { key: "k" })).toMatchObject({
      id: keyed.id,
      repeated: true,
    });
    const fresh = await owlpost.ask({ document: aDocument({ ...changes, id: "q-a3f2-012-8" }) });
    expect(fresh).toMatchObject({ ok: false, error: "rejected", broken: [{ rule: "deadline-past" }] });
    const other = await owlpost.ask({
      document: aDocument({ ...changes, title: "Something else in `src`?" }),
    });
    expect(other).toMatchObject({ ok: false, error: "rejected", broken: [{ rule: "deadline-past" }] });
  });

  test.each(["../x", ".hidden", "a/b", "", "x".repeat(65)])(
    "the project %j is no folder's name",
    async (project) => {
      const { owlpost } = await anOwlpost();
      const asked = await owlpost.ask({ document: aDocument({ project }) });
      const flagged = await owlpost.ask({ document: aDocument(), project });
      if (project === "") return expect([asked.ok, flagged.ok]).toEqual([true, true]);
      expect(asked).toMatchObject({
        ok: false,
        error: "rejected",
        broken: [{ rule: "field-invalid", field: "project" }],
      });
      expect(flagged).toMatchObject({
        ok: false,
        error: "rejected",
        broken: [{ rule: "field-invalid", field: "project" }],
      });
    },
  );

  test("field 76: an ask that nobody could answer is refused at once", async () => {
    const { owlpost } = await anOwlpost(aConfig({ deliver: [] }));
    const asked = await owlpost.ask({ document: aDocument() });
    expect(asked).toMatchObject({ ok: false, error: "rejected", broken: [{ rule: "no-route" }] });
  });

  test("a refused question leaves an event and nothing else", async () => {
    const { owlpost, kinds } = await anOwlpost();
    await owlpost.ask({ document: aDocument({ title: "", options: [] }) });
    expect(await kinds()).toEqual(["question.rejected"]);
    expect((await owlpost.status()).open).toEqual([]);
  });

  test.each([
    ["an empty text", "", "q.yaml: empty"],
    ["broken YAML", "title: [1\nfoo", "q.yaml:2:1:"],
    ["two documents", "a: 1\n---\nb: 2", "q.yaml: holds 2 documents"],
    ["the same key twice", "title: a\ntitle: b", "q.yaml:2:1:"],
  ])("%s names the place", async (_name, text, place) => {
    const { owlpost } = await anOwlpost();
    const asked = await owlpost.ask({ text, origin: "q.yaml" });
    expect(asked).toMatchObject({ ok: false, error: "unreadable" });
    expect(asked.ok || asked.error !== "unreadable" || asked.message).toContain(place);
  });

  test.each([
    ["90,000 keys in one map", `facts:\n${Array.from({ length: 90_000 }, (_, n) => ` k${n}: 1`).join("\n")}`],
    ["30,000 anchors", Array.from({ length: 30_000 }, (_, n) => `- &a${n} x`).join("\n")],
    ["half a million brackets", "[".repeat(500_000)],
  ])("a document that is slow to read stops nobody for long: %s", async (_name, text) => {
    const { owlpost, ask } = await anOwlpost();
    const started = performance.now();
    const asked = await owlpost.ask({ text, origin: "slow.yaml" });
    expect(asked.ok).toBe(false);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect((await ask()).id).toBe("q-a3f2-012-fix-auth-1");
  });

  test("a credential in a name or in broken YAML is not repeated", async () => {
    const { owlpost, ask } = await anOwlpost();
    const secret = `ghp_${"FAKEfake".repeat(4)}0000`;
    const { dropped } = await ask({ [secret]: 1, answerable_by: [secret] });
    const broken = await owlpost.ask({ text: `a: *${secret}`, origin: "q.yaml" });
    const events = await owlpost.events(0, 100);
    expect(JSON.stringify([dropped, broken, events, await owlpost.status()])).not.toContain(secret);
  });

  test("a credential never reaches the store", async () => {
    const { owlpost, ask, kinds } = await anOwlpost();
    const secret = `ghp_${"FAKEfake".repeat(4)}0000`;
    const { id } = await ask({ tried: `pushed to src/auth.ts with ${secret}` });
    expect(JSON.stringify(await owlpost.question(id))).not.toContain(secret);
    expect(await kinds()).toEqual(["question.asked", "question.redacted"]);
  });

  test("what an agent may not say is dropped and told", async () => {
    const { owlpost, ask } = await anOwlpost();
    const { id, dropped } = await ask(
      { facts: { command: "true" }, answerable_by: ["mara"] },
      { asAgent: true, run: "r9" },
    );
    expect(dropped).toEqual(
      expect.arrayContaining(["facts", "answerable_by", "run", "iteration", "progress"]),
    );
    const stored = await owlpost.question(id);
    expect(stored?.question).toMatchObject({ run: "r9" });
    expect(stored?.question.facts).toBeUndefined();
  });
});

describe("from the question to the loop", () => {
  test("field 70: an answer that came before anybody waited is taken all the same", async () => {
    const { owlpost, ask } = await anOwlpost();
    const { id, digest } = await ask();
    await owlpost.decide({ verb: "choose", question: id, key: "2" }, "inbox");
    const { taken } = await owlpost.take({ task: "012-fix-auth" });
    expect(taken).toMatchObject([
      { id, outcome: "answered", option: "2", label: "Extend the TTL to 30 days", via: "inbox", digest },
    ]);
    expect(taken[0]).not.toHaveProperty("by");
  });

  test("nothing decided, nothing taken", async () => {
    const { owlpost, ask } = await anOwlpost();
    await ask();
    expect(await owlpost.take({})).toEqual({ taken: [], aborts: [], mismatched: [] });
  });

  test("field 64: a claim lapses when nobody confirms it, and never again once it is confirmed", async () => {
    const { owlpost, clock, ask } = await anOwlpost();
    const { id } = await ask();
    await owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    const first = await owlpost.take({ claim: "dead loop" });
    expect((await owlpost.take({ claim: "dead loop" })).taken).toEqual(first.taken);
    expect((await owlpost.take({ claim: "other loop" })).taken).toEqual([]);
    clock.advance(10 * minute);
    const second = await owlpost.take({ claim: "other loop" });
    expect(second.taken.map((each) => [each.id, each.claim])).toEqual([[id, "other loop"]]);
    expect(await owlpost.confirm("dead loop")).toEqual([]);
    expect(await owlpost.confirm("other loop")).toEqual([id]);
    clock.advance(24 * hour);
    expect((await owlpost.take({})).taken).toEqual([]);
  });

  test("a default is taken as what it is, with nobody's name", async () => {
    const { owlpost, clock, ask } = await anOwlpost();
    const { id } = await ask();
    clock.advance(8 * hour);
    const { taken } = await owlpost.take({});
    expect(taken).toMatchObject([{ id, outcome: "defaulted", default: "skip_spec", via: "deadline" }]);
    expect(taken[0]).not.toHaveProperty("option");
    expect(taken[0]).not.toHaveProperty("by");
  });

  test("the recommendation runs only where agent and owner both opted in", async () => {
    const changes = { auto_default: true, default: { action: "take_recommended", at: "06:00" } };
    const wary = await anOwlpost();
    const asked = await wary.ask(changes);
    expect(asked.defaultChanged).toBe(true);
    wary.clock.advance(8 * hour);
    expect((await wary.owlpost.take({})).taken).toMatchObject([
      { outcome: "defaulted", default: "skip_spec" },
    ]);
    const trusting = await anOwlpost(aConfig({ autoDefault: true }));
    expect((await trusting.ask(changes)).defaultChanged).toBeUndefined();
    trusting.clock.advance(8 * hour);
    expect((await trusting.owlpost.take({})).taken).toMatchObject([
      { outcome: "defaulted", default: "take_recommended", option: "1" },
    ]);
  });

  test("a late choice beats a default that nobody took, and stay_parked waits for one", async () => {
    const { owlpost, clock, ask } = await anOwlpost();
    const { id } = await ask({ default: { action: "stay_parked", at: "06:00" } });
    clock.advance(8 * hour);
    expect((await owlpost.take({})).taken).toEqual([]);
    expect((await owlpost.question(id))?.state).toBe("expired");
    const ack = await owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    expect(ack).toMatchObject({ accepted: true });
    expect((await owlpost.take({})).taken).toMatchObject([{ id, outcome: "overridden", option: "1" }]);
  });

  test("a cancel that comes after the deadline finds the question expired", async () => {
    const { owlpost, clock, ask } = await anOwlpost();
    const { id } = await ask();
    clock.advance(8 * hour);
    expect(await owlpost.cancel(id, "too late")).toMatchObject({
      accepted: false,
      reason: "not-open",
      state: "expired",
    });
    expect((await owlpost.question(id))?.outcome).toBe("expired");
  });

  test("looking sweeps everything that is due, however much it is", async () => {
    const { owlpost, clock, ask } = await anOwlpost();
    const asks = Array.from({ length: 450 }, (_, at) => ask({ run: `r${at}` }));
    await Promise.all(asks);
    clock.advance(8 * hour);
    const { counts, open } = await owlpost.status();
    expect([counts.expired, counts.pending, open.length]).toEqual([450, 0, 0]);
  });

  test("a late answer is told as what it is", async () => {
    const { owlpost, clock, ask } = await anOwlpost();
    const [one, two] = [
      await ask({ run: "r1" }),
      await ask({ run: "r2", default: { action: "stay_parked", at: "06:00" } }),
    ];
    clock.advance(8 * hour);
    const late = await owlpost.decide({ verb: "choose", question: one.id, key: "2" }, "cli");
    expect(late.text).toContain("The deadline had passed; this replaces the default.");
    const parked = await owlpost.decide({ verb: "answer", question: two.id, text: "do both" }, "cli");
    expect(parked.text).toContain("The deadline had passed; the task was still parked.");
    const again = await owlpost.decide({ verb: "choose", question: one.id, key: "1" }, "cli");
    expect(again.text).toContain("already answered after the deadline: option 2 — Extend the TTL to 30 days");
  });

  test("field 67: an answer to a question that was altered in the store is not handed out", async () => {
    const { owlpost, ask } = await anOwlpost();
    const { id } = await ask();
    await owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    const { default: Database } = await import("better-sqlite3");
    const db = new Database(`${owlpost.home}/owlpost.db`);
    const changed = db
      .prepare(
        "UPDATE documents SET document = replace(document, 'Refresh-token rotation', 'Drop the table')",
      )
      .run();
    db.close();
    expect(changed.changes).toBe(1);
    expect(await owlpost.take({})).toEqual({ taken: [], aborts: [], mismatched: [id] });
    expect((await owlpost.question(id))?.state).toBe("answered");
  });

  test("skip, retry and cancel", async () => {
    const { owlpost, ask } = await anOwlpost();
    const [one, two, three] = [await ask({ run: "r1" }), await ask({ run: "r2" }), await ask({ run: "r3" })];
    await owlpost.decide({ verb: "skip", question: one.id }, "cli");
    await owlpost.decide({ verb: "retry", question: two.id }, "cli");
    expect(await owlpost.cancel(three.id, "the spec was removed")).toMatchObject({
      accepted: true,
      state: "cancelled",
    });
    const { taken } = await owlpost.take({});
    expect(taken.map((each) => [each.id, each.outcome])).toEqual([
      [one.id, "skipped"],
      [two.id, "retried"],
    ]);
    expect(await owlpost.resolve(one.id, "skipped")).toMatchObject({ accepted: true });
    expect(await owlpost.resolve(three.id, "done")).toMatchObject({ accepted: false, reason: "not-taken" });
    expect(await owlpost.cancel(one.id, "too late")).toMatchObject({ accepted: false, reason: "not-open" });
  });

  test("the same reply twice is one reply", async () => {
    const { owlpost, ask, kinds } = await anOwlpost();
    const { id } = await ask();
    const first = await owlpost.decide({ verb: "choose", question: id, key: "1" }, "inbox", "tap-1");
    const again = await owlpost.decide({ verb: "choose", question: id, key: "1" }, "inbox", "tap-1");
    expect(again).toEqual({ ...first, repeated: true, replayed: true });
    expect((await kinds()).filter((kind) => kind === "question.answered")).toHaveLength(1);
  });

  test.each([
    [{ verb: "choose", question: "no id", key: "1" }, "no-such-question"],
    [{ verb: "choose", question: "q-a3f2-012-9", key: "1" }, "no-such-question"],
    [{ verb: "steer", target: "Not A Task", text: "x" }, "bad-command"],
    [{ verb: "answer", question: "q-a3f2-012-9", text: "  " }, "bad-command"],
    [{ verb: "steer", target: "012", text: "x", project: "../x" }, "bad-command"],
    [{ verb: "steer", target: "012", text: " \n" }, "bad-command"],
  ] as const)("%j is refused as %s", async (command, reason) => {
    const { owlpost } = await anOwlpost();
    expect(await owlpost.decide(command, "cli")).toMatchObject({ accepted: false, reason });
  });
});
