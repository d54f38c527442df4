import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { airlockDir, configErrorLines, loadConfig, projectFor } from "../../src/app/config.ts";
import { configJsonSchema } from "../../src/app/config-schema.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-config-"));
  folders.push(folder);
  return folder;
}

/** Loads a `config.yaml` of this text. */
async function load(text: string, env: Record<string, string> = {}) {
  const home = aFolder();
  writeFileSync(join(home, "config.yaml"), text);
  return loadConfig(home, env);
}

async function errorsOf(text: string, env: Record<string, string> = {}) {
  const loaded = await load(text, env);
  return loaded.ok ? [] : loaded.errors;
}

describe("a configuration that is taken", () => {
  test("without a file: the system's zone and the local inbox alone", async () => {
    const loaded = await loadConfig(aFolder(), {});
    expect(loaded).toEqual({
      ok: true,
      config: {
        zone: expect.any(String),
        minLeadMs: 600_000,
        leaseMs: 600_000,
        autoDefault: false,
        againDeadlineMs: 43_200_000,
        hookDeadlineMs: 900_000,
        airlocks: {},
        deliver: ["inbox"],
        channels: { inbox: { port: 7373 } },
      },
    });
  });

  test("the system's zone is the one that this process tells the time in", async () => {
    const loaded = await loadConfig(aFolder(), {});
    const zone = loaded.ok ? loaded.config.zone : "";
    for (const at of [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)]) {
      const clock = (timeZone?: string) => new Date(at).toLocaleString("sv-SE", timeZone ? { timeZone } : {});
      expect(clock(zone)).toBe(clock());
    }
  });

  test("an empty file, or one of comments, is the same as none", async () => {
    for (const text of ["", "# nothing yet\n", "---\n"]) {
      const loaded = await load(text);
      expect(loaded.ok && loaded.config.channels).toEqual({ inbox: { port: 7373 } });
    }
  });

  test("every key that works", async () => {
    const loaded = await load(
      [
        "zone: Asia/Kathmandu",
        "min_lead: PT20M",
        "lease: 2h",
        "auto_default: true",
        "hook: { deadline: 30m }",
        "airlocks: { one: /srv/one/.owlpost, two: ~/two }",
        "deliver: [inbox]",
        "channels:",
        "  inbox: { port: 0 }",
      ].join("\n"),
      { HOME: "/home/eric" },
    );
    expect(loaded.ok && { ...loaded.config, file: undefined }).toEqual({
      file: undefined,
      zone: "Asia/Kathmandu",
      minLeadMs: 20 * 60_000,
      leaseMs: 2 * 3_600_000,
      autoDefault: true,
      againDeadlineMs: 43_200_000,
      hookDeadlineMs: 30 * 60_000,
      airlocks: { one: "/srv/one/.owlpost", two: "/home/eric/two" },
      deliver: ["inbox"],
      channels: { inbox: { port: 0 } },
    });
  });

  test("a hook may ask whatever min_lead is: its own deadline is never shorter, and a shorter one is refused", async () => {
    const loaded = await load("min_lead: 20m\n");
    expect(loaded.ok && loaded.config.hookDeadlineMs).toBe(20 * 60_000);
    for (const deadline of ["0m", "25d", "999999h"])
      expect(await errorsOf(`min_lead: 0m\nhook: { deadline: ${deadline} }\n`)).toMatchObject([
        { path: "hook.deadline", message: "must be from 1m to 24d: no agent waits for longer" },
      ]);
    expect(await errorsOf("min_lead: 20m\nhook: { deadline: 19m }\n")).toEqual([
      { path: "hook.deadline", line: 2, message: "is shorter than min_lead: no hook could ask" },
    ]);
  });

  test("a channel's defaults are filled in, and every configured channel is delivered to", async () => {
    const loaded = await load("channels: { inbox: }\n");
    expect(loaded.ok && [loaded.config.channels, loaded.config.deliver]).toEqual([
      { inbox: { port: 7373 } },
      ["inbox"],
    ]);
  });

  test("${NAME} is taken from the environment, inside a text too, and never as YAML", async () => {
    const loaded = await load('zone: "${AREA}/${CITY}"\nairlocks: { a: "${FOLDER}" }\n', {
      AREA: "Europe",
      CITY: "Berlin",
      FOLDER: "/srv/a: {b}",
    });
    expect(loaded.ok && [loaded.config.zone, loaded.config.airlocks]).toEqual([
      "Europe/Berlin",
      { a: "/srv/a: {b}" },
    ]);
  });

  test("the example file", async () => {
    const loaded = await load(readFileSync("config/owlpost.example.yaml", "utf8"));
    expect(loaded.ok && loaded.config.zone).toBe("Europe/Berlin");
    expect(loaded.ok && loaded.config.deliver).toEqual(["inbox"]);
  });

  test.each([1, 2])("what the example file says of Telegram, way %d, without its #", async (way) => {
    const env = { TELEGRAM_BOT_TOKEN: "7000000001:TEST-only-not-a-token" };
    let seen = 0;
    const text = readFileSync("config/owlpost.example.yaml", "utf8")
      .replace("# deliver:", "deliver:")
      .replace(/^ {2}# (?=telegram: \{)/gm, (mark) => {
        seen += 1;
        return seen === way ? "  " : mark;
      });
    const loaded = await load(text, env);
    expect(loaded.ok ? loaded.config.channels.telegram : loaded.errors).toMatchObject({
      token: env.TELEGRAM_BOT_TOKEN,
    });
    expect(loaded.ok && loaded.config.deliver).toEqual(["telegram", "inbox"]);
  });
});

/** Text of the file, then `line path: part of the message` of every error. */
const refusals: readonly (readonly [name: string, text: string, errors: readonly string[]])[] = [
  ["an unknown key", "zone: UTC\nminlead: 10m\n", ["2 minlead: did you mean min_lead?"]],
  ["a key in another spelling", "autoDefault: true\n", ["1 autoDefault: did you mean auto_default?"]],
  ["a key that is like none", "frobnicate: 1\n", ["1 frobnicate: is not a known key; known: zone, night"]],
  [
    "an unknown key of a channel",
    "channels:\n  inbox:\n    prot: 1\n",
    ["3 channels.inbox.prot: did you mean port?"],
  ],
  ["an unknown channel", "channels:\n  inbox2: {}\n", ["2 channels.inbox2: did you mean inbox? known: "]],
  [
    "a channel that does not exist yet",
    "channels: { carrier-pigeon: {} }\n",
    ["1 channels.carrier-pigeon: no such channel"],
  ],
  [
    "a port out of range",
    "channels:\n  inbox:\n    port: 70000\n",
    ["3 channels.inbox.port: must be at most 65535"],
  ],
  ["a port that is no number", 'channels: { inbox: { port: "x" } }\n', ["1 channels.inbox.port: must be a"]],
  [
    "a zone that is none",
    "\nzone: Berlin\n",
    [
      "2 zone: must be an IANA time zone, exactly as its name is written, such as Europe/Berlin (found Berlin)",
    ],
  ],
  ["a zone in small letters", "zone: europe/berlin\n", ["1 zone: IANA"]],
  ["an offset for a zone", "zone: '+02:00'\n", ["1 zone: IANA"]],
  [
    "a duration without a unit",
    "min_lead: 10\n",
    ["1 min_lead: must be a duration such as 10m, 12h or 2d (found 10)"],
  ],
  ["a lease of nothing", "lease: 0m\n", ["1 lease: must be longer than nothing"]],
  ["a duration in words", "lease: ten minutes\n", ["1 lease: must be a duration"]],
  [
    "a boolean in words",
    "auto_default: sometimes\n",
    ["1 auto_default: must be true or false (found sometimes)"],
  ],
  ["a list where one key is wanted", "zone: [UTC]\n", ["1 zone: must be an IANA time zone"]],
  ["a relative airlock", "airlocks: { a: ./here }\n", ["1 airlocks.a: must be an absolute path"]],
  ["a project name that is a path", "airlocks:\n  ../up: /srv/a\n", ["2 airlocks.../up: is no project name"]],
  [
    "one folder for two projects",
    "airlocks:\n  a: /srv/a\n  b: /srv/x/../a/\n",
    ["3 airlocks.b: is the same folder as that of a"],
  ],
  [
    "delivery to a channel that is not configured",
    "deliver:\n  - inbox\n  - inbx\n",
    ["3 deliver[1]: did you mean inbox?"],
  ],
  ["delivery twice", "deliver: [inbox, inbox]\n", ["1 deliver[1]: is listed twice"]],
  ["no map at all", "- a\n- b\n", ["1 : must hold keys and values"]],
  ["a key twice", "zone: UTC\nzone: UTC\n", ["2 : column 1: the same key stands here twice"]],
  ["a tab", "channels:\n\tinbox: {}\n", ["2 : cannot be read as YAML"]],
  ["an open quote", 'zone: "UTC\n', [" : cannot be read as YAML"]],
  ["two documents", "zone: UTC\n---\nzone: UTC\n", ["2 : only one YAML document"]],
  [
    "a missing variable",
    'zone: "${NO_SUCH_ZONE}"\n',
    ["1 zone: the environment variable NO_SUCH_ZONE is not set"],
  ],
  ["an empty variable", 'zone: "${EMPTY}"\n', ["1 zone: the environment variable EMPTY is empty"]],
  [
    "a variable without a name",
    'zone: "${not a name}"\n',
    ["1 zone: without the name of an environment variable"],
  ],
  [
    "a question that is asked again for no time",
    "again_deadline: 0h\n",
    ["1 again_deadline: must be longer than nothing"],
  ],
  [
    "escalation, which is not built yet",
    "escalate: [{ after: 15m, to: [inbox] }]\n",
    ["1 escalate: is not available"],
  ],
  [
    "a part of quiet hours that is unknown",
    'night:\n  window: "22:00-08:00"\n  isolate: true\n',
    ["3 night.isolate: did you mean isolated?"],
  ],
  [
    "an escalation without its time",
    "escalate:\n  - to: [inbox]\n",
    ["1 escalate: is not available", "2 escalate[0].after: is missing"],
  ],
];

describe("a configuration that is refused", () => {
  test.each(refusals)("%s", async (_name, text, expected) => {
    const errors = await errorsOf(text, { EMPTY: "" });
    const lines = errors.map((error) => `${error.line ?? ""} ${error.path}: ${error.message}`);
    expect(lines).toHaveLength(expected.length);
    for (const [index, wanted] of expected.entries()) {
      const end = wanted.indexOf(": ");
      expect(lines[index]).toContain(wanted.slice(0, end));
      expect(lines[index]).toContain(wanted.slice(end + 2));
    }
  });

  test("all errors at once, in the order of the file", async () => {
    const text =
      "zon: UTC\nlease: soon\nchannels:\n  inbox: { port: -1, prot: 2 }\n  slak: {}\ndeliver: [telegram]\n";
    const paths = (await errorsOf(text)).map((error) => error.path);
    expect(paths).toEqual([
      "zon",
      "lease",
      "channels.inbox.port",
      "channels.inbox.prot",
      "channels.slak",
      "deliver[0]",
    ]);
  });

  test("every window of the quiet-hours cases: the bad ones are named, the good ones taken up", async () => {
    const cases: readonly { zone: string; window: string; error?: boolean }[] = JSON.parse(
      readFileSync("test/cases/time/quiet-hours.json", "utf8"),
    );
    const bad = cases.filter((each) => each.error);
    const good = cases.filter((each) => !each.error);
    expect([bad.length > 5, good.length > 5]).toEqual([true, true]);
    for (const { zone, window } of bad) {
      const errors = await errorsOf(`zone: "${zone}"\nnight: { window: "${window}" }\n`);
      expect(errors, `${zone} ${window}`).toHaveLength(1);
    }
    for (const { zone, window } of good) {
      const loaded = await load(`zone: "${zone}"\nnight: { window: "${window}" }\n`);
      expect(loaded.ok && loaded.config.night?.hours, `${zone} ${window}`).toMatchObject({ zone, window });
    }
  });

  test("no secret is repeated: neither a variable's value nor a value below channels, nor a line that YAML cannot read", async () => {
    const secret = "xoxb-very-secret";
    const texts = [
      `channels: { inbox: { port: "${secret}" } }\n`,
      'channels: { inbox: { port: "${TOKEN}" } }\n',
      'zone: "${TOKEN}"\n',
      'lease: "${TOKEN}"\n',
      `channels:\n  inbox:\n    token: "${secret}\n`,
      `channels: { inbox: [${secret}: {}: }\n`,
      `channels: { inbox: *${secret} }\n`,
      `channels: { inbox: !${secret} x }\n`,
    ];
    for (const text of texts) {
      const errors = await errorsOf(text, { TOKEN: secret });
      expect(errors.length, text).toBeGreaterThan(0);
      expect(JSON.stringify(errors), text).not.toContain(secret);
    }
  });

  test("a file that cannot be read is an error, not a fault", async () => {
    const home = aFolder();
    mkdirSync(join(home, "config.yaml"));
    expect(await loadConfig(home, {})).toMatchObject({ ok: false, errors: [{ message: "is not a file" }] });
    const large = await load(`# ${"x".repeat(1_048_577)}`);
    expect(large).toMatchObject({ ok: false, errors: [{ message: "is larger than 1 MiB" }] });
  });

  test("an alias bomb is refused", async () => {
    const levels = Array.from(
      { length: 8 },
      (_, n) => `  l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(", ")}]`,
    );
    const errors = await errorsOf(`channels:\n  l0: &l0 [x, x, x]\n${levels.join("\n")}\n`);
    expect(errors.map((error) => error.message)).toEqual(["holds too many aliases"]);
  });

  test("for people: file, line, key and what to do", () => {
    const lines = configErrorLines("/h/config.yaml", [
      { path: "zone", line: 3, message: "is missing" },
      { path: "", message: "is not a file" },
    ]);
    expect(lines).toEqual(["/h/config.yaml:3: zone: is missing", "/h/config.yaml: is not a file"]);
  });
});

test("the JSON Schema knows every key and the settings of every channel", async () => {
  const schema = await configJsonSchema();
  expect(schema).toMatchObject({
    type: "object",
    additionalProperties: false,
    properties: {
      zone: { type: "string" },
      channels: { additionalProperties: false, properties: { inbox: { properties: { port: {} } } } },
    },
  });
});

describe("the project of a question", () => {
  const root = aFolder();
  for (const folder of ["one/.owlpost/questions", "one/src", "one/inner/.owlpost", "two"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const airlocks = {
    one: join(root, "one", ".owlpost"),
    inner: join(root, "one", "inner", ".owlpost"),
    two: join(root, "two"),
  };
  const config = { airlocks };

  test("the flag, then the document, then the folder, then the only airlock, then default", () => {
    const cwd = join(root, "one", "src");
    expect(projectFor({ flag: "f", document: { project: "d" }, cwd, config })).toBe("f");
    expect(projectFor({ document: { project: "d" }, cwd, config })).toBe("d");
    expect(projectFor({ document: { title: "x" }, cwd, config })).toBe("one");
    expect(projectFor({ cwd: root, config: { airlocks: { only: airlocks.one } } })).toBe("only");
    expect(projectFor({ cwd: root, config })).toBe("default");
    expect(projectFor({ cwd: root, config: { airlocks: {} } })).toBe("default");
  });

  test("the innermost airlock counts, a dot folder stands for its repository, and a neighbour's name is not inside", () => {
    expect(projectFor({ cwd: join(root, "one", "inner"), config })).toBe("inner");
    expect(projectFor({ cwd: join(root, "one", ".owlpost", "questions"), config })).toBe("one");
    expect(projectFor({ cwd: join(root, "two"), config })).toBe("two");
    expect(projectFor({ cwd: join(root, "two-and-a-half"), config })).toBe("default");
  });

  test("a link to the folder is the folder", () => {
    symlinkSync(join(root, "one"), join(root, "link"));
    expect(projectFor({ cwd: join(root, "link", "src"), config })).toBe("one");
  });

  test("an airlock lies where it is configured, else in the home", () => {
    expect(airlockDir(config, "/home/x", "one")).toBe(airlocks.one);
    expect(airlockDir(config, "/home/x", "other")).toBe("/home/x/airlocks/other");
    expect(airlockDir(config, "/home/x", "constructor")).toBe("/home/x/airlocks/constructor");
  });
});
