import type { PairOutcome } from "../app/api.ts";
import { roles } from "../domain/person.ts";
import { agentRefused, printAck } from "./decide.ts";
import { withOwlpost } from "./open.ts";
import { fail, hasColours, palette, plain, printJson, printResult, say } from "./print.ts";
import { iso } from "./shapes.ts";
import { type Call, type Exit, isAgent, textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description:
    "Make a code by which a person becomes known on a channel: it is typed, or its link opened, in a private chat with the bot. It works once, for ten minutes, and is shown here only. On GitHub the login does it, with no code. Every owner is told who was paired; owlpost pairing revoke takes it back.",
  options: [
    { flags: "--name <name>", text: "what the person is called, at most 40 characters", mandatory: true },
    {
      flags: "--role <role>",
      text: "owner: everything; member: answer and steer; viewer: look",
      choices: roles,
      mandatory: true,
    },
    { flags: "--channel <channel>", text: "where, such as telegram", mandatory: true },
    {
      flags: "--address <id>",
      text: "the login on GitHub; for mail the address, which gets a mail to reply to; elsewhere the platform's own id of the only one who may use the code",
    },
    { flags: "--qr", text: "draw the link as a QR code, also where the output is no terminal" },
  ],
  examples: [
    ["owlpost pair --name eric --role owner --channel telegram", "then scan the code with the phone"],
    ["owlpost pair --name mara --role member --channel telegram --address 42", "good for id 42 alone"],
    [
      "owlpost pair --name eric --role owner --channel github --address eric-gh",
      "known at once, by the account",
    ],
    [
      "owlpost pair --name mara --role member --channel email --address mara@example.net",
      "mara replies to the mail with the code",
    ],
  ],
  async run(call) {
    // Whoever holds the code can become an owner.
    if (isAgent(call.io)) return printAck(call, agentRefused);
    return withOwlpost(call, async (owlpost) => {
      const address = textOption(call, "address");
      const made = await owlpost.pair({
        name: textOption(call, "name") ?? "",
        role: textOption(call, "role") ?? "",
        channel: textOption(call, "channel") ?? "",
        ...(address === undefined ? {} : { address }),
      });
      if (!made.ok) return fail(call, exits[made.error] ?? 2, made.error, plain(made.message));
      if (made.by === "login") {
        await told(call, made);
        return 0;
      }
      if (call.json) await printJson(call, codeShape(made));
      else await show(call, made);
      if (!made.heard) {
        const line =
          "No service runs, so nobody hears the code: start one with owlpost serve within the ten minutes.";
        await call.io.stderr.write(`${line}\n`);
      }
      return 0;
    });
  },
};

const exits: Readonly<Record<string, Exit>> = { conflict: 3, "no-such-person": 3, unreachable: 1 };

type Made = Extract<PairOutcome, { readonly by: "code" }>;
type Bound = Extract<PairOutcome, { readonly by: "login" }>;

/** Nothing has to be said anywhere: they are known. */
async function told(call: Call, { binding, name, role, channel, address, login }: Bound): Promise<void> {
  if (call.json) return printJson(call, { paired: binding, name, role, channel, address, login });
  await printResult(
    call,
    `${plain(name)} (${role}) is paired on ${channel}: ${plain(login)}, id ${plain(address)}`,
  );
  await say(
    call,
    `The id counts, also when that login is given up. Every owner was told; owlpost pairing revoke ${binding} takes it back.`,
  );
}

function codeShape({ code, link, say: line, bot, expiresAt, name, role, channel, mailedTo }: Made): object {
  const who = { name, role, channel, mailed_to: mailedTo };
  return { code, link, say: line, bot, expires_at: iso(expiresAt), ...who };
}

async function show(call: Call, made: Made): Promise<void> {
  const { bold } = palette(call.io, "stdout");
  const to = made.bot === undefined ? "the bot" : `@${made.bot}`;
  await printResult(
    call,
    `Pairing code for ${plain(made.name)} (${made.role}) on ${made.channel}: ${bold(made.code)}`,
  );
  if (made.mailedTo !== undefined) return showMailed(call, made, plain(made.mailedTo));
  await printResult(call, `Send this to ${to}, in a private chat:\n  ${made.say}`);
  if (made.link === undefined) await say(call, `There is no link: ${plain(made.noLink ?? "")}.`);
  else {
    await printResult(call, `Or open this on the phone, and press Start:\n  ${made.link}`);
    if (call.io.stdout.tty || call.options.qr === true)
      await printResult(call, await picture(call, made.link));
  }
  await say(
    call,
    "It works once, for 10 minutes. Whoever has it becomes that person there: show it to nobody else.",
  );
}

async function showMailed(call: Call, { say: line }: Made, address: string): Promise<void> {
  await printResult(
    call,
    `A mail goes to ${address}. Reply to it with this alone on the first line:\n  ${line}`,
  );
  await say(
    call,
    "It works once, for 10 minutes, from that address alone. Whoever has both becomes that person there: show it to nobody else.",
  );
}

/** Dark on light, whatever the terminal's own colours are. */
async function picture(call: Call, link: string): Promise<string> {
  const { qrText } = await import("../app/qr.ts");
  const lines = (await qrText(link)).split("\n");
  if (!hasColours(call.io, "stdout")) return lines.join("\n");
  return lines.map((line) => `\u001b[30;107m${line}\u001b[0m`).join("\n");
}
