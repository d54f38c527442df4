import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { fromOpenCode } from "../../src/app/hook/opencode.ts";
import { awaitAll } from "../../src/app/hook/waiting.ts";
import { cli, owlpost } from "../app/process.ts";
import { aDocument } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";
import { aHookDesk } from "./desk.ts";
import { auth, geminiAskUser, openCodePermission, openCodeQuestion, permissionRequest } from "./events.ts";

test("codex: exactly the fields that it knows, allowed and denied", async () => {
  const { hook, asked, answer, pass } = await aHookDesk();
  const event = permissionRequest({ turn_id: "t1", model: "gpt-5" });
  const allowed = hook(event, "codex");
  const [stored] = await asked();
  expect(stored?.question.title).toBe("May Codex use Bash now?");
  await answer(String(stored?.question.id), "1");
  expect((await allowed).output).toEqual({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
  });
  const denied = hook(event, "codex");
  await asked();
  pass();
  expect((await denied).output).toEqual({
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: expect.stringMatching(/^No answer by .+, so not allowed/) },
    },
  });
});

test("gemini-cli: the answer is the reason of a deny, within its time; after it a ticket, and the same question finds the answer", async () => {
  const { hook, asked, answer, pass, open } = await aHookDesk();
  const event = geminiAskUser();
  const waiting = hook(event, "gemini-cli");
  await asked();
  pass(46_000);
  expect((await waiting).output).toEqual({
    decision: "deny",
    reason: expect.stringMatching(
      /No answer yet\. q-\S+ waits until .+ and ask the very same question again later/,
    ),
  });
  const [stored] = await open();
  await answer(String(stored?.question.id), "2");
  expect((await hook(event, "gemini-cli")).output).toEqual({
    decision: "deny",
    reason: expect.stringMatching(/has its answer:\nq-\S+ was answered .+: option 2 — Sessions\./),
  });
});

test("gemini-cli: a clock that is set back keeps nobody waiting beyond the agent's own time", async () => {
  const { owlpost: real } = await aHookDesk();
  const asked = await real.ask({ document: aDocument() });
  if (!asked.ok) throw new Error(asked.error);
  let at = Date.parse("2026-11-30T12:00:00Z");
  const now = (): number => {
    at -= 60_000;
    return at;
  };
  const { signal } = new AbortController();
  expect(await awaitAll(real, [asked.id], { now, waitMs: 30, signal })).toMatchObject([
    { question: { id: asked.id } },
  ]);
}, 5_000);

test("gemini-cli: yes or no is asked, what wants a text goes to its own prompt", async () => {
  const { hook, asked, gone } = await aHookDesk();
  const text = { question: "What is it called in src/a.ts?", header: "Name", type: "text" };
  expect(
    (await hook(geminiAskUser({ tool_input: { questions: [text] } }), "gemini-cli")).output,
  ).toBeUndefined();
  const yesno = { question: "Drop src/old.ts?", header: "Drop", type: "yesno" };
  const waiting = hook(geminiAskUser({ tool_input: { questions: [yesno] } }), "gemini-cli");
  const [stored] = await asked();
  expect(stored?.question.options.map(({ label }) => label)).toEqual(["Yes", "No"]);
  gone.abort();
  await waiting;
});

test("opencode: replies for its own server; on silence a question stays at its prompt and a permission is refused", async () => {
  const { hook, asked, answer, skip, pass } = await aHookDesk();
  const question = fromOpenCode(openCodeQuestion());
  const answered = hook(question, "opencode");
  const [first] = await asked();
  await answer(String(first?.question.id), "1");
  expect((await answered).output).toEqual({ path: "/question/que_1/reply", body: { answers: [["JWT"]] } });

  const skipped = hook({ ...question, tool_use_id: "que_2" }, "opencode");
  const [second] = await asked();
  await skip(String(second?.question.id));
  expect((await skipped).output).toEqual({
    path: "/question/que_2/reply",
    body: { answers: [[expect.stringMatching(/was skipped/)]] },
  });

  const silent = hook({ ...question, tool_use_id: "que_3" }, "opencode");
  const refused = hook(fromOpenCode(openCodePermission()), "opencode");
  const open = await asked(2);
  expect(open.map((stored) => stored.question.context)).toContainEqual(
    "Command:\nnpm publish --tag next\nTool: bash. Folder: /home/eric/shop",
  );
  pass();
  expect((await silent).output).toBeUndefined();
  expect((await refused).output).toEqual({
    path: "/permission/per_1/reply",
    body: { reply: "reject", message: expect.stringMatching(/so not allowed/) },
  });
});

test("opencode's plugin hands the event over, posts the reply, and takes the question back when it was answered at the terminal", async () => {
  const home = aHome();
  const posted: [url: string, body: unknown][] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      posted.push([String(request.url), JSON.parse(body)]);
      response.end("true");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  afterwards(() => void server.close());
  const serverUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  process.env.OWLPOST_COMMAND = cli;
  process.env.OWLPOST_HOME = home;
  afterwards(() => {
    delete process.env.OWLPOST_COMMAND;
    delete process.env.OWLPOST_HOME;
  });
  const { Owlpost } = await import("../../config/examples/opencode-plugin.ts");
  const plugin = await Owlpost({ serverUrl, directory: "/home/eric/shop" });
  const openIds = async (): Promise<readonly { id: string }[]> =>
    (JSON.parse((await owlpost(home, ["status"])).stdout) as { open: { id: string }[] }).open;

  await plugin.event({ event: openCodeQuestion() as never });
  const [asked] = await until(openIds, (open) => open.length === 1);
  await owlpost(home, ["answer", String(asked?.id), "2"]);
  await until(
    () => posted.length,
    (count) => count === 1,
  );
  expect(posted).toEqual([
    ["/question/que_1/reply?directory=%2Fhome%2Feric%2Fshop", { answers: [[auth.options[1]?.label]] }],
  ]);

  await plugin.event({ event: openCodePermission() as never });
  await until(openIds, (open) => open.length === 1);
  const properties = { sessionID: "ses_1", requestID: "per_1", reply: "once" };
  await plugin.event({ event: { type: "permission.replied", properties } });
  await until(openIds, (open) => open.length === 0);
  expect(posted.length).toBe(1);
});
