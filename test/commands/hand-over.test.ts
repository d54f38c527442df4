import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AskRequest } from "../../src/app/api.ts";
import { defaultConfig } from "../../src/app/config.ts";
import { socketPath } from "../../src/app/home.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { aDocument } from "../builders.ts";
import { aDesk, type Desk } from "./desk.ts";

type Line = { readonly op: string; readonly request?: AskRequest };

let desk: Desk;
let server: Server | undefined;
const lines: Line[] = [];

beforeEach(() => {
  desk = aDesk();
  mkdirSync(desk.home, { mode: 0o700 });
  lines.length = 0;
});
afterEach(async () => {
  await new Promise<void>((closed) => (server ? server.close(() => closed()) : closed()));
  server = undefined;
  desk.remove();
});

const stdin = JSON.stringify(aDocument({ default: { action: "skip_spec", at: "12h" } }));

/** A peer that speaks the socket's protocol in its own way. */
async function listen(path: string, answer: (line: Line, socket: Socket) => unknown): Promise<void> {
  server = createServer((socket) => {
    socket.setEncoding("utf8").on("error", () => socket.destroy());
    socket.on("data", (text: string) => {
      const line: Line = JSON.parse(text);
      lines.push(line);
      void answer(line, socket);
    });
  });
  await new Promise<void>((listening) => {
    server?.listen(path, listening);
  });
}

async function storedIds(): Promise<string[]> {
  const { json } = await desk.run(["pending", "--json"]);
  return (json.open as { id: string }[]).map((each) => each.id);
}

describe("an ask beside a running service", () => {
  test("is handed over whole, and the store is not opened here", async () => {
    const value = {
      ok: true,
      id: "q-a3f2-012-fix-auth-1",
      task: "012-fix-auth",
      project: "default",
      state: "pending",
      digest: "d",
      deadlineAt: Date.parse("2026-07-07T04:00:00Z"),
      zone: "UTC",
      channels: ["inbox"],
    };
    await listen(join(desk.home, "owlpost.sock"), (_line, socket) =>
      socket.end(`${JSON.stringify({ ok: true, value })}\n`),
    );
    const { exit, json } = await desk.run(["ask", "--json", "--task", "t", "--key", "k", "-"], { stdin });
    expect([exit, json.id, json.deadline]).toEqual([0, value.id, "2026-07-07T04:00:00.000Z"]);
    expect(lines).toEqual([
      {
        op: "ask",
        request: { text: stdin, origin: "standard input", key: "k", task: "t", cwd: desk.folder },
      },
    ]);
    expect(existsSync(join(desk.home, "owlpost.db"))).toBe(false);
  });

  test("a refusal of the contract is the service's answer, not a reason to try again", async () => {
    const value = {
      ok: false,
      error: "rejected",
      broken: [{ rule: "r", field: "f", found: "x", mend: "m" }],
    };
    await listen(join(desk.home, "owlpost.sock"), (_line, socket) =>
      socket.end(`${JSON.stringify({ ok: true, value })}\n`),
    );
    const { exit, json } = await desk.run(["ask", "--json", "-"], { stdin });
    expect([exit, json.error, lines.length]).toEqual([2, "rejected", 1]);
  });

  test("a service that dies after its commit: the second try is the same ask", async () => {
    const config = defaultConfig();
    await listen(join(desk.home, "owlpost.sock"), async (line, socket) => {
      if (line.op !== "ask" || !line.request) return socket.destroy();
      const owlpost = await openOwlpost({ home: desk.home, config });
      await owlpost.ask(line.request);
      await owlpost.close();
      return socket.destroy();
    });
    const { exit, json } = await desk.run(["ask", "--json", "-"], { stdin });
    expect([exit, json.id, json.repeated]).toEqual([0, "q-a3f2-012-fix-auth-1", true]);
    expect(lines[0]?.request?.key).toMatch(/^auto:[0-9a-f-]{36}$/);
    expect(await storedIds()).toEqual(["q-a3f2-012-fix-auth-1"]);
  });

  test.each([
    ["says that it failed", (socket: Socket) => socket.end('{"ok":false,"code":"busy","message":"busy"}\n')],
    ["talks nonsense", (socket: Socket) => socket.end("hello\n")],
    ["closes at once", (socket: Socket) => socket.destroy()],
    ["never answers", () => undefined],
  ])("a service that %s: asked in this process", async (_name, answer) => {
    await listen(join(desk.home, "owlpost.sock"), (_line, socket) => answer(socket));
    const { exit, json } = await desk.run(["ask", "--json", "-"], { stdin });
    expect([exit, json.id, json.repeated]).toEqual([0, "q-a3f2-012-fix-auth-1", undefined]);
  });

  test("a socket that nobody listens on any more", async () => {
    writeFileSync(join(desk.home, "owlpost.sock"), "");
    const { exit } = await desk.run(["ask", "-"], { stdin });
    expect([exit, await storedIds()]).toEqual([0, ["q-a3f2-012-fix-auth-1"]]);
  });

  test("every other commit is told with a nudge", async () => {
    const id = await desk.ask();
    await listen(join(desk.home, "owlpost.sock"), (_line, socket) => socket.end('{"ok":true}\n'));
    await desk.run(["answer", id, "1"]);
    expect(lines).toEqual([{ op: "nudge" }]);
    await desk.run(["status"]);
    expect(lines).toHaveLength(1);
  });
});

describe("a home whose path is too long for a socket", () => {
  const long = (): string => join(desk.folder, "x".repeat(100));

  test("names the real place in socket-path", () => {
    mkdirSync(long(), { mode: 0o700 });
    expect(socketPath(long())).toBe(join(long(), "owlpost.sock"));
    writeFileSync(join(long(), "socket-path"), join(desk.folder, "near.sock\n"));
    expect(socketPath(long())).toBe(join(desk.folder, "near.sock"));
    expect(socketPath(desk.home)).toBe(join(desk.home, "owlpost.sock"));
  });
});
