import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { cli, owlpost } from "../app/process.ts";
import { aConfig } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";
import { type Piped, pipe, type ToolResult } from "./pipe.ts";

const asked = {
  title: "Token refresh strategy?",
  context: "Sessions must survive a restart. See `src/auth.ts`.",
  options: [
    { label: "Rotation", consequence: "No schema change", recommended: true },
    { label: "Longer TTL", consequence: "Weaker security" },
  ],
  task: "012-fix-auth",
};
const text = (result: ToolResult): string => result.content.map((part) => part.text ?? "").join("\n");
const id = "q-local-012-fix-auth-1";

describe.each(["2026", "2025"] as const)("owlpost mcp, to a client of %s", (generation) => {
  let home: string;
  let agent: Piped;
  beforeEach(async () => {
    home = aHome();
    agent = await pipe(generation, home);
  });
  afterEach(() => agent.close());

  const owner = (...args: string[]) => owlpost(home, args);
  const state = async () => JSON.parse((await owner("status", id)).stdout) as Record<string, unknown>;

  test("five tools, each with words that say when to use it", async () => {
    const tools = await agent.tools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ["ask_human", "cancel_question", "get_answer", "list_pending", "reachable"].sort(),
    );
    for (const { description = "" } of tools) expect(description.length).toBeGreaterThan(60);
    const shown = tools.find(({ name }) => name === "ask_human")?.inputSchema;
    expect(shown).toMatchObject({ required: ["title", "context", "options"], properties: { task: {} } });
  });

  test("an answer while it waits is handed over once, and confirmed when it is delivered", async () => {
    const waiting = agent.call("ask_human", { ...asked, wait_seconds: 20 });
    await until(
      () => owner("status", id),
      ({ code }) => code === 0,
    );
    expect((await owner("answer", id, "2")).code).toBe(0);
    const result = await waiting;
    expect(text(result)).toMatch(
      /^q-local-012-fix-auth-1 was answered from the command line on .+: option 2 — Longer TTL\.$/,
    );
    expect(result.structuredContent).toMatchObject({ id, option: "2", label: "Longer TTL", decided: true });
    await until(state, ({ taken }) => (taken as Record<string, unknown>).confirmed_at !== undefined);
    const again = await agent.call("get_answer", { id });
    expect(text(again)).toContain("was taken already");
  });

  test("field 70: nobody waits, and whoever asks next finds the answer", async () => {
    const ticket = await agent.call("ask_human", { ...asked, wait_seconds: 0, idempotency_key: "k" });
    expect(text(ticket)).toMatch(
      /^No answer yet\. q-local-012-fix-auth-1 waits until .+ the spec is skipped/,
    );
    expect(ticket.structuredContent).toMatchObject({ decided: false, default: "skip_spec" });
    await owner("answer", id, "--text", "use the store of 009");
    const found = await agent.call("ask_human", { ...asked, wait_seconds: 0, idempotency_key: "k" });
    expect(found.structuredContent).toMatchObject({ id, text: "use the store of 009", handed_over: true });
    expect(text(found)).toContain('Their words: "use the store of 009"');
  });

  test("field 80: silence is told as no answer and a default, never as a choice", async () => {
    const home2 = aHome();
    let now = Date.now();
    const store = await openOwlpost({ home: home2, config: aConfig(), now: () => now });
    afterwards(() => store.close());
    const made = await store.ask({
      document: {
        ...asked,
        options: asked.options.map((each, at) => ({ key: `${at + 1}`, ...each })),
        default: { action: "skip_spec", at: "1h" },
      },
    });
    if (!made.ok) throw new Error("refused");
    now += 2 * 3_600_000;
    await store.question(made.id);
    const late = await pipe(generation, home2);
    afterwards(() => late.close());
    const told = text(await late.call("get_answer", { id: made.id }));
    expect(told).toMatch(/^No answer by .+\. Nobody decided q-.+; its default counts: the spec is skipped/);
    expect(told).not.toMatch(/\b(?:user|you chose|chosen|declined|approved)\b/i);
  });

  test("broken rules come back as what to mend, all at once, and nothing is asked", async () => {
    const result = await agent.call("ask_human", {
      title: "",
      context: "Something.",
      options: [{ label: "A", consequence: "" }],
    });
    expect(result.isError).toBe(true);
    for (const rule of [
      "title-missing",
      "context-names-nothing",
      "options-too-few",
      "consequence-missing",
      "recommended-not-one",
    ])
      expect(text(result)).toContain(rule);
    expect((await agent.call("list_pending")).structuredContent).toMatchObject({ count: 0 });
  });

  test("what is left out or of another shape is told in the same words, all at once", async () => {
    const bare = await agent.call("ask_human", {});
    expect(bare.isError).toBe(true);
    for (const rule of ["title-missing", "context-missing", "options-too-few"])
      expect(text(bare)).toContain(rule);
    const odd = await agent.call("ask_human", {
      title: ["a", "list"],
      context: 7,
      options: "1 or 2",
      deadline: {},
      wait_seconds: "long",
      idempotency_key: null,
    });
    expect(odd.isError).toBe(true);
    expect(text(odd)).not.toMatch(/Invalid input|validation/i);
    expect((await agent.call("list_pending")).structuredContent).toMatchObject({ count: 0 });
  });

  test("what the engine alone may say is not the agent's to say", async () => {
    const options = asked.options.map((option) => ({ ...option, reversible: true }));
    await agent.call("ask_human", {
      ...asked,
      options,
      wait_seconds: 0,
      run: "zzzz",
      facts: { exit_code: 0 },
      auto_default: true,
    });
    const { run, facts } = (await state()) as { run: string; facts?: unknown };
    expect([run, facts]).toEqual(["local", undefined]);
  });

  test("it takes back its own question and nobody else's", async () => {
    await agent.call("ask_human", { ...asked, wait_seconds: 0 });
    const other = await pipe(generation, home);
    afterwards(() => other.close());
    const refused = await other.call("cancel_question", { id, why: "mischief" });
    expect([refused.isError, text(refused)]).toEqual([true, expect.stringContaining("not yours to cancel")]);
    const done = await agent.call("cancel_question", { id, why: "found it in the log" });
    expect(done.structuredContent).toMatchObject({ cancelled: true });
    expect((await state()).why).toBe("the agent took it back: found it in the log");
    expect(text(await agent.call("get_answer", { id }))).toContain("Nobody decided it");
  });

  test("a client that stops waiting takes nothing with it", async () => {
    const gone = new AbortController();
    const waiting = agent.call("ask_human", { ...asked, wait_seconds: 20 }, gone.signal);
    await until(
      () => owner("status", id),
      ({ code }) => code === 0,
    );
    gone.abort();
    await expect(waiting).rejects.toThrow();
    // Its cancellation has arrived once the next call is answered.
    await agent.call("reachable");
    await owner("answer", id, "1");
    expect((await agent.call("get_answer", { id })).structuredContent).toMatchObject({
      option: "1",
      handed_over: true,
    });
  });

  test("who can be reached, what waits, and an id that nobody knows", async () => {
    expect((await agent.call("reachable")).structuredContent).toMatchObject({ reachable: false });
    await agent.call("ask_human", { ...asked, wait_seconds: 0 });
    const listed = await agent.call("list_pending");
    expect(text(listed)).toContain(`${id}: Token refresh strategy? (task 012-fix-auth`);
    const none = await agent.call("get_answer", { id: "q-nobody-1" });
    expect([none.isError, text(none)]).toEqual([true, expect.stringContaining("There is no question")]);
  });
});

test("flags of whoever starts it beat the agent", async () => {
  const home = aHome();
  const agent = await pipe("2026", home, ["--task", "014-import", "--run", "b1", "--project", "shop"]);
  afterwards(() => agent.close());
  const { structuredContent } = await agent.call("ask_human", { ...asked, wait_seconds: 0 });
  expect(structuredContent?.id).toBe("q-b1-014-import-1");
});

test("an answer that never reached the pipe is not confirmed, and is handed out again", async () => {
  const home = aHome();
  const first = await pipe("2026", home);
  await first.call("ask_human", { ...asked, wait_seconds: 0 });
  await owlpost(home, ["answer", id, "1"]);
  await first.close();
  // A client that sends its call and is gone before the result.
  const child = spawn(process.execPath, [cli, "mcp", "--home", home], { stdio: ["pipe", "pipe", "ignore"] });
  const say = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const who = { name: "a test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: who };
  say({ id: 1, method: "initialize", params });
  await new Promise((done) => child.stdout.once("data", done));
  child.stdout.destroy();
  say({ method: "notifications/initialized" });
  say({ id: 2, method: "tools/call", params: { name: "get_answer", arguments: { id } } });
  await new Promise((done) => child.once("close", done));
  const store = await openOwlpost({ home, config: aConfig(), now: () => Date.now() + 3_600_000 });
  afterwards(() => store.close());
  expect((await store.question(id as QuestionId))?.claim?.confirmedAt).toBeUndefined();
  const { taken } = await store.take({});
  expect(taken).toMatchObject([{ id, option: "1" }]);
});

test("nothing but messages comes over the pipe, and a mistake in the configuration is told beside it", async () => {
  const home = aHome();
  writeFileSync(join(home, "config.yaml"), "zone: Mars/Olympus\n");
  const child = spawn(process.execPath, [cli, "mcp", "--home", home], { stdio: ["pipe", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const code = await new Promise((done) => child.once("close", done));
  expect([code, Buffer.concat(out).toString()]).toEqual([2, ""]);
  expect(Buffer.concat(err).toString()).toContain("zone");
});
