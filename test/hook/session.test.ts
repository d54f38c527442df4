import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { isNothing } from "../../src/app/hook/first-look.ts";
import { markSession, sessionRun } from "../../src/app/hook/session.ts";
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
