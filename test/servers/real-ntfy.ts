import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../app/process.ts";

/** What the page about ntfy tells to set up: owlpost, the phone's buttons, and the phone. */
export const phone = { username: "phone", password: "phonepw" };

export type RealNtfy = Awaited<ReturnType<typeof startRealNtfy>>;

/** The server's program; fetched once a machine. */
async function program(): Promise<string> {
  const kept = join(tmpdir(), "owlpost-ntfy-server");
  const path = join(kept, "usr", "bin", "ntfy");
  if (existsSync(path)) return path;
  const fresh = mkdtempSync(join(tmpdir(), "owlpost-ntfy-get-"));
  const { code, stderr } = await run("bash", [join(import.meta.dirname, "ntfy-get.sh"), fresh]);
  if (code !== 0) throw new Error(`the ntfy server could not be fetched: ${stderr}`);
  try {
    renameSync(fresh, kept);
  } catch {
    // Somebody else was quicker.
    rmSync(fresh, { recursive: true, force: true });
  }
  return path;
}

/** The real ntfy server on loopback, where nobody may do anything but whom it was told of. */
export async function startRealNtfy(more: Readonly<Record<string, string | number>> = {}) {
  const ntfy = await program();
  const folder = mkdtempSync(join(tmpdir(), "owlpost-ntfy-"));
  mkdirSync(join(folder, "files"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, "server.yml");
  const settings = {
    "listen-http": `127.0.0.1:${port}`,
    "base-url": url,
    "cache-file": join(folder, "cache.db"),
    "auth-file": join(folder, "auth.db"),
    "auth-default-access": "deny-all",
    "attachment-cache-dir": join(folder, "files"),
    "web-root": "disable",
    "log-level": "WARN",
    "log-file": join(folder, "ntfy.log"),
    ...more,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  writeFileSync(config, `${lines.join("\n")}\n`);
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    let said = "";
    child = spawn(ntfy, ["serve", "--config", config], { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    const end = performance.now() + 15_000;
    for (;;) {
      const there = await fetch(`${url}/v1/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (there) return;
      if (performance.now() > end || child.exitCode !== null)
        throw new Error(`the ntfy server does not start: ${said}`);
      await new Promise((later) => setTimeout(later, 20));
    }
  }

  async function stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const { exitCode, signalCode } = child ?? {};
    if (!child || exitCode !== null || signalCode !== null) return;
    const gone = new Promise((done) => child?.once("exit", done));
    child.kill(signal);
    await gone;
  }

  /** One of the server's own commands, as an administrator types it. */
  async function command(...[first = "", ...rest]: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run("env", [
      `NTFY_PASSWORD=${phone.password}`,
      ntfy,
      first,
      "--config",
      config,
      ...rest,
    ]);
    if (code !== 0) throw new Error(`ntfy ${first} ${rest.join(" ")}: ${stderr}`);
    return stdout + stderr;
  }

  async function close(): Promise<void> {
    await stop("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    return { url, ...(await setUp()), command, start, kill: () => stop("SIGKILL"), close };
  } catch (error) {
    await close();
    throw error;
  }

  async function setUp() {
    await start();
    // The server makes its users' file when it starts.
    await command("user", "add", "owlpost");
    await command("user", "add", "buttons");
    await command("user", "add", phone.username);
    for (const [user, topic, right] of [
      ["owlpost", "ask*", "rw"],
      ["owlpost", "reply*", "rw"],
      ["buttons", "reply*", "write-only"],
      [phone.username, "ask*", "ro"],
      [phone.username, "reply*", "write-only"],
    ] as const) {
      await command("access", user, topic, right);
    }
    const tokenOf = async (user: string): Promise<string> =>
      /tk_[a-z0-9]+/.exec(await command("token", "add", user))?.[0] ?? "";
    const token = await tokenOf("owlpost");
    const buttonToken = await tokenOf("buttons");

    return { token, buttonToken };
  }
}

function freePort(): Promise<number> {
  return new Promise((tell, failed) => {
    const probe = createServer();
    probe.once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => tell(port));
    });
  });
}
