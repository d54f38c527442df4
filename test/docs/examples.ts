import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { open, settings } from "../../channels/webhook.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import { aTools } from "../builders.ts";
import { afterwards, until } from "../homes.ts";
import { aMessage, never } from "../telegram/phone.ts";

/** The first block of that language on a page of docs/. */
export function exampleOf(page: string, language: string): string {
  const text = readFileSync(join(import.meta.dirname, "../../docs", page), "utf8");
  const [, code] = new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, "m").exec(text) ?? [];
  if (code === undefined) throw new Error(`docs/${page} has no ${language}`);
  return code;
}

const secret = "TEST-only-not-the-secret-of-a-receiver";

/** A receiver as the page shows it, run by `command` from its text, takes what owlpost signs, once, and nothing else. */
export async function expectReceiver(command: string, args: readonly string[]): Promise<void> {
  const port = await aFreePort();
  const child = spawn(command, args, {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  afterwards(() => ended(child));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
  }
  const url = `http://127.0.0.1:${port}/owlpost`;
  await until(
    () =>
      fetch(url).then(
        () => "there",
        () => `not there: ${said}`,
      ),
    (state) => state === "there",
  );
  said = "";
  const post = async (key: string, secretGiven: string, ageMs = 0): Promise<string | undefined> => {
    const channel = await open(
      settings.parse({ url, secret: secretGiven }),
      aTools({ now: () => Date.now() - ageMs }),
    );
    try {
      await channel.post("default", aMessage({ headline: `Größe ${key} 👩‍🚀` }), key, never);
      return undefined;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      return error.reason;
    } finally {
      await channel.close();
    }
  };
  expect(await post("k1", secret)).toBeUndefined();
  expect(await post("k1", secret)).toBeUndefined();
  expect(await post("k2", `${secret}.`)).toBe("not-allowed");
  expect(await post("k3", secret, 10 * 60_000)).toBe("not-allowed");
  expect(await post("k4", secret)).toBeUndefined();
  const printed = await until(
    () => said.split("\n").filter((line) => line.startsWith("Größe")),
    (lines) => lines.length >= 2,
  );
  expect(printed).toEqual(["Größe k1 👩‍🚀", "Größe k4 👩‍🚀"]);
}

async function aFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once("exit", () => done());
    child.kill();
  });
}
