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

function isAlive(pid: number): boolean {
  try {
    // A zombie that nobody has collected is gone, too.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
