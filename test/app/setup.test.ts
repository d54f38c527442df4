import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/app/config.ts";
import { lookAround } from "../../src/app/setup.ts";
import { type Flags, readFlags } from "../../src/app/setup-flags.ts";
import { setUpByQuestions } from "../../src/app/setup-questions.ts";
import { openTrial } from "../../src/app/setup-telegram.ts";
import { afterwards, aHome } from "../homes.ts";
import { startBotApi } from "../telegram/bot-api.ts";
import { eric, group, otherToken, token } from "../telegram/phone.ts";
import { aPerson, enter, type Step, stop } from "./setup-person.ts";

async function aPlace(config?: string) {
  const folder = aHome();
  const home = join(folder, "home");
  const file = join(home, "config.yaml");
  if (config !== undefined) {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(file, config);
  }
  const api = await startBotApi();
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  api.addGroup(group, "nightjar ops");
  return { folder, home, file, api };
}

type Place = Awaited<ReturnType<typeof aPlace>>;

/** Everything below a folder, to see that nothing changed. */
function snapshot(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    files.map((each) => {
      const path = join(each.parentPath, each.name);
      return [path, `${statSync(path).mode} ${readFileSync(path, "utf8")}`];
    }),
  );
}

/** One guided set-up, with the API root of the test's own server. */
async function talk(place: Place, script: readonly Step[], env = {}, cwd = place.folder, flags: Flags = {}) {
  const looked = await lookAround(place.home, cwd, { HOME: place.folder, PATH: process.env.PATH, ...env });
  if (!looked.ok) return { out: looked, person: aPerson([]) };
  const trial = await openTrial();
  const read = await readFlags({ telegramApiRoot: place.api.url, ...flags }, looked.ground, trial);
  if (!read.ok) throw new Error(read.message);
  const person = aPerson(script);
  const { ground } = looked;
  const out = await setUpByQuestions({ ground, given: read.given, trial, prompts: person });
  return { out, person };
}

const untilToken: readonly Step[] = [
  [/time zone/, "Europe/Berlin"],
  [/ring a phone/, enter],
];
const later: Step = [/Pair the phone/, false];
const privately: readonly Step[] = [[/Where do questions go/, "private"]];

describe("stopping leaves everything as it was", () => {
  const whole: readonly Step[] = [
    ...untilToken,
    [/bot's token/, token],
    [/Where does the token itself live/, "file"],
    [/Where do questions go/, "group"],
    [/group's id/, String(group)],
    [/inside it/, true],
    [/project called/, enter],
    [/over the present file/, true],
  ];
  test.each(whole.map((step, index) => [String(step[0]), index] as const))(
    "at %s",
    async (_question, index) => {
      const place = await aPlace("# mine\nzone: UTC\n");
      spawnSync("git", ["init", "--quiet", place.folder]);
      const before = snapshot(place.folder);
      const script: Step[] = [...whole.slice(0, index), [whole[index]?.[0] ?? /./, stop]];
      const { out, person } = await talk(place, script);
      expect(out).toEqual({ ok: false, stopped: true, text: "Stopped; everything is as it was." });
      expect(person.left()).toBe(0);
      expect(snapshot(place.folder)).toEqual(before);
    },
  );

  test("while Telegram is asked", async () => {
    const place = await aPlace();
    const { out } = await talk(place, [...untilToken, [/bot's token/, token], [/Asking Telegram/, stop]]);
    expect(out).toMatchObject({ stopped: true });
    expect(existsSync(place.home)).toBe(false);
  });

  test("a no to the last question is a stop too, and Enter alone never replaces a file", async () => {
    const place = await aPlace("zone: UTC\n");
    const script: Step[] = [
      [/time zone/, "Asia/Tokyo"],
      [/ring a phone/, false],
      [/over the present file/, enter],
    ];
    const { out } = await talk(place, script);
    expect([out.ok, readFileSync(place.file, "utf8")]).toEqual([false, "zone: UTC\n"]);
  });
});

describe("the token", () => {
  test("is refused in the channel's words, asked again, and never shown", async () => {
    const place = await aPlace();
    place.api.fail({ method: "getMe", how: "reset", times: 1 });
    const { out, person } = await talk(place, [
      ...untilToken,
      [/bot's token/, "hunter2"],
      [/bot's token/, otherToken],
      [/bot's token/, enter],
      [/bot's token/, token],
      [/Where does the token itself live/, "environment"],
      ...privately,
      [/Write this file/, enter],
      later,
    ]);
    expect(out).toEqual({ ok: true, written: true });
    const shown = person.shown.join("\n");
    expect(shown).toContain("must be a bot's token as BotFather gives it");
    expect(shown).toContain("Telegram cannot be reached");
    expect(shown).toContain("the bot's token is not valid (any more): ask BotFather for the present one");
    expect(shown).toContain("export TELEGRAM_BOT_TOKEN=…");
    for (const secret of ["hunter2", token, otherToken]) expect(shown).not.toContain(secret);
    expect(existsSync(join(place.home, "secrets.env"))).toBe(false);
    expect(readFileSync(place.file, "utf8")).toContain('token: "${TELEGRAM_BOT_TOKEN}"');
    expect(readFileSync(place.file, "utf8")).not.toContain(token);
  });

  test("that the environment holds is offered, and needs no place of its own", async () => {
    const place = await aPlace();
    const { out, person } = await talk(
      place,
      [
        ...untilToken,
        [/Use the token that TELEGRAM_BOT_TOKEN holds/, enter],
        ...privately,
        [/Write/, enter],
        later,
      ],
      { TELEGRAM_BOT_TOKEN: token },
    );
    expect(out).toEqual({ ok: true, written: true });
    expect(person.shown.join("\n")).not.toContain("export");
  });

  test("a webhook that is set stands in the way, and the file's other place wins nothing over the environment", async () => {
    const place = await aPlace();
    place.api.addBot(otherToken, "owlpost_barn_bot");
    place.api.setWebhook(otherToken, "https://example.org/hook");
    const { person } = await talk(
      place,
      [
        ...untilToken,
        [/Use the token/, true],
        [/bot's token/, token],
        [/Where does the token itself live/, "file"],
        ...privately,
        [/Write/, enter],
        later,
      ],
      { TELEGRAM_BOT_TOKEN: otherToken },
    );
    const shown = person.shown.join("\n");
    expect(shown).toContain("a webhook is set for this bot");
    expect(shown).toContain("TELEGRAM_BOT_TOKEN is set to something else here");
  });

  test("a group that cannot be reached is told and asked again", async () => {
    const place = await aPlace();
    const { person } = await talk(place, [
      ...untilToken,
      [/bot's token/, token],
      [/Where does/, "file"],
      [/Where do questions go/, "group"],
      [/group's id/, "here"],
      [/group's id/, "-1001"],
      [/group's id/, String(group)],
      [/Write/, enter],
      later,
    ]);
    expect(person.shown.join("\n")).toContain("there is no such chat");
    const loaded = await loadConfig(place.home, {});
    expect(loaded).toMatchObject({ ok: true, config: { channels: { telegram: { token, chat: group } } } });
  });
});

test("what flags name is not asked, and yet tried; a new token takes the place of the old one in secrets.env", async () => {
  const place = await aPlace();
  const flags = { zone: "UTC", telegramTokenEnv: "OWL_TOKEN", chat: "-1001" };
  place.api.addBot(otherToken, "owlpost_barn_bot");
  const first: Step[] = [
    [/bot's token/, otherToken],
    [/Where does/, "file"],
    [/Where do questions go/, "group"],
    [/group's id/, String(group)],
    [/Write/, enter],
    later,
  ];
  const { person } = await talk(place, first, {}, place.folder, flags);
  expect(person.shown.join("\n")).toContain("there is no such chat");
  const second: Step[] = [
    [/Use the token that OWL_TOKEN holds/, false],
    [/bot's token/, token],
    [/Where does/, "file"],
    [/just so/, enter],
    later,
  ];
  const again = await talk(place, second, {}, place.folder, { ...flags, chat: String(group) });
  expect(again.person.shown.join("\n")).not.toContain("something else");
  expect(readFileSync(join(place.home, "secrets.env"), "utf8")).toBe(`OWL_TOKEN=${token}\n`);
});

describe("a file that is there", () => {
  const present = `# my house
zone: UTC   # for now
deliver: [inbox]
lease: 5m
channels:
  # the page
  inbox: { port: 0 }
  telegram: { token: "\${OWL_TOKEN}", allow: [42], chat: -1001999000111 } # the barn
`;

  test("keeps comments, order and every other key, and the old one beside it", async () => {
    const place = await aPlace(present);
    const { out } = await talk(
      place,
      [
        ...untilToken,
        [/Use the token that OWL_TOKEN holds/, enter],
        [/Where do questions go/, enter],
        [/group's id/, enter],
        [/over the present file\? That one is kept/, true],
        [/On Telegram 42 may answer. Pair another/, enter],
      ],
      { OWL_TOKEN: token },
    );
    expect(out).toEqual({ ok: true, written: true });
    const api = `, api_root: ${place.api.url}`;
    expect(readFileSync(place.file, "utf8")).toBe(
      present
        .replace("zone: UTC   # for now", "zone: Europe/Berlin # for now")
        .replace("[inbox]", "[ telegram, inbox ]")
        .replace("[42]", "[ 42 ]")
        .replace("-1001999000111 }", `-1001999000111${api} }`),
    );
    expect(readFileSync(`${place.file}.bak`, "utf8")).toBe(present);
    expect([statSync(place.file).mode & 0o777, statSync(`${place.file}.bak`).mode & 0o777]).toEqual([
      0o600, 0o600,
    ]);
  });

  test("a credential that somebody wrote into it is kept, and not shown", async () => {
    const place = await aPlace(`channels:\n  telegram: { token: "${token}", allow: [42] }\n`);
    const { person } = await talk(place, [
      ...untilToken,
      [/Use the token that the present file holds/, enter],
      [/Where does/, "file"],
      ...privately,
      [/over the present file/, true],
      [/Pair another/, enter],
    ]);
    expect(person.shown.join("\n")).not.toContain(token);
    expect(readFileSync(place.file, "utf8")).not.toContain(token);
    expect(await loadConfig(place.home, {})).toMatchObject({
      config: { channels: { telegram: { token, allow: [42] } } },
    });
  });

  test.each([
    ["zone: [\n", "cannot be read as YAML"],
    ["zoen: UTC\n", "did you mean zone?"],
    ["- a\n", "must hold keys and values"],
  ])("that could not be kept is refused before the first question: %j", async (text, reason) => {
    const place = await aPlace(text);
    const { out } = await talk(place, []);
    expect(out).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
    expect(readFileSync(place.file, "utf8")).toBe(text);
  });

  test("a link to it stays a link", async () => {
    const place = await aPlace();
    mkdirSync(place.home, { mode: 0o700 });
    const real = join(place.folder, "dotfiles.yaml");
    writeFileSync(real, "zone: UTC\n");
    symlinkSync(real, place.file);
    await talk(place, [
      [/time zone/, "Asia/Tokyo"],
      [/ring/, false],
      [/over the present/, true],
    ]);
    expect(readFileSync(real, "utf8")).toBe("zone: Asia/Tokyo\n");
  });
});

test("a repository's airlock: offered once, named after it, left aside by git, never the home itself", async () => {
  const place = await aPlace();
  const repository = join(place.folder, "night jar");
  mkdirSync(join(repository, "src"), { recursive: true });
  spawnSync("git", ["init", "--quiet", repository]);
  const script: Step[] = [
    [/time zone/, "UTC"],
    [/ring/, false],
  ];
  const cwd = join(repository, "src");
  await talk(
    place,
    [...script, [/inside it/, true], [/project called/, "../x"], [/project called/, enter], [/Write/, enter]],
    {},
    cwd,
  );
  const loaded = await loadConfig(place.home, {});
  expect(loaded).toMatchObject({ config: { airlocks: { "night-jar": join(repository, ".owlpost") } } });
  mkdirSync(join(repository, ".owlpost"));
  writeFileSync(join(repository, ".owlpost", "events.jsonl"), "");
  const status = spawnSync("git", ["status", "--porcelain"], { cwd: repository, encoding: "utf8" });
  expect([status.status, status.stdout]).toEqual([0, ""]);
  const { person } = await talk(place, [...script, [/just so/, enter]], {}, cwd);
  expect(person.left()).toBe(0);

  const dotfiles = await aPlace();
  spawnSync("git", ["init", "--quiet", dotfiles.folder]);
  const own = { ...dotfiles, home: join(dotfiles.folder, ".owlpost") };
  expect((await talk(own, [...script, [/Write/, enter]])).out).toEqual({ ok: true, written: true });
});
