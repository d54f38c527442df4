import { join } from "node:path";
import { rowOf } from "../../renderers/matrix.ts";
import { isProjectName } from "../domain/ids.ts";
import { channelIds } from "./channel-files.ts";
import { secretsPath } from "./secrets-file.ts";
import { carryOut, planFile, type Refused } from "./setup.ts";
import { meetsHome, projectNameOf, workTreeAround } from "./setup-airlock.ts";
import { type Choices, shownConfig } from "./setup-draft.ts";
import { type Airlock, airlockProblem, exportLine } from "./setup-flags.ts";
import { askTelegram, type Talk, type TelegramAnswer } from "./setup-line.ts";
import { hasOwner, pairCommand, pairOwner } from "./setup-pairing.ts";
import { zoneProblem } from "./setup-zone.ts";

export type TalkOutcome =
  | { readonly ok: true; readonly written: boolean }
  /** Stopped with Ctrl-C; `text` is the one line that says what stands. */
  | { readonly ok: false; readonly stopped: true; readonly text: string }
  | Refused;

const nothing: TalkOutcome = { ok: false, stopped: true, text: "Stopped; everything is as it was." };

/** The guided set-up: asks, shows the whole file, writes it after a yes, pairs the owner. */
export async function setUpByQuestions(talk: Talk): Promise<TalkOutcome> {
  const { ground, given, prompts } = talk;
  prompts.hello("Hello from owlpost. A few questions, and nothing is written before a yes.");
  const zone = given.zone ?? (await askZone(talk));
  if (zone === undefined) return nothing;
  const telegram = await askTelegram(talk);
  if (telegram === undefined) return nothing;
  const airlock = given.airlock ?? (await askAirlock(talk));
  if (airlock === undefined) return nothing;

  const choices: Choices = {
    zone,
    ...(telegram === "none" ? {} : { telegram: telegram.choice }),
    ...(airlock === "none" ? {} : { airlock }),
  };
  const token = telegram === "none" ? undefined : telegram.token;
  const plan = await planFile(ground, choices, token);
  if (!plan.ok) return plan;
  const written = await confirmAndWrite(talk, plan.text, telegram, airlock);
  if (!written.ok) return written;
  talk.prompts.say(otherChannels());
  return finish(talk, telegram, written.changed);
}

async function askZone({ ground, prompts }: Talk): Promise<string | undefined> {
  const usual = zoneProblem(ground.zone) === undefined ? ground.zone : "UTC";
  return prompts.text({
    message: "Which time zone do deadlines such as 06:00 mean?",
    otherwise: usual,
    hint: `Enter keeps ${usual}`,
    check: (text) => problemText(text, zoneProblem(text)),
  });
}

function problemText(text: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${text} ${problem}`;
}

/** Only inside a repository that has no airlock yet. */
async function askAirlock({ ground, prompts }: Talk): Promise<Airlock | "none" | undefined> {
  const tree = await workTreeAround(ground.cwd, ground.env);
  const folder = tree ? join(tree.folder, ".owlpost") : "";
  const known = Object.values(ground.airlocks).includes(folder);
  if (!tree || known || meetsHome(folder, ground.home)) return "none";
  const wanted = await prompts.yes({
    message: `Keep the questions of this repository inside it, in ${folder}? git leaves the folder aside.`,
    otherwise: true,
  });
  if (wanted === undefined) return undefined;
  if (!wanted) return "none";
  const usual = projectNameOf(tree.folder);
  const project = await prompts.text({
    message: "What is the project called?",
    otherwise: usual,
    hint: `Enter keeps ${usual}`,
    check(text) {
      if (!isProjectName(text)) return "letters, digits, . _ - (at most 64)";
      const found = airlockProblem({ project: text, folder, tree }, ground);
      return "message" in found ? found.message : undefined;
    },
  });
  return project === undefined ? undefined : { project, folder, tree };
}

async function confirmAndWrite(
  { ground, prompts }: Talk,
  text: string,
  telegram: TelegramAnswer | "none",
  airlock: Airlock | "none",
) {
  const { file, text: before } = ground.present;
  prompts.show(file, shownConfig(text));
  const question =
    before === undefined
      ? "Write this file?"
      : before === text
        ? "The file stands there already, just so. Go on?"
        : `Write this over the present file? That one is kept as ${file}.bak.`;
  // Enter alone never replaces a file.
  const wanted = await prompts.yes({ message: question, otherwise: before === undefined || before === text });
  if (wanted !== true) return nothing as Exclude<TalkOutcome, { ok: true }>;
  const out = await carryOut(ground, text, {
    ...(telegram !== "none" && telegram.keepIn === "file"
      ? { secret: { name: telegram.choice.variable, value: telegram.token } }
      : {}),
    ...(airlock === "none" ? {} : { airlock }),
  });
  if (out.ok) for (const line of out.done) prompts.say(line);
  return out;
}

/** Every channel that is not asked about here has a page of its own. */
function otherChannels(): string {
  const others = channelIds().filter((id) => id !== "telegram" && rowOf(id).inbound !== "page");
  const pages = others.map((id) => `docs/${id}.md`).join(", ");
  return `Other channels are set up by hand, each in five minutes (beside README.md): ${pages}`;
}

async function finish(
  { ground, prompts }: Talk,
  telegram: TelegramAnswer | "none",
  written: boolean,
): Promise<TalkOutcome> {
  if (telegram === "none") {
    prompts.bye("Next: owlpost serve");
    return { ok: true, written };
  }
  const { variable } = telegram.choice;
  if (telegram.keepIn === "environment") {
    prompts.show("Every command needs the token in its environment", exportLine(variable));
  }
  const set = ground.shell[variable];
  if (telegram.keepIn === "file" && set && set !== telegram.token) {
    prompts.warn(
      `${variable} is set to something else here, and wins over ${secretsPath(ground.home)}: unset it.`,
    );
  }
  const env = { ...ground.env, [variable]: telegram.token };
  const paired = await pairOwner({ home: ground.home, env, prompts, changed: written });
  if (paired === "stopped") {
    const text = `Stopped; ${ground.present.file} is written, and nobody was paired: ${pairCommand}`;
    return { ok: false, stopped: true, text };
  }
  prompts.bye(
    `Next: ${paired === "done" || (await hasOwner(ground.home, env)) ? "owlpost serve" : pairCommand}`,
  );
  return { ok: true, written };
}
