import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isNothing } from "../../src/app/hook/first-look.ts";
import { forgetOld, markIdle, markSession, sessionRun } from "../../src/app/hook/session.ts";
import { runId } from "../../src/domain/ids.ts";
import { aHome } from "../homes.ts";
import { askUserQuestion, notification, permissionRequest, stop } from "./events.ts";

test("a session is a run of its own, and always the same one", () => {
  const sessions = [
    ...Array.from({ length: 4_000 }, () => randomUUID()),
    ...Array.from({ length: 4_000 }, (_, at) => `session-${at}`),
  ];
  const runs = sessions.map(sessionRun);
  expect(runs.every((run) => /^[0-9a-z]{6}$/.test(run) && runId(run) !== undefined)).toBe(true);
  // Two of eight thousand may meet in two thousand millions.
  expect(new Set(runs).size).toBeGreaterThan(7_997);
  expect(sessions.map(sessionRun)).toEqual(runs);
});

test("the first look knows what there is nothing to do about, and never says so of what is to be asked", () => {
  const home = aHome();
  const nothing = (event: object): boolean => isNothing("claude-code", JSON.stringify(event), home);
  expect(nothing(notification("permission_prompt"))).toBe(true);
  expect(nothing({ hook_event_name: "PreToolUse", tool_name: "Bash" })).toBe(true);
  expect(nothing(permissionRequest({ tool_name: "AskUserQuestion" }))).toBe(true);
  expect(nothing(stop())).toBe(true);
  markSession(home, sessionRun("5f0c1a9e"));
  for (const event of [stop(), askUserQuestion(), permissionRequest(), notification("idle_prompt")])
    expect(nothing(event)).toBe(false);
  expect(isNothing("claude-code", "{", home)).toBe(false);
  expect(isNothing("nobody", JSON.stringify(stop()), home)).toBe(false);
});

test("that a session stands still is news once, until it stops again; another session's is its own", () => {
  const home = aHome();
  const nothing = (event: object): boolean => isNothing("claude-code", JSON.stringify(event), home);
  const idle = notification("idle_prompt");
  const run = sessionRun("5f0c1a9e");
  expect(nothing(idle)).toBe(false);
  expect([markIdle(home, run), markIdle(home, run)]).toEqual([true, false]);
  expect(nothing(idle)).toBe(true);
  expect(nothing({ ...idle, session_id: "another" })).toBe(false);
  expect(nothing(stop({ session_id: "another" }))).toBe(true);
  expect(nothing(idle)).toBe(true);
  for (const stopped of [stop(), stop({ stop_hook_active: true })]) {
    expect(nothing(stopped)).toBe(true);
    expect(nothing(idle)).toBe(false);
    markIdle(home, run);
  }
});

test("a session's name is never a path, and one without a name is known by its folder", () => {
  const home = join(aHome(), "home");
  for (const session of ["../../outside", "/etc/passwd", "..", "a\u0000b", "x".repeat(100_000)]) {
    markSession(home, sessionRun(session));
    markIdle(home, sessionRun(session));
  }
  expect(readdirSync(join(home, ".."))).toEqual(["home"]);
  expect(readdirSync(join(home, "hooks")).every((name) => /^[0-9a-z]{6}(\.idle)?$/.test(name))).toBe(true);
  const { session_id: _, ...nameless } = notification("idle_prompt");
  markIdle(home, sessionRun("/home/eric/shop"));
  expect(isNothing("claude-code", JSON.stringify(nameless), home)).toBe(true);
  expect(isNothing("claude-code", JSON.stringify({ ...nameless, cwd: "/srv" }), home)).toBe(false);
});

test("that sessions stood still is forgotten in the end, and a home that cannot be written stops no hook", () => {
  const home = aHome();
  const [old, fresh] = [sessionRun("old"), sessionRun("fresh")];
  for (const run of [old, fresh]) markSession(home, run);
  markIdle(home, old);
  const longAgo = new Date("2026-10-01T00:00:00Z");
  for (const name of [old, `${old}.idle`]) utimesSync(join(home, "hooks", name), longAgo, longAgo);
  markIdle(home, sessionRun("young"));
  forgetOld(home, Date.now());
  // An answer may come late, so that it has asked is kept.
  expect(new Set(readdirSync(join(home, "hooks")))).toEqual(
    new Set([old, fresh, `${sessionRun("young")}.idle`]),
  );

  // A folder in the mark's place can be neither written nor removed.
  mkdirSync(join(home, "hooks", `${fresh}.idle`));
  writeFileSync(join(home, "hooks", `${fresh}.idle`, "more"), "");
  const ended = isNothing("claude-code", JSON.stringify(stop({ session_id: "fresh" })), home);
  expect([ended, existsSync(join(home, "hooks", `${fresh}.idle`))]).toEqual([false, true]);
  forgetOld(join(home, "nowhere"), Date.now());
});
