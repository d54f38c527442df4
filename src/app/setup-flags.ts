import { basename, dirname, join, resolve } from "node:path";
import { isProjectName } from "../domain/ids.ts";
import { variableName } from "./secrets-file.ts";
import { carryOut, type Ground, planFile, type Refused } from "./setup.ts";
import { meetsHome, projectNameOf, type WorkTree, workTreeAround } from "./setup-airlock.ts";
import { hasOwner, pairCommand } from "./setup-pairing.ts";
import { chatOf, type TelegramTrial } from "./setup-telegram.ts";
import { zoneProblem } from "./setup-zone.ts";

/** The flags of `owlpost init`, as they were typed. */
export type Flags = {
  readonly zone?: string | undefined;
  readonly telegramTokenEnv?: string | undefined;
  readonly telegramApiRoot?: string | undefined;
  readonly chat?: string | undefined;
  readonly airlock?: string | undefined;
  readonly project?: string | undefined;
};

export type Airlock = { readonly project: string; readonly folder: string; readonly tree?: WorkTree };

/** What the flags settle; the rest is asked, or stays as it is. */
export type Given = {
  readonly zone?: string;
  readonly variable?: string;
  readonly apiRoot?: string;
  readonly chat?: string | number;
  readonly airlock?: Airlock;
};

/** Every flag checked; the first that is wrong is told by its name. */
export async function readFlags(
  flags: Flags,
  ground: Ground,
  trial: TelegramTrial,
): Promise<{ readonly ok: true; readonly given: Given } | Refused> {
  const { zone, telegramTokenEnv: variable, telegramApiRoot: apiRoot, chat, airlock, project } = flags;
  const refused = (flag: string, problem: string): Refused => ({
    ok: false,
    message: `--${flag} ${problem}`,
  });
  const wrongZone = zone === undefined ? undefined : zoneProblem(zone);
  if (wrongZone !== undefined) return refused("zone", wrongZone);
  if (variable !== undefined && !variableName.test(variable)) {
    const why =
      "wants the name of an environment variable such as TELEGRAM_BOT_TOKEN, never the token itself";
    return refused("telegram-token-env", why);
  }
  const wrongRoot = apiRoot === undefined ? undefined : trial.apiRootProblem(apiRoot);
  if (wrongRoot !== undefined) return refused("telegram-api-root", wrongRoot);
  const wrongChat = chat === undefined ? undefined : trial.chatProblem(chat);
  if (wrongChat !== undefined) return refused("chat", wrongChat);
  if (project !== undefined && !isProjectName(project)) {
    return refused("project", "needs a project's name: letters, digits, . _ - (at most 64)");
  }
  if (project !== undefined && airlock === undefined) {
    return refused("project", "names the project of --airlock: give that too");
  }
  const place = airlock === undefined ? undefined : await placeFor(airlock, project, ground);
  if (place && "message" in place) return refused("airlock", place.message);
  return {
    ok: true,
    given: {
      ...(zone === undefined ? {} : { zone }),
      ...(variable === undefined ? {} : { variable }),
      ...(apiRoot === undefined ? {} : { apiRoot }),
      ...(chat === undefined ? {} : { chat: chatOf(chat) }),
      ...(place ? { airlock: place } : {}),
    },
  };
}

/** The folder itself, or `.owlpost` inside when a whole repository was named. */
async function placeFor(named: string, project: string | undefined, ground: Ground) {
  const path = resolve(ground.cwd, named);
  const tree = await workTreeAround(path, ground.env);
  const folder = tree?.folder === path ? join(path, ".owlpost") : path;
  const own = basename(folder).startsWith(".") ? dirname(folder) : folder;
  return airlockProblem(
    { project: project ?? projectNameOf(own), folder, ...(tree ? { tree } : {}) },
    ground,
  );
}

/** The airlock, or what forbids it. */
export function airlockProblem(airlock: Airlock, ground: Ground): Airlock | { readonly message: string } {
  const { project, folder } = airlock;
  if (meetsHome(folder, ground.home))
    return { message: `${folder} meets the home ${ground.home}: name another` };
  const other = Object.hasOwn(ground.airlocks, project) ? ground.airlocks[project] : undefined;
  if (other !== undefined && other !== folder) {
    return { message: `the project ${project} has its airlock in ${other} already: give another --project` };
  }
  const twin = Object.entries(ground.airlocks).find(([name, path]) => path === folder && name !== project);
  return twin ? { message: `${folder} is the airlock of the project ${twin[0]} already` } : airlock;
}

export type FlagsOutcome =
  | {
      readonly ok: true;
      readonly config: string;
      readonly written: boolean;
      readonly airlock?: string;
      readonly next: string;
      readonly done: readonly string[];
    }
  | Refused;

/** The set-up without questions. A token that is at hand is tested first; nothing is written when it is refused. */
export async function setUpByFlags(
  ground: Ground,
  given: Given,
  trial: TelegramTrial,
): Promise<FlagsOutcome> {
  const { zone = ground.zone, variable, chat, airlock } = given;
  const apiRoot = given.apiRoot ?? ground.telegram?.apiRoot;
  const name = variable ?? ground.telegram?.variable;
  if (name === undefined && (chat !== undefined || given.apiRoot !== undefined)) {
    return { ok: false, message: "--chat and --telegram-api-root need --telegram-token-env too" };
  }
  const wrongZone = zoneProblem(zone);
  if (wrongZone !== undefined) return { ok: false, message: `the zone ${zone} ${wrongZone}: give --zone` };
  const token = name === undefined ? undefined : ground.env[name] || undefined;
  const where = chat ?? ground.telegram?.chat ?? null;
  if (name !== undefined && token !== undefined) {
    const problem = trial.tokenProblem(token);
    if (problem !== undefined) return { ok: false, message: `what ${name} holds ${problem}` };
    const line = { token, ...(apiRoot === undefined ? {} : { apiRoot }) };
    const told = await trial.token(line);
    if (!told.ok) return { ok: false, message: `nothing is written: ${told.text}` };
    const reached = where === null ? told : await trial.chat({ ...line, chat: where });
    if (!reached.ok) return { ok: false, message: `nothing is written: chat ${where}: ${reached.text}` };
  }
  const telegram =
    name === undefined
      ? {}
      : { telegram: { variable: name, chat: where, ...(apiRoot === undefined ? {} : { apiRoot }) } };
  const plan = await planFile(ground, { zone, ...telegram, ...(airlock ? { airlock } : {}) }, token);
  if (!plan.ok) return plan;
  const out = await carryOut(ground, plan.text, airlock ? { airlock } : {});
  if (!out.ok) return out;
  return {
    ok: true,
    config: ground.present.file,
    written: out.changed,
    ...(airlock ? { airlock: airlock.folder } : {}),
    next: await nextAfter(ground, name, token),
    done: out.done,
  };
}

/** The variable first, then somebody who may answer. */
async function nextAfter({ home, env }: Ground, name: string | undefined, token: string | undefined) {
  if (name !== undefined && token === undefined) return exportLine(name);
  return name === undefined || (await hasOwner(home, env)) ? "owlpost serve" : pairCommand;
}

/** The line to type, without the value. */
export function exportLine(variable: string): string {
  return `export ${variable}=…`;
}
