import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Binding } from "../domain/person.ts";
import type { Owlpost, PairOutcome } from "./api.ts";
import { type Config, loadConfig } from "./config.ts";
import type { Environment } from "./home.ts";
import { openLog } from "./log.ts";
import { openOwlpost } from "./owlpost.ts";
import { qrText } from "./qr.ts";
import { type Service, startService } from "./service.ts";
import { nudgeService } from "./service-client.ts";
import type { Prompts } from "./setup-prompts.ts";

const channel = "telegram";

/** The line that does later what is left out now. */
export const pairCommand = `owlpost pair --name NAME --role owner --channel ${channel}`;

export type PairingRequest = {
  readonly home: string;
  /** The environment with the token in it, wherever it will live. */
  readonly env: Environment;
  readonly prompts: Prompts;
  /** Was the configuration just written? A service that runs still has the one of before. */
  readonly changed: boolean;
};

/** `later`: nobody was bound, by choice or because the code ran out. */
export type Paired = "done" | "later" | "stopped";

/**
 * Binds the person at this terminal as an owner on Telegram: makes a code, shows it, and waits until it was used. Where
 * no service runs, this process receives meanwhile. A code that is not waited for any more is revoked.
 */
export async function pairOwner(request: PairingRequest): Promise<Paired> {
  const { home, env, prompts } = request;
  const loaded = await loadConfig(home, env);
  if (!loaded.ok) {
    prompts.warn("The configuration names variables that are not set here: set them, then pair.");
    return "later";
  }
  const { config } = loaded;
  const owlpost = await openOwlpost({ home, config, onCommit: () => void nudgeService(home) });
  try {
    const wanted = await askWhether(owlpost, prompts);
    if (wanted !== true) return wanted === undefined ? "stopped" : "later";
    const made = await askName(owlpost, request);
    if (made === undefined) return "stopped";
    if (!made.ok) return "later";
    const service = made.heard ? undefined : await receiveHere(home, config, prompts);
    try {
      return await waitFor(made, owlpost, service, request);
    } finally {
      await service?.close();
    }
  } finally {
    await owlpost.close();
  }
}

/** May somebody answer on Telegram as things stand? Makes nothing. */
export async function hasOwner(home: string, env: Environment): Promise<boolean> {
  const loaded = await loadConfig(home, env);
  if (!loaded.ok) return false;
  const { allow } = loaded.config.channels[channel] ?? {};
  if (Array.isArray(allow) && allow.length > 0) return true;
  if (!existsSync(join(home, "owlpost.db"))) return false;
  const owlpost = await openOwlpost({ home, config: loaded.config });
  try {
    return (await owlpost.people()).bindings.some(isOwner);
  } finally {
    await owlpost.close();
  }
}

function isOwner(binding: Binding): boolean {
  return binding.channel === channel && binding.person.role === "owner";
}

async function askWhether(owlpost: Owlpost, prompts: Prompts): Promise<boolean | undefined> {
  const { bindings, allowed } = await owlpost.people();
  const owners = [
    ...bindings.filter(isOwner).map(({ person }) => person.name),
    ...allowed.filter((each) => each.channel === channel).map(({ address }) => address),
  ];
  return owners.length === 0
    ? prompts.yes({
        message: "Pair the phone of an owner now? Until then nobody may answer on Telegram.",
        otherwise: true,
      })
    : prompts.yes({
        message: `On Telegram ${owners.join(", ")} may answer. Pair another owner?`,
        otherwise: false,
      });
}

/** Asked until a code could be made for that name; a fault that no other name would mend ends it. */
async function askName(
  owlpost: Owlpost,
  { env, prompts }: PairingRequest,
): Promise<Made | Refused | undefined> {
  const usual = env.USER || userInfo().username;
  for (;;) {
    const name = await prompts.text({
      message: "What is the owner called? Answers are shown under this name.",
      otherwise: usual,
      hint: `Enter takes ${usual}`,
    });
    if (name === undefined) return undefined;
    const made = await owlpost.pair({ name, role: "owner", channel });
    if (made.ok) {
      if (made.by === "code") return made;
      throw new Error(`people are not paired by a code on ${channel}`);
    }
    prompts.warn(made.message.replace(/^--name /, "A person "));
    if (made.error !== "bad-usage" && made.error !== "conflict") return made;
  }
}

/** Receives in this process; where that does not go, another terminal has to. */
async function receiveHere(home: string, config: Config, prompts: Prompts): Promise<Service | undefined> {
  try {
    return await startService({ home, config, log: await openLog(home) });
  } catch {
    prompts.warn("Messages cannot be received here: start owlpost serve in another terminal.");
    return undefined;
  }
}

type Made = Extract<PairOutcome, { readonly by: "code" }>;
type Refused = Extract<PairOutcome, { readonly ok: false }>;
type Seen = { readonly binding?: Binding };

async function waitFor(
  made: Made,
  owlpost: Owlpost,
  service: Service | undefined,
  { prompts, changed }: PairingRequest,
): Promise<Paired> {
  if (made.heard && changed) {
    prompts.warn(
      "The service that runs takes this configuration up within ten seconds. Where it was started without the variable of the token, stop it and start it again.",
    );
  }
  const to = made.bot === undefined ? "the bot" : `@${made.bot}`;
  if (made.link !== undefined) {
    prompts.picture(await qrText(made.link));
    prompts.say(`Scan this with the phone, or open ${made.link}\nthen press Start.`);
  }
  prompts.say(`${made.link === undefined ? "Send" : "Or send"} this to ${to} in a private chat: ${made.say}`);
  const seen = await prompts.wait({
    message: `Waiting for ${made.name}, at most 10 minutes (Ctrl-C stops)`,
    work: (signal) => untilUsed(made, owlpost, signal),
    told: ({ binding }: Seen) =>
      binding
        ? { ok: true, text: `${binding.person.name} is paired as owner (id ${binding.address})` }
        : { ok: false, text: "The code is not good any more, and nobody was paired" },
  });
  if (seen?.binding) {
    // The welcome goes out before the line is closed.
    await service?.settle();
    return "done";
  }
  await takeBack(made, owlpost);
  return seen === undefined ? "stopped" : "later";
}

/** Resolves when the code was used, or is worth nothing any more. */
async function untilUsed(made: Made, owlpost: Owlpost, signal: AbortSignal): Promise<Seen> {
  while (!signal.aborted) {
    const { bindings, codes } = await owlpost.people();
    const binding = bindings.find((each) => isOwner(each) && each.person.name === made.name);
    if (binding) return { binding };
    if (!codes.some((code) => isOf(code, made))) return {};
    await owlpost.changed(1_000, signal);
  }
  return {};
}

async function takeBack(made: Made, owlpost: Owlpost): Promise<void> {
  const { codes } = await owlpost.people();
  for (const code of codes) if (isOf(code, made)) await owlpost.revoke(code.id, "cli");
}

function isOf(
  code: { readonly channel: string; readonly person: { readonly name: string } },
  made: Made,
): boolean {
  return code.channel === channel && code.person.name === made.name;
}
