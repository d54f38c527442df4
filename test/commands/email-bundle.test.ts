import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, owlpost, run } from "../app/process.ts";
import { evening } from "../builders.ts";
import { aLetter, aResolver, signed } from "../email/letters.ts";
import { afterwards, aHome, until } from "../homes.ts";
import { eric, mara, pass, tapped, writeMail } from "../mail/phone.ts";
import { aMailTown, mailSettings } from "../mail/town.ts";

const question = join(import.meta.dirname, "../../config/samples/first-question.yaml");

async function aHomeWithMail() {
  const town = await aMailTown(
    {},
    {
      delivers: (raw, imap) =>
        imap.deliver(
          Buffer.concat([Buffer.from("Authentication-Results: mx.owl.example; dkim=none\r\n"), raw]),
        ),
    },
  );
  const home = aHome();
  const email = mailSettings(town.imap, town.smtp);
  const secret = { pass: "${OWL_MAIL_PASSWORD}" };
  writeFileSync(
    join(home, "config.yaml"),
    JSON.stringify({
      deliver: ["email"],
      channels: {
        inbox: { port: 0 },
        email: { ...email, smtp: { ...email.smtp, ...secret }, imap: { ...email.imap, ...secret } },
      },
    }),
  );
  process.env.OWL_MAIL_PASSWORD = pass;
  afterwards(() => {
    delete process.env.OWL_MAIL_PASSWORD;
  });
  return { ...town, home };
}

test("the built service asks by mail, hears the answer, pairs somebody, and stops cleanly", async () => {
  const { home, imap, inbox } = await aHomeWithMail();
  const service = spawn(process.execPath, [cli, "serve", "--home", home], {
    env: { ...process.env, OWLPOST_AS: "", NODE_OPTIONS: "" },
  });
  let said = "";
  service.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((done) => service.on("exit", done));
  afterwards(() => void service.kill("SIGKILL"));
  await until(
    () => imap.isIdling(),
    (is) => is,
  );
  const asked = JSON.parse((await owlpost(home, ["ask", question])).stdout);
  const [sent] = await until(
    () => inbox(eric),
    (mails) => mails.length === 1,
  );
  if (!sent) throw new Error("nothing was sent");
  imap.deliver(writeMail(tapped(sent.mail, "1")).raw);
  await until(
    async () => JSON.parse((await owlpost(home, ["status", asked.id])).stdout).state,
    (state) => state === "answered",
  );
  const who = ["--name", "mara", "--role", "member", "--channel", "email", "--address", mara];
  const made = JSON.parse((await owlpost(home, ["pair", ...who])).stdout);
  expect(made).toMatchObject({ say: made.code, mailed_to: mara, name: "mara", channel: "email" });
  const [invitation] = await until(
    () => inbox(mara),
    (mails) => mails.length === 1,
  );
  imap.deliver(writeMail({ from: mara, text: made.code, answers: invitation?.mail as never }).raw);
  await until(
    () => inbox(mara).map(({ mail }) => mail.text ?? ""),
    (texts) => texts.some((text) => text.includes("Welcome, mara")),
  );
  service.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(said).not.toContain(pass);
});

test("what proves a mail is in the bundle, too", async () => {
  const vendor = createRequire(cli)("./vendor/mailauth-lib-dkim-verify.js.js");
  const { results } = await vendor.dkimVerify(await signed(aLetter()), {
    resolver: aResolver(),
    curTime: new Date(evening),
  });
  expect(results).toMatchObject([{ status: { result: "pass" }, signingDomain: "example.org" }]);
});

test("the built doctor looks at both servers, and shows no password", async () => {
  const { home, smtp, imap } = await aHomeWithMail();
  const { stdout, stderr } = await run(process.execPath, [cli, "doctor", "--home", home]);
  expect(stdout).toMatch(/email smtp: +logged in to 127\.0\.0\.1|email smtp\b.*logged in/);
  for (const words of [
    "email imap",
    "IDLE",
    "came back after",
    "mail here bears the verdicts of mx.owl.example",
  ]) {
    expect(stdout).toContain(words);
  }
  expect(`${stdout}${stderr}`).not.toContain(pass);
  expect(smtp.taken).toHaveLength(1);
  expect(imap.mails()).toEqual([]);
});

test("the command line tells what to do with the code", async () => {
  const { home } = await aHomeWithMail();
  const who = ["--name", "mara", "--role", "member", "--channel", "email"];
  const made = await run(process.execPath, [
    cli,
    "pair",
    ...who,
    "--address",
    "Mara@Example.net",
    "--home",
    home,
  ]);
  expect(made.stdout).toMatch(
    /A mail goes to mara@example\.net\. Reply to it with this alone on the first line:\n {2}[A-HJ-NP-Z2-9]{8}/,
  );
  const refused = await run(process.execPath, [cli, "pair", ...who, "--home", home]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("--address somebody@example.org"),
  ]);
});
