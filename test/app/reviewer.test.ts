import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askReviewer } from "../../src/app/board/reviewer.ts";
import { afterwards, until } from "../homes.ts";

test("a reviewer that takes too long is stopped with everything it has started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-reviewer-"));
  afterwards(() => rmSync(folder, { recursive: true }));
  const pid = join(folder, "pid");
  const script = join(folder, "slow.sh");
  // Its own child keeps the pipe open.
  writeFileSync(script, `sleep 300 &\necho $! > ${pid}\nwait\n`);
  const reviewer = {
    command: ["/bin/sh", script] as const,
    name: "slow",
    timeLimitMs: 600,
    mode: "live",
    env: [],
  } as const;
  const reviewed = await askReviewer(reviewer, "a", { title: "A" }, { PATH: process.env.PATH });
  expect(reviewed).toMatchObject({ ok: false, reason: "reviewer-timeout" });
  await until(
    () => isAlive(Number(readFileSync(pid, "utf8"))),
    (alive) => !alive,
  );
});

test("one that will not stop is ended before anybody hears of it", async () => {
  const { folder, reviewer } = aScript("trap '' TERM\necho $$ > pid\nwhile :; do sleep 0.1; done\n", 500);
  const reviewed = await askReviewer(reviewer, "a", { title: "A" }, { PATH: process.env.PATH });
  expect(reviewed).toMatchObject({ ok: false, reason: "reviewer-timeout" });
  await new Promise((next) => setTimeout(next, 200));
  expect(isAlive(Number(readFileSync(join(folder, "pid"), "utf8")))).toBe(false);
});

test("what it leaves behind holds nobody up, and ends with it", async () => {
  const answer = JSON.stringify({ verdict: "INSUFFICIENT_CONTEXT", gaps: ["who asks?"] });
  const { folder, reviewer } = aScript(`sleep 300 &\necho $! > pid\necho '${answer}'\n`, 60_000);
  const reviewed = await askReviewer(reviewer, "a", { title: "A" }, { PATH: process.env.PATH });
  expect(reviewed).toMatchObject({ ok: true, review: { verdict: "NEEDS_REFINEMENT", gaps: ["who asks?"] } });
  await until(
    () => isAlive(Number(readFileSync(join(folder, "pid"), "utf8"))),
    (alive) => !alive,
  );
});

test("one that never stops writing is stopped at once", async () => {
  const { reviewer } = aScript("exec yes\n", 60_000);
  const reviewed = await askReviewer(reviewer, "a", { title: "A" }, { PATH: process.env.PATH });
  expect(reviewed).toMatchObject({ ok: false, reason: "reviewer-malformed" });
});

/** A reviewer that is a shell script; it finds its own folder as the place of `pid`. */
function aScript(body: string, timeLimitMs: number) {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-reviewer-"));
  afterwards(() => rmSync(folder, { recursive: true }));
  const script = join(folder, "reviewer.sh");
  writeFileSync(script, body.replaceAll("> pid", `> ${join(folder, "pid")}`));
  const reviewer = {
    command: ["/bin/sh", script] as const,
    name: "script",
    timeLimitMs,
    mode: "live",
    env: [],
  } as const;
  return { folder, reviewer };
}

function isAlive(pid: number): boolean {
  try {
    // A zombie that nobody has collected is gone, too.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
