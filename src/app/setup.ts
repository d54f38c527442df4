import { homedir } from "node:os";
import { join } from "node:path";
import { type ConfigError, configErrorLines } from "./config.ts";
import { readConfigText } from "./config-text.ts";
import { systemZone } from "./config-values.ts";
import { type Environment, openHome } from "./home.ts";
import { secretsPath, withSecrets } from "./secrets-file.ts";
import { excludeLine, isExcluded, type WorkTree } from "./setup-airlock.ts";
import { type Choices, configProblems, draftConfig } from "./setup-draft.ts";
import { type Present, readPresent, type Written, writeSetup } from "./setup-files.ts";
import { usualVariable } from "./setup-telegram.ts";

/** What the set-up starts from: the present file and what is already known. */
export type Ground = {
  readonly home: string;
  /** The current directory: it may lie in a repository. */
  readonly cwd: string;
  /** With `secrets.env` behind it. */
  readonly env: Environment;
  /** Without. */
  readonly shell: Environment;
  readonly present: Extract<Present, { ok: true }>;
  /** The zone of the present file, else the system's. */
  readonly zone: string;
  readonly telegram?: {
    readonly variable: string;
    readonly token?: string;
    readonly chat?: string | number;
    readonly apiRoot?: string;
  };
  readonly airlocks: Readonly<Record<string, string>>;
};

export type Refused = { readonly ok: false; readonly message: string };

/** Looks at the home; refused when its `config.yaml` could not be kept. Nothing is made here. */
export async function lookAround(
  home: string,
  cwd: string,
  env: Environment,
): Promise<{ readonly ok: true; readonly ground: Ground } | Refused> {
  const present = readPresent(home);
  if (!present.ok) return refusal(present.file, [{ path: "", message: present.message }]);
  const { file, text } = present;
  if (text !== undefined) {
    const opened = openHome(home);
    if (!opened.ok) return opened;
  }
  const secrets = withSecrets(home, env);
  if (!secrets.ok) return refusal(secrets.file, secrets.errors);
  const parsed = readConfigText(text ?? "", secrets.env);
  if (!parsed.ok) return refusal(file, parsed.errors);
  // What init asks about is about to be mended; what it keeps must be right.
  const kept = (await configProblems(text ?? "", secrets.env)).filter(
    ({ path }) => path !== "zone" && !/^channels\.telegram(?:\.|$)/.test(path) && !/^deliver\[/.test(path),
  );
  if (kept.length > 0) return refusal(file, kept);
  const { value, missing, written } = parsed.source;
  const telegram = fieldsOf(fieldsOf(value.channels).telegram);
  const name = /^\$\{(\w+)\}$/.exec(String(written(["channels", "telegram", "token"])))?.[1];
  const isSet = !missing.some(({ path }) => path.join(".") === "channels.telegram.token");
  const known =
    Object.keys(telegram).length === 0
      ? {}
      : {
          telegram: {
            variable: name ?? usualVariable,
            ...(typeof telegram.token === "string" && isSet ? { token: telegram.token } : {}),
            ...(isChat(telegram.chat) ? { chat: telegram.chat } : {}),
            ...(typeof telegram.api_root === "string" ? { apiRoot: telegram.api_root } : {}),
          },
        };
  const airlocks = Object.entries(fieldsOf(value.airlocks)).map(
    ([project, path]) => [project, wholePath(String(path), env)] as const,
  );
  return {
    ok: true,
    ground: {
      home,
      cwd,
      env: secrets.env,
      shell: env,
      present,
      zone: typeof value.zone === "string" ? value.zone : systemZone(),
      ...known,
      airlocks: Object.fromEntries(airlocks),
    },
  };
}

/** The whole file as it would be, checked once more as every command would check it. */
export async function planFile(
  ground: Ground,
  choices: Choices,
  token: string | undefined,
): Promise<{ readonly ok: true; readonly text: string } | Refused> {
  const draft = draftConfig(ground.present.text, choices);
  if (!draft.ok) return { ok: false, message: `${ground.present.file}: ${draft.message}` };
  const variable = choices.telegram?.variable ?? usualVariable;
  const env = token === undefined ? ground.env : { ...ground.env, [variable]: token };
  const problems = await configProblems(draft.text, env);
  return problems.length > 0 ? refusal(ground.present.file, problems) : draft;
}

/** Writes what was decided, and says each thing that was done. */
export async function carryOut(
  ground: Ground,
  text: string,
  more: {
    readonly secret?: { readonly name: string; readonly value: string };
    readonly airlock?: { readonly folder: string; readonly tree?: WorkTree };
  },
): Promise<{ readonly ok: true; readonly changed: boolean; readonly done: readonly string[] } | Refused> {
  const { home, present, env } = ground;
  const { folder = "", tree } = more.airlock ?? {};
  const exclude = tree && !(await isExcluded(tree, folder, env)) ? { tree, airlock: folder } : undefined;
  const written: Written = await writeSetup({
    home,
    present,
    text,
    ...(more.secret ? { secret: more.secret } : {}),
    ...(exclude ? { exclude } : {}),
  });
  if (!written.ok) return written;
  const done = [
    written.changed ? `${present.file} is written.` : `${present.file} stands there already, just so.`,
    ...(written.backup === undefined ? [] : [`The old one is kept as ${written.backup}.`]),
    ...(more.secret ? [`The token is in ${secretsPath(home)}, closed to other accounts.`] : []),
    ...(exclude
      ? [`${excludeLine(exclude.tree, folder)} is in ${exclude.tree.exclude}: git leaves it aside.`]
      : []),
  ];
  return { ok: true, changed: written.changed, done };
}

export function refusal(file: string, errors: readonly ConfigError[]): Refused {
  return { ok: false, message: configErrorLines(file, errors).join("\n") };
}

function wholePath(path: string, env: Environment): string {
  return path.startsWith("~/") ? join(env.HOME || homedir(), path.slice(2)) : path;
}

function isChat(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
