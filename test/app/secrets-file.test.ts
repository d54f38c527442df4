import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/app/config.ts";
import { withSecret } from "../../src/app/secrets-file.ts";
import { aHome } from "../homes.ts";

const secret = "7000000001:TEST-only-not-a-token";

/** A home whose configuration wants `OWL_TOKEN`, and the file that may hold it. */
function aHomeWith(text?: string, mode = 0o600) {
  const home = aHome();
  writeFileSync(
    join(home, "config.yaml"),
    'channels: { inbox: { port: 0 }, telegram: { token: "${OWL_TOKEN}", allow: [42] } }\n',
  );
  const file = join(home, "secrets.env");
  if (text !== undefined) {
    writeFileSync(file, text);
    chmodSync(file, mode);
  }
  return { home, file };
}

const tokenOf = async (home: string, env = {}) => {
  const loaded = await loadConfig(home, env);
  if (!loaded.ok) throw new Error(loaded.errors[0]?.message);
  return loaded.config.channels.telegram?.token;
};

test.each([
  ["plain", `OWL_TOKEN=${secret}\n`],
  ["among others", `# of the barn\r\n\r\nOTHER=1\r\nOWL_TOKEN=${secret}\r\n`],
  ["quoted and exported", `export OWL_TOKEN="${secret}"`],
])("a variable that the environment does not give: %s", async (_name, text) => {
  const { home } = aHomeWith(text);
  expect(await tokenOf(home)).toBe(secret);
});

test("what is set in the environment wins, and an empty variable counts as not set", async () => {
  const { home } = aHomeWith(`OWL_TOKEN=${secret}\n`);
  expect(await tokenOf(home, { OWL_TOKEN: "7000000002:TEST-only-of-the-shell" })).toContain("of-the-shell");
  expect(await tokenOf(home, { OWL_TOKEN: "" })).toBe(secret);
});

test("without such a file the missing variable is named", async () => {
  await expect(tokenOf(aHomeWith().home)).rejects.toThrow("the environment variable OWL_TOKEN is not set");
});

test.each([0o640, 0o604, 0o620])("is refused when others can read or write it: %o", async (mode) => {
  const { home, file } = aHomeWith(`OWL_TOKEN=${secret}\n`, mode);
  const loaded = await loadConfig(home, {});
  expect(loaded).toEqual({
    ok: false,
    file,
    errors: [{ path: "", message: `is open to other accounts: close it with chmod 600 ${file}` }],
  });
});

test("a line that is none and a name that stands twice are told by their number, never by their text", async () => {
  const { home, file } = aHomeWith(`OWL_TOKEN=${secret}\n${secret}\nOWL_TOKEN=2\n`);
  const loaded = await loadConfig(home, {});
  expect(loaded).toMatchObject({ ok: false, file, errors: [{ line: 2 }, { path: "OWL_TOKEN", line: 3 }] });
  expect(JSON.stringify(loaded)).not.toContain(secret);
});

test("a link is not followed", async () => {
  const { home, file } = aHomeWith();
  symlinkSync(join(home, "config.yaml"), file);
  await expect(tokenOf(home)).rejects.toThrow("symbolic link");
});

test("one variable is set, every other line stays", () => {
  expect(withSecret("", "A", "1")).toBe("A=1\n");
  expect(withSecret("# x\nA=0\nB=2\n\n", "A", "1")).toBe("# x\nB=2\nA=1\n");
});
