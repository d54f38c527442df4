import { spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { Resolver } from "node:dns/promises";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mailConfigurations, type Ports, usedPorts } from "./mail-configurations.ts";

export const domain = "example.test";
export const passwordOf = (account: string): string => `${account}pass-TEST`;
export const addressOf = (account: string): string => `${account}@${domain}`;

export type MailSystem = Awaited<ReturnType<typeof startMailSystem>>;

const programs = ["dovecot", "postfix", "opendkim", "unbound", "openssl"];
const packages = "dovecot-imapd dovecot-lmtpd postfix opendkim unbound openssl";

/**
 * A whole mail system on loopback, in a folder of its own: Dovecot (IMAP, LMTP, SASL), Postfix (the plain port, and
 * submission with STARTTLS and a login), OpenDKIM (signs what is submitted, verifies the rest) and unbound (a DNS that answers for this domain alone).
 * Needs root, as Postfix does; what is missing is a failure.
 */
export async function startMailSystem() {
  const missing = programs.filter(
    (name) => !existsSync(`/usr/sbin/${name}`) && !existsSync(`/usr/bin/${name}`),
  );
  if (missing.length > 0) {
    throw new Error(`${missing.join(", ")} missing: apt-get install --no-install-recommends ${packages}`);
  }
  if (process.getuid?.() !== 0) throw new Error("the mail system has to be started as root");
  // Names of sockets may have 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), "owl-mail-"));
  // The servers give up being root.
  chmodSync(folder, 0o755);
  const ports = Object.fromEntries(
    await Promise.all(usedPorts.map(async (name) => [name, await freePort()] as const)),
  ) as Ports;
  for (const room of ["run", "state", "log", "mail", "tls", "pf", "queue", "data", "dkim", "dns"]) {
    mkdirSync(join(folder, room));
  }
  const ca = join(folder, "tls", "cert.pem");
  quietly("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ...["-keyout", join(folder, "tls", "key.pem"), "-out", ca],
  ]);
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const key = join(folder, "dkim", "s1.private");
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
  const uid = idOf("nobody", "-u");
  const gid = idOf("nobody", "-g");
  const group = spawnSync("id", ["-gn", "nobody"], { encoding: "utf8" }).stdout.trim();
  const files = mailConfigurations({ folder, domain, ports, record, uid, gid, group });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  chownSync(join(folder, "mail"), uid, gid);
  chownSync(join(folder, "data"), idOf("postfix", "-u"), 0);

  let dns = startDns();
  const verifier = background("opendkim", ["-f", "-x", join(folder, "dkim", "opendkim.conf")]);
  async function stop(): Promise<void> {
    const masters = [
      [join(folder, "queue", "pid", "master.pid"), "master"],
      [join(folder, "run", "master.pid"), "dovecot"],
    ] as const;
    await Promise.all([dns.stop(), verifier.stop(), ...masters.map(([file, name]) => endMaster(file, name))]);
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    await waitForFile(join(folder, "run", "opendkim.sock"));
    quietly("dovecot", ["-c", join(folder, "dovecot.conf")]);
    quietly("postfix", ["-c", join(folder, "pf"), "start"]);
    const tcp = usedPorts.filter((name) => name !== "dns");
    await Promise.all(tcp.map((name) => answering(ports[name])));
  } catch (error) {
    const log = readIf(join(folder, "log", "postfix.log"));
    await stop();
    throw new Error(`the mail system did not start:\n${log}`, { cause: error });
  }

  function startDns(): Background {
    return background("unbound", ["-d", "-c", join(folder, "dns", "unbound.conf")]);
  }

  return {
    folder,
    ports,
    /** The file with the certificate of both servers. */
    ca,
    /** Where the mails of somebody lie, as Maildir. */
    maildir: (account: string) => join(folder, "mail", addressOf(account), "Maildir"),
    /** Everybody who listens in that mailbox is thrown out. */
    kick: (account: string) =>
      quietly("doveadm", ["-c", join(folder, "dovecot.conf"), "kick", addressOf(account)]),
    /** Somebody gets a mailbox. */
    add(account: string): void {
      appendFileSync(join(folder, "passwd"), `${addressOf(account)}:{PLAIN}${passwordOf(account)}\n`);
    },
    async stopDns(): Promise<void> {
      await dns.stop();
    },
    /** Resolves once it gives an answer. */
    async startDns(): Promise<void> {
      dns = startDns();
      const resolver = new Resolver({ timeout: 200, tries: 1 });
      resolver.setServers([`127.0.0.1:${ports.dns}`]);
      const end = Date.now() + 10_000;
      for (;;) {
        const answered = await resolver.resolveTxt(`s1._domainkey.${domain}`).catch(() => undefined);
        if (answered) return;
        if (Date.now() > end) throw new Error("the DNS gives no answer");
        await pause(50);
      }
    },
    signingKey: readFileSync(key, "utf8"),
    /** What went wrong may stand there. */
    logs: () => ["dovecot.log", "postfix.log"].map((name) => readIf(join(folder, "log", name))).join("\n"),
    stop,
  };
}

/** Told to end by its own pid, once it is known to be that program still. */
async function endMaster(file: string, name: string): Promise<void> {
  const pid = Number(readIf(file).trim());
  if (pid <= 0 || readIf(`/proc/${pid}/comm`).trim() !== name) return;
  process.kill(pid, "SIGTERM");
  const end = Date.now() + 5_000;
  while (existsSync(`/proc/${pid}`) && Date.now() < end) await pause(20);
  if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGKILL");
}

type Background = { stop(): Promise<void> };

function background(command: string, args: readonly string[]): Background {
  const child = spawn(`/usr/sbin/${command}`, args, { stdio: "ignore" });
  const ended = new Promise<void>((done) => {
    child.on("exit", () => done());
    child.on("error", () => done());
  });
  return {
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Its helpers would hold a pipe open for ever, so nothing of its output is read. */
function quietly(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: "ignore" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: exit ${status}`);
}

function idOf(user: string, what: "-u" | "-g"): number {
  return Number(spawnSync("id", [what, user], { encoding: "utf8" }).stdout);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((closed) => server.close(() => closed()));
  return port;
}

const pause = (ms: number): Promise<void> => new Promise((next) => setTimeout(next, ms));

async function answering(port: number): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await isOpen(port))) {
    if (Date.now() > end) throw new Error(`port ${port} did not open`);
    await pause(30);
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((tell) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      tell(true);
    });
    socket.once("error", () => tell(false));
  });
}

async function waitForFile(path: string): Promise<void> {
  const end = Date.now() + 10_000;
  while (!existsSync(path)) {
    if (Date.now() > end) throw new Error(`${path} did not appear`);
    await pause(20);
  }
}

function readIf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
