import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { cli, type Ended, owlpost, run } from "../app/process.ts";
import { afterwards, aHome, until } from "../homes.ts";

/** Runs an example of `config/examples/` that asks and takes by files, beside a real service, and decides its question: answers it, where nothing else is said. */
export async function askByFile(
  program: string,
  name: string,
  question: string,
  decision: readonly string[] = ["answer", question, "2"],
): Promise<Ended> {
  const home = aHome();
  const service = spawn(process.execPath, [cli, "serve", "--home", home], {
    stdio: "ignore",
    env: { ...process.env, OWLPOST_AS: "", NODE_OPTIONS: "" },
  });
  afterwards(() => ended(service));
  await until(
    () => existsSync(join(home, "owlpost.db")),
    (there) => there,
  );
  const example = resolve(import.meta.dirname, "../../config/examples", name);
  const running = run(program, [example, join(home, "airlocks", "default")]);
  await until(
    () => owlpost(home, ["status", question]),
    ({ code }) => code === 0,
  );
  expect((await owlpost(home, decision)).code).toBe(0);
  return running;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once("close", () => done());
    child.kill("SIGTERM");
  });
}
