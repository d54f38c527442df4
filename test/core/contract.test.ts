import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { Excess } from "../../src/core/contract/routes.ts";
import { type Checked, type ContractSettings, checkQuestion, type Draft } from "../../src/core/contract.ts";
import { digestQuestion } from "../../src/core/digest.ts";
import type { Extent } from "../../src/domain/capabilities.ts";
import type { BrokenRule } from "../../src/domain/command.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import { aDocument, evening, hour } from "../builders.ts";
import { readCaseFile } from "../conformance/case-files.ts";
import { caseKind as contractCases } from "../conformance/contract.ts";
import { caseKind as realCases } from "../conformance/real-questions.ts";

const cases = join(import.meta.dirname, "../cases/questions");

describe("the table of the contract", () => {
  const verdicts = contractCases.run(readCaseFile(join(cases, "contract.json")));
  it("is whole", () => {
    expect(verdicts).toHaveLength(107);
  });
  for (const verdict of verdicts) {
    test(verdict.id, () => {
      expect(verdict).toEqual({ id: verdict.id, ok: true });
    });
  }
});

describe("questions of a working day", () => {
  for (const verdict of realCases.run(readCaseFile(join(cases, "real/expect.json")))) {
    test(verdict.id, () => {
      expect(verdict).toEqual({ id: verdict.id, ok: true });
    });
  }
});

const settings: ContractSettings = {
  now: evening,
  zone: "Europe/Berlin",
  minLeadMs: 10 * 60_000,
  channels: [{ id: "inbox" }],
  ownerAutoDefault: false,
  asAgent: false,
  given: { project: "shop" },
};

function check(changes: Record<string, unknown> = {}, more: Partial<ContractSettings> = {}): Checked {
  return checkQuestion(aDocument(changes), { ...settings, ...more });
}

function accepted(
  changes: Record<string, unknown> = {},
  more: Partial<ContractSettings> = {},
): Checked & { ok: true } {
  const checked = check(changes, more);
  if (!checked.ok) throw new Error(JSON.stringify(checked.broken));
  return checked;
}

function draftOf(changes: Record<string, unknown> = {}, more: Partial<ContractSettings> = {}): Draft {
  return accepted(changes, more).draft;
}

function brokenOf(
  changes: Record<string, unknown>,
  more: Partial<ContractSettings> = {},
): readonly BrokenRule[] {
  const checked = check(changes, more);
  return checked.ok ? [] : checked.broken;
}

/** `rule field`, in order. */
function rulesOf(changes: Record<string, unknown>, more: Partial<ContractSettings> = {}): readonly string[] {
  return brokenOf(changes, more).map((one) => `${one.rule} ${one.field}`);
}

const optionOne = { key: "1", label: "One", consequence: "Then one", recommended: true };
const optionTwo = { key: "2", label: "Two", consequence: "Then two" };

describe("what is stored", () => {
  it("is the question as it was written, with its deadline and digest", () => {
    const { draft, ...rest } = accepted();
    expect(rest).toEqual({ ok: true, redactedFields: [], droppedFields: [], defaultChanged: false });
    const { digest, deadlineAt, zone, defaultAction, ...question } = draft;
    expect(question).toEqual({ ...aDocument(), project: "shop" });
    expect({ deadlineAt, zone, defaultAction }).toEqual({
      deadlineAt: evening + 7 * hour,
      zone: "Europe/Berlin",
      defaultAction: "skip_spec",
    });
    expect(digest).toBe(digestQuestion(draft));
  });

  it("is NFC, without lone surrogates, NUL or obeyed control characters", () => {
    const draft = draftOf({
      title: "Gru\u0308n\ud800?",
      context: "a\0b \u001b[31mred\u001b[0m\r\nsee `x`\tand\rmore\u007f",
      tried: "a\u0008b",
    });
    expect(draft.title).toBe("Gr\u00fcn\ufffd?");
    expect(draft.context).toBe("a\ufffdb ␛[31mred␛[0m\nsee `x`\tand\nmore␡");
    expect(draft.tried).toBe("a␈b");
  });

  it("folds line breaks in a label", () => {
    expect(draftOf({ options: [{ ...optionOne, label: "One\n  more" }, optionTwo] }).options[0]?.label).toBe(
      "One more",
    );
  });

  it("asked again from what was stored, it is the same question", () => {
    const first = draftOf({
      context: "password=abc in `x.env`",
      title: "Gru\u0308n?",
      links: { pull_request: 412 },
    });
    const second = checkQuestion(JSON.parse(JSON.stringify(first)), settings);
    if (!second.ok) throw new Error("refused");
    expect(second.draft).toEqual(first);
    expect(second.redactedFields).toEqual([]);
  });
});

describe("identity", () => {
  it("fills in what may be left out", () => {
    const { kind: _kind, run: _run, task: _task, ...document } = aDocument({ spec: "012-fix-auth.md" });
    const checked = checkQuestion(document, settings);
    expect(checked.ok && checked.draft).toMatchObject({ kind: "decide", run: "local", task: "012-fix-auth" });
  });

  it("takes the task from the flag, then from task, then from spec", () => {
    expect(draftOf({ spec: "012-fix-auth.md" }).task).toBe("012-fix-auth");
    expect(draftOf({ task: undefined, spec: "specs/013-x.md" }).task).toBe("013-x");
    expect(draftOf({ task: "not valid" }, { given: { project: "shop", task: "014-y" } }).task).toBe("014-y");
    expect(rulesOf({ spec: "013-x" })).toEqual(["field-invalid spec"]);
    expect(rulesOf({}, { given: { project: "shop", task: "Not_valid" } })).toEqual(["field-invalid task"]);
  });

  it("says how to name the task where nothing does", () => {
    const [broken] = brokenOf({ task: undefined });
    expect(broken).toMatchObject({ rule: "field-invalid", field: "task", found: "nothing" });
    expect(broken?.mend).toContain("`task: 012-fix-auth`, or pass --task");
  });

  it("takes the run from the flag, then from the document, then from the id", () => {
    expect(draftOf({}, { given: { project: "shop", run: "b1" } }).run).toBe("b1");
    expect(draftOf({ run: undefined, id: "q-c9-012-1" }).run).toBe("c9");
    expect(draftOf({ run: 4711 }).run).toBe("4711");
    expect(rulesOf({ run: -1 })).toEqual(["field-invalid run"]);
    expect(rulesOf({ run: "A3F2" })).toEqual(["field-invalid run"]);
  });

  it.each([
    "q-a3f2-012-0",
    "q-a3f2-012-10000",
    "a3f2-012-1",
    "q-a3f2-012",
    "",
    7,
    ["q-a3f2-012-1"],
    "q-a3f2-012-1\n",
  ])("%j is no id", (id) => {
    expect(rulesOf({ id })).toEqual(["field-invalid id"]);
  });
});

describe("what only the engine may say", () => {
  const engine = {
    facts: { exit_code: 1 },
    answerable_by: ["owner"],
    auto_default: true,
    run: "a3f2",
    iteration: 7,
    progress: "2 of 5",
  };

  it("is kept from the engine and dropped from an agent", () => {
    expect(draftOf(engine)).toMatchObject(engine);
    const checked = accepted(engine, { asAgent: true });
    for (const name of Object.keys(engine).filter((each) => each !== "run"))
      expect(checked.draft).not.toHaveProperty(name);
    expect(checked.draft.run).toBe("local");
    expect([...checked.droppedFields].sort()).toEqual(Object.keys(engine).sort());
  });

  it("is dropped even where it is broken, and the flags still count", () => {
    const checked = accepted(
      { facts: 7, answerable_by: 7, iteration: "x", progress: 7, run: "NO" },
      { asAgent: true, given: { project: "shop", run: "b1" } },
    );
    expect(checked.draft.run).toBe("b1");
  });

  it("does not come in by the id of an agent", () => {
    expect(draftOf({ run: undefined, id: "q-c9-012-1" }, { asAgent: true }).run).toBe("local");
  });

  it("cannot opt an agent's question into its own recommendation", () => {
    const changes = { default: { action: "take_recommended", at: "06:00" }, auto_default: true };
    const [broken] = brokenOf(changes, { asAgent: true });
    expect(broken?.rule).toBe("default-needs-opt-in");
    expect(broken?.mend).toContain("only the engine");
  });

  it("tells what it does not know", () => {
    const checked = accepted({
      state: "posted",
      deadline_at: "x",
      source: "elsewhere",
      default: { action: "skip_spec", at: "06:00", why: "x" },
      options: [{ ...optionOne, note: "x" }, optionTwo],
    });
    expect(checked.droppedFields).toEqual([
      "state",
      "deadline_at",
      "source",
      "options[0].note",
      "default.why",
    ]);
    expect(JSON.stringify(checked.draft)).not.toContain('"x"');
  });
});

describe("facts and links", () => {
  it("keeps the last ten lines of the output", () => {
    const lines = Array.from({ length: 14 }, (_, at) => `line ${at}`);
    const last = lines.slice(4);
    expect(draftOf({ facts: { output_tail: lines } }).facts?.output_tail).toEqual(last);
    expect(draftOf({ facts: { output_tail: lines.join("\n") } }).facts?.output_tail).toBe(last.join("\n"));
    expect(draftOf({ facts: { output_tail: `${lines.join("\r\n")}\r\n` } }).facts?.output_tail).toBe(
      last.join("\n"),
    );
    expect(draftOf({ facts: { output_tail: [lines.join("\n")] } }).facts?.output_tail).toEqual(last);
  });

  it("measures each fact in bytes", () => {
    expect(rulesOf({ facts: { big: "x".repeat(65_535), log: "é".repeat(32_767) } })).toEqual([
      "field-invalid facts.big",
    ]);
    expect(draftOf({ facts: { big: "x".repeat(65_534) } }).facts?.big).toHaveLength(65_534);
  });

  it("keeps what JSON keeps, and no more", () => {
    const facts = {
      a: [1, null, { b: true }],
      c: Number.NaN,
      d: undefined,
      e: new Date(0),
      f: 10n,
      g: Symbol("x"),
    };
    expect(draftOf({ facts }).facts).toEqual({
      a: [1, null, { b: true }],
      c: "NaN",
      e: "1970-01-01T00:00:00.000Z",
      f: "10",
    });
  });

  it("refuses facts without an end", () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(rulesOf({ facts: { loop } })).toEqual(["field-invalid facts.loop"]);
    expect(rulesOf({ facts: { wide: Array.from({ length: 20_001 }, () => 1) } })).toEqual([
      "field-invalid facts.wide",
    ]);
    expect(rulesOf({ facts: { sparse: new Array(4_000_000_000) } })).toEqual(["field-invalid facts.sparse"]);
  });

  it("redacts under telling names", () => {
    const checked = accepted({
      facts: { password: "letmein", command: "deploy --token abc", env: { API_KEY: "abc" } },
      links: { log: "https://ci:abc@ci.example.org/1" },
    });
    expect(checked.draft.facts).toEqual({
      password: "[redacted]",
      command: "deploy --token [redacted]",
      env: { API_KEY: "[redacted]" },
    });
    expect(checked.draft.links).toEqual({ log: "https://ci:[redacted]@ci.example.org/1" });
    expect(checked.redactedFields).toEqual(["facts.password", "facts.command", "facts.env", "links.log"]);
  });

  it.each([
    [{ command: "make frob" }, "It ended at make frob again.", true],
    [{ exit_code: 137 }, "The process ended with 137 again.", true],
    [{ exit_code: 13 }, "The process ended with 137 again.", false],
    [{ output_tail: ["a", "everything on fire"] }, "It says: everything on fire.", true],
    [{ branch: "nightly" }, "The nightlybuild is red.", false],
  ])("a context that names %j: %s", (facts, context, names) => {
    expect(rulesOf({ facts, context, tried: undefined })).toEqual(
      names ? [] : ["context-names-nothing context"],
    );
  });
});

describe("names something", () => {
  it.each([
    "See docs/a",
    "In mod::fn",
    "Run `make`",
    "As #7 says",
    "In x_y",
    "The main.c file",
    "在settings.yaml里",
    "Über.md fehlt",
    "Der Fall FIX-AUTH",
    "(012-fix-auth)",
    "README.MD is old",
  ])("%j does", (context) => {
    expect(rulesOf({ context, tried: undefined })).toEqual([]);
  });

  it.each([
    "It fails, e.g. on restart, i.e. always.",
    "Nothing works . So what",
    "Wait / stop",
    "A # sign and `` nothing",
    "It took 1.5 hours",
    "The prefix-auth work and fix-authority",
    "One: two :: three _ four",
  ])("%j does not", (context) => {
    expect(rulesOf({ context, tried: undefined })).toEqual(["context-names-nothing context"]);
  });
});

describe("options", () => {
  it("takes numbers where only one text can be meant", () => {
    const options = [
      { ...optionOne, key: 1, label: 30 },
      { ...optionTwo, key: 2, label: 60 },
    ];
    expect(draftOf({ options }).options.map((each) => [each.key, each.label])).toEqual([
      ["1", "30"],
      ["2", "60"],
    ]);
    expect(
      rulesOf({
        options: [
          { ...optionOne, key: 1.5 },
          { ...optionTwo, key: -1 },
        ],
      }),
    ).toEqual(["option-key-invalid options[0].key", "option-key-invalid options[1].key"]);
  });

  it("names every option that is broken, with its place", () => {
    const options = [
      { key: "skip", label: "", consequence: "a\n" },
      { key: "B", label: "x".repeat(81), consequence: "x".repeat(161) },
      null,
      { key: "1", label: "One", consequence: "a\u2028b" },
      { key: "1", label: "ONE ", consequence: " " },
    ];
    expect(rulesOf({ options })).toEqual([
      "option-key-reserved options[0].key",
      "label-missing options[0].label",
      "consequence-multiline options[0].consequence",
      "option-key-invalid options[1].key",
      "label-too-long options[1].label",
      "consequence-too-long options[1].consequence",
      "field-invalid options[2]",
      "consequence-multiline options[3].consequence",
      "consequence-missing options[4].consequence",
      "option-key-duplicate options[4].key",
      "options-not-distinct options[4].label",
      "recommended-not-one options",
    ]);
  });

  it.each([
    "answer",
    "skip",
    "retry",
    "steer",
    "override",
    "abort",
    "status",
    "pending",
    "help",
    "pair",
    "unpair",
    "go",
    "ok",
    "y",
  ])("%s is reserved", (key) => {
    expect(rulesOf({ options: [optionOne, { ...optionTwo, key }] })).toEqual([
      "option-key-reserved options[1].key",
    ]);
  });

  it("looks at no more options than it must", () => {
    const options = Array.from({ length: 5000 }, () => ({ key: "" }));
    expect(brokenOf({ options }).length).toBeLessThan(110);
  });

  it("a recommendation that is no truth value is told once", () => {
    expect(rulesOf({ options: [{ ...optionOne, recommended: "yes" }, optionTwo] })).toEqual([
      "field-invalid options[0].recommended",
    ]);
  });
});

describe("default", () => {
  const take = { default: { action: "take_recommended", at: "06:00" }, auto_default: true };

  it("takes the recommendation only when the owner said so too", () => {
    expect(accepted(take)).toMatchObject({
      defaultChanged: true,
      draft: { defaultAction: "skip_spec", default: take.default },
    });
    expect(accepted(take, { ownerAutoDefault: true })).toMatchObject({
      defaultChanged: false,
      draft: { defaultAction: "take_recommended" },
    });
  });

  it("never takes what nothing recommends", () => {
    const options = [
      { key: "yes", label: "Frozen", consequence: "It goes on" },
      { key: "no", label: "Not frozen", consequence: "It waits" },
    ];
    expect(accepted({ ...take, kind: "fact", options }, { ownerAutoDefault: true })).toMatchObject({
      defaultChanged: true,
      draft: { defaultAction: "skip_spec" },
    });
  });

  it.each([
    [undefined, "default-missing default"],
    [null, "default-missing default"],
    ["skip_spec", "default-missing default"],
    [["skip_spec"], "default-missing default"],
    [{}, "default-missing default"],
    [{ action: null, at: "soon" }, "default-missing default"],
    [{ action: "skip_spec" }, "deadline-missing default.at"],
    [{ action: "skip_spec", at: " " }, "deadline-missing default.at"],
    [{ action: "skip_spec", at: 360 }, "deadline-invalid default.at"],
    [{ action: "skip_spec", at: new Date(evening) }, "deadline-invalid default.at"],
    [{ action: 1, at: "06:00" }, "field-invalid default.action"],
  ])("%j breaks %s", (fallback, rule) => {
    expect(rulesOf({ default: fallback })).toEqual([rule]);
  });
});

describe("routes", () => {
  it("field 76: a question that nobody could see is refused at once", () => {
    const [broken] = brokenOf({}, { channels: [] });
    expect(broken).toMatchObject({ rule: "no-route", found: "no channel is configured" });
  });

  it("R10: a question that would ring nobody is refused, and says whom to pair", () => {
    const channels = [{ id: "telegram" }, { id: "slack" }];
    const reaching = (answerableBy: readonly string[] | undefined) =>
      answerableBy?.includes("mara") ? ["slack"] : [];
    expect(brokenOf({}, { channels, reaching })).toMatchObject([
      {
        rule: "no-route",
        found: "nobody on telegram, slack",
        mend: expect.stringContaining("owlpost pair"),
      },
    ]);
    expect(rulesOf({ answerable_by: ["mara"] }, { channels, reaching })).toEqual([]);
  });

  const channels = [{ id: "telegram" }, { id: "ntfy" }];
  const extents: Readonly<Record<string, Extent>> = {
    telegram: { size: 5210, room: 4096, unit: "utf16", of: "message" },
    ntfy: { size: 9006, room: 5592, unit: "utf8", of: "request" },
    slack: { size: 3100, room: 3000, unit: "utf16", of: "part" },
  };
  const excess: Excess = (_asked, channel) => extents[channel];

  it("a question that fits no channel is refused with its size and the room on each, and what to shorten", () => {
    const broken = brokenOf({}, { channels: [...channels, { id: "slack" }], excess });
    expect(broken).toEqual([
      {
        rule: "too-large",
        field: "options",
        found:
          "telegram: 5210 of 4096 UTF-16 units; ntfy: 9006 of 5592 bytes of JSON; slack: 3100 of 3000 UTF-16 units in one part",
        mend: expect.stringMatching(
          /at least 100 UTF-16 units for slack: shorten `title` \(\d+ characters\), .* offer fewer options/,
        ),
      },
    ]);
    expect(brokenOf({ title: "Which?" }, { channels, excess })[0]?.mend).toContain("shorten `options[0]");
  });

  it("is too large only when it fits none of the channels that reach somebody", () => {
    expect(rulesOf({}, { channels: [...channels, { id: "inbox" }], excess })).toEqual([]);
    const reaching = (): readonly string[] => ["ntfy"];
    const [broken] = brokenOf({}, { channels: [...channels, { id: "inbox" }], reaching, excess });
    expect(broken?.found).toBe("ntfy: 9006 of 5592 bytes of JSON");
    expect(rulesOf({}, { channels, reaching: () => [], excess })).toEqual(["no-route channels"]);
    expect(rulesOf({}, { channels: [], excess })).toEqual(["no-route channels"]);
  });

  it.each<[string, Record<string, unknown>, readonly string[]]>([
    [
      "a deadline that is over",
      { default: { action: "skip_spec", at: "2020-01-01T00:00:00Z" } },
      ["deadline-past default.at"],
    ],
    ["no default", { default: undefined }, ["default-missing default"]],
    ["no title", { title: "" }, ["title-missing title"]],
    ["no context", { context: "" }, ["context-missing context"]],
    ["a task that is none", { task: "NO" }, ["field-invalid task"]],
    ["a kind that is none", { kind: "poll" }, ["field-invalid kind"]],
    [
      "nothing recommended",
      { options: [{ ...optionOne, recommended: false }, optionTwo] },
      ["recommended-not-one options"],
    ],
  ])("too large is told together with %s", (_name, changes, rules) => {
    expect(rulesOf(changes, { channels, excess })).toEqual(
      expect.arrayContaining([...rules, "too-large options"]),
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ["a title that is too long", { title: "t".repeat(121) }],
    ["a title of two lines", { title: "one\ntwo" }],
    ["a label that is too long", { options: [{ ...optionOne, label: "l".repeat(81) }, optionTwo] }],
    [
      "a consequence that is too long",
      { options: [{ ...optionOne, consequence: "c".repeat(161) }, optionTwo] },
    ],
    [
      "too many options",
      {
        options: Array.from({ length: 10 }, (_, at) => ({
          ...optionOne,
          key: `k${at}`,
          label: `L ${at}`,
          recommended: at === 0,
        })),
      },
    ],
  ])("how large it is says nothing beside %s", (_name, changes) => {
    const rules = rulesOf(changes, { channels, excess });
    expect(rules).not.toEqual([]);
    expect(rules).not.toContain("too-large options");
  });

  it("it is measured under the longest id that it may get, with the default that will run", () => {
    const seen: StoredQuestion[] = [];
    const look: Excess = (asked) => {
      seen.push(asked);
      return undefined;
    };
    const opted = { auto_default: true, default: { action: "take_recommended", at: "06:00" } };
    for (const [changes, more] of [
      [{}, {}],
      [{ id: "q-a3f2-012-7" }, {}],
      [opted, {}],
      [opted, { ownerAutoDefault: true }],
    ] as const)
      rulesOf(changes, { channels, excess: look, ...more });
    expect(seen.map(({ question, state, defaultAction }) => [question.id, state, defaultAction])).toEqual([
      ["q-a3f2-012-fix-auth-9999", "pending", "skip_spec"],
      ["q-a3f2-012-7", "pending", "skip_spec"],
      ["q-a3f2-012-fix-auth-9999", "pending", "skip_spec"],
      ["q-a3f2-012-fix-auth-9999", "pending", "take_recommended"],
    ]);
    expect(seen[0]?.deadlineAt).toBe(Date.parse("2026-07-07T04:00:00Z"));
  });
});

describe("the report", () => {
  it("says what stands there in one line of at most 80 characters, without a credential", () => {
    const secret = ["ghp", "FAKEfakeFAKEfakeFAKEfakeFAKEfake0000"].join("_");
    const title = `first line with ${secret}\nand password=letmein ${"x".repeat(300)}`;
    const [broken] = brokenOf({ title });
    expect(broken?.rule).toBe("title-multiline");
    expect([...(broken?.found ?? "")].length).toBeLessThanOrEqual(80);
    expect(broken?.found).toContain("[redacted]⏎and");
    expect(
      JSON.stringify(brokenOf({ title, kind: secret, task: secret, run: secret, id: secret })),
    ).not.toContain(secret);
  });

  it("counts after redaction, as it is stored", () => {
    const secret = ["ghp", "FAKEfake0000".repeat(10)].join("_");
    expect(rulesOf({ context: `see \`x\` ${secret} ${"y".repeat(560)}` })).toEqual([]);
  });

  it.each([
    [null, "nothing"],
    ["text", '"text"'],
    [[], "a list"],
    [7, "the number 7"],
    [true, "true"],
  ])("%j is no question", (document, found) => {
    expect(checkQuestion(document, settings)).toMatchObject({
      ok: false,
      broken: [{ rule: "field-invalid", field: "document", found }],
    });
  });

  it.each([
    ["title", 7],
    ["title", ["a"]],
    ["context", { a: 1 }],
    ["context", true],
    ["tried", ["a", "b"]],
    ["options", { 1: optionOne }],
    ["options", "1 or 2"],
    ["facts", ["a"]],
    ["facts", "a"],
    ["links", ["a"]],
    ["links", 7],
    ["answerable_by", "owner"],
    ["answerable_by", [7]],
    ["auto_default", "yes"],
    ["low_fidelity", 1],
    ["iteration", "7"],
    ["iteration", 1.5],
    ["progress", 7],
    ["kind", ["decide"]],
    ["kind", "toString"],
    ["task", { a: 1 }],
    ["again", "yesterday"],
  ])("%s: %j is told with its place", (field, value) => {
    const broken = brokenOf({ [field]: value });
    expect(broken.map((one) => `${one.rule} ${one.field}`)).toEqual([`field-invalid ${field}`]);
    expect(broken[0]?.mend).toMatch(/[.]$/);
  });
});
