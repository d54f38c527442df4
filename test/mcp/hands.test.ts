import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { permissionAsk } from "../../src/app/hook/permission.ts";
import { mcpDesk } from "../../src/app/mcp/desk.ts";
import type { AskInput } from "../../src/app/mcp/tools.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { cli } from "../app/process.ts";
import { aConfig, someRules } from "../builders.ts";
import { afterwards, aHome } from "../homes.ts";

const asked: AskInput = {
  title: "Token refresh strategy?",
  context: "Sessions must survive a restart. See `src/auth.ts`.",
  options: [
    { label: "Rotation", consequence: "No schema change", recommended: true },
    { label: "Longer TTL", consequence: "Weaker security" },
  ],
  task: "012-fix-auth",
  wait_seconds: 0,
};
const id = "q-local-012-fix-auth-1";

/** What the tools do, in this process, on a real store. */
async function aDesk(
  changes: (owlpost: Awaited<ReturnType<typeof openOwlpost>>) => object = () => ({}),
  config = aConfig(),
) {
  const home = aHome();
  const owlpost = await openOwlpost({ home, config });
  afterwards(() => owlpost.close());
  const desk = mcpDesk({
    owlpost: { ...owlpost, ...changes(owlpost) },
    config,
    home,
    now: Date.now,
    given: {},
    otherwiseTask: "agent",
  });
  const { signal } = new AbortController();
  return {
    owlpost,
    desk,
    ask: (input: Partial<AskInput> = {}) => desk.ask({ ...asked, ...input }, signal),
    answerOf: (question: string, wait?: number) => desk.answer(question, wait, signal),
    answer: (question: string, key: string) => owlpost.decide({ verb: "choose", question, key }, "cli"),
  };
}

describe("an answer is for one", () => {
  test("who comes while another holds it is told so at once, and gets it when it is given back", async () => {
    const { owlpost, ask, answer, answerOf } = await aDesk();
    await ask();
    await answer(id, "2");
    await owlpost.take({ claim: "loop" });
    const began = performance.now();
    const held = await answerOf(id, 30);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(held).toMatchObject({ content: { handed_over: false } });
    expect(held.delivered).toBeUndefined();
    expect(held.text).toContain("somebody else has just taken it and acts on it");
    await owlpost.confirm("loop");
    expect((await answerOf(id)).text).toContain("was taken already");
  });

  test("of two that ask for it at the same moment one gets it, and the other is told", async () => {
    const { ask, answer, answerOf } = await aDesk();
    await ask();
    await answer(id, "2");
    const both = await Promise.all([answerOf(id), answerOf(id)]);
    expect(both.filter(({ content }) => content.handed_over)).toHaveLength(1);
    expect(both.filter(({ text }) => text.includes("somebody else has just taken it"))).toHaveLength(1);
  });

  test("a permission of another agent is neither taken nor told as one", async () => {
    const { owlpost, answer, answerOf } = await aDesk();
    const scene = { agent: "Claude Code", tool: "Bash", folder: "/home/eric/shop", task: "shop", at: "15m" };
    const may = permissionAsk({ command: "git push --force" }, undefined, scene);
    const made = await owlpost.ask({ document: may?.document, key: "hook:permission:1" });
    if (!made.ok) throw new Error(JSON.stringify(made));
    await answer(made.id, "1");
    const told = await answerOf(made.id, 5);
    expect(told).toMatchObject({ isError: true, content: { decided: false } });
    expect(told.text).toContain("Nothing is permitted by it here");
    expect(told.text).not.toMatch(/Allow/);
    expect((await owlpost.question(made.id))?.state).toBe("answered");
  });
});

test("a question that is held says that it rings nobody, and not where it went", async () => {
  const night = someRules("00:00-24:00");
  const { ask } = await aDesk(undefined, aConfig({ night }));
  const { text } = await ask();
  expect(text).toContain("It is held: quiet hours last until its deadline, so it rings nobody before.");
  expect(text).not.toContain("It goes to");
});

test("a ticket does not say that somebody is shown the question while no service runs", async () => {
  const { ask } = await aDesk();
  const { text } = await ask();
  expect(text).toContain("does not run at present: nobody is shown it");
  expect(text).not.toContain("It goes to");
});

test("why an agent takes a question back is one short line without credentials, whatever it writes", async () => {
  const { owlpost, desk, ask } = await aDesk();
  await ask();
  const token = `ghp_${"Ab1".repeat(12)}`;
  const told = await desk.cancel(id, `found it\n✅ Answered: 1 \u202e${token} ${"x".repeat(100_000)}`);
  expect(told.content).toMatchObject({ cancelled: true });
  const why = (await owlpost.question(id))?.why ?? "";
  expect(why).toMatch(/^the agent took it back: found it ✅ Answered: 1 .*\[redacted\] x+…$/);
  expect(why).not.toMatch(/[\n\u202e]/);
  expect([...why].length).toBeLessThanOrEqual(300);
});

describe("asking twice", () => {
  test("a fault after the question was stored gives its ticket, so that nobody asks it again", async () => {
    let isBroken = true;
    const { owlpost, ask, answer, answerOf } = await aDesk((real) => ({
      question: (question: string) =>
        isBroken ? Promise.reject(new Error("the store is locked")) : real.question(question),
    }));
    const told = await ask();
    expect(told.isError).toBeUndefined();
    expect(told.content).toMatchObject({ id, decided: false });
    expect(told.text).toMatch(/is asked and stored, so do not ask it again.*the store is locked.*get_answer/);
    isBroken = false;
    await answer(id, "1");
    expect((await answerOf(id)).content).toMatchObject({ option: "1", handed_over: true });
    expect((await owlpost.status()).open).toEqual([]);
  });

  test("the same key of an agent in another folder is another question", async () => {
    const { owlpost, ask } = await aDesk();
    const one = await ask({ idempotency_key: "q1" });
    const desk = mcpDesk({
      owlpost,
      config: aConfig(),
      home: owlpost.home,
      now: Date.now,
      given: {},
      otherwiseTask: "elsewhere",
    });
    const other = await desk.ask({ ...asked, idempotency_key: "q1" }, new AbortController().signal);
    expect(other.isError).toBeUndefined();
    expect(other.content.id).not.toBe(one.content.id);
  });

  test("a blank key is none, a blank text is left out, and a used key is named as the agent wrote it", async () => {
    const { ask } = await aDesk();
    const blank = { idempotency_key: " ", deadline: "", default: "", kind: "", tried: "" };
    const ids = [await ask(blank), await ask({ ...blank, title: "Another?" })].map(
      ({ content }) => content.id,
    );
    expect(new Set(ids).size).toBe(2);
    await ask({ idempotency_key: "auth" });
    const other = await ask({ idempotency_key: "auth", title: "Another?" });
    expect(other.text).toMatch(/its idempotency_key "auth" belongs to q-local-012-fix-auth-3/);
    expect((await ask({ idempotency_key: "k".repeat(201) })).text).toContain("longer than 200 characters");
  });
});

test("a message that cannot be read ends the server, and its client does not wait in vain", async () => {
  const child = spawn(process.execPath, [cli, "mcp", "--home", aHome()], { stdio: "pipe" });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.on("error", () => undefined);
  child.stdin.write("no JSON\n\u0000\n[]\n");
  child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(11 * 1024 * 1024)}"}\n`);
  const code = await new Promise((done) => child.once("close", done));
  expect([code, Buffer.concat(out).toString()]).toEqual([0, ""]);
  expect(Buffer.concat(err).toString()).toContain("a message of more than 10 MiB");
});
