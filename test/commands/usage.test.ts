import { afterAll, describe, expect, test } from "vitest";
import { parsePlain } from "../../src/commands/plain-line.ts";
import { verbs } from "../../src/commands/verbs.ts";
import { aDesk } from "./desk.ts";

const desk = aDesk();
afterAll(() => desk.remove());

const names = Object.keys(verbs);

describe("help", () => {
  test("at the top: every command, examples, exit codes", async () => {
    const { exit, out, err } = await desk.run(["--help"]);
    expect([exit, err]).toEqual([0, ""]);
    for (const name of names) expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(out).toContain("Examples:");
    expect(out).toContain("4 nothing yet");
  });

  test.each(names)("of %s: what it does, its options, examples that start with owlpost %s", async (name) => {
    for (const line of [
      [name, "--help"],
      ["help", name],
    ]) {
      const { exit, out, err } = await desk.run(line);
      expect([exit, err]).toEqual([0, ""]);
      expect(out).toContain(`Usage: owlpost ${name}`);
      expect(out).toMatch(/--json +one JSON document/);
      expect(out).toMatch(/--home <dir>/);
      expect(out.slice(out.indexOf("Examples:"))).toContain(`owlpost ${name}`);
    }
  });

  test("the version", async () => {
    expect(await desk.run(["--version"])).toMatchObject({ exit: 0, out: "0.1.0\n" });
  });

  test("asking for help makes no home", async () => {
    await desk.run(["status", "--help"]);
    const fresh = await desk.run(["--home", `${desk.folder}/none`, "ask", "--help"]);
    expect(fresh.exit).toBe(0);
  });
});

const wrong: readonly (readonly [line: readonly string[], part: string])[] = [
  [[], "name a command"],
  [["aks"], "unknown command 'aks'\n(Did you mean ask?)"],
  [["ask"], "name the file of the question, or - for standard input"],
  [["ask", "a", "b"], "too many arguments"],
  [["ask", "a", "--wiat", "1h"], "unknown option '--wiat'\n(Did you mean --wait?)"],
  [["ask", "a", "--wait"], "option '--wait <duration>' argument missing"],
  [["ask", "a", "--wait", "soon"], "--wait needs a duration such as 90s, 30m or 8h (found soon)"],
  [["ask", "a", "--task", "Not A Task"], "--task needs a task's id"],
  [["ask", "a", "--run", "far-too-long"], "--run needs 1 to 8"],
  [["ask", "a", "--project", "../up"], "--project needs a project's name"],
  [["ask", "a", "--key", ""], "--key needs"],
  [["answer", "q-a3f2-012-1"], "give either the key of an option or --text"],
  [["answer", "q-a3f2-012-1", "1", "--text", "x"], "give either the key of an option or --text"],
  [["cancel", "q-a3f2-012-1"], "required option '--why <reason>' not specified"],
  [["cancel", "q-a3f2-012-1", "--why", " "], "--why needs a reason"],
  [["resolve", "q-a3f2-012-1", "--result", "fine"], "Allowed choices are done, failed, skipped"],
  [["notify", "--kind", "party", "-"], "Allowed choices are run-complete, stalled, blocked"],
  [["events", "--since", "yesterday"], "--since needs the number of an event"],
  [["take", "--claim", ""], "--claim needs"],
  [["report", "--since", "yesterday"], "--since needs a time in the past, such as 22:00"],
  [["report", "--html", ""], "--html needs the name of a file"],
  [["report", "night"], "too many arguments"],
];

describe("bad usage is exit 2", () => {
  test.each(wrong)("owlpost %j", async (line, part) => {
    const people = await desk.run(line);
    expect([people.exit, people.out]).toEqual([2, ""]);
    if (line.length > 0) expect(people.err).toContain(part);
    const program = await desk.run([...line, "--json"]);
    expect([program.exit, program.err, program.json.error]).toEqual([2, "", "bad-usage"]);
    expect(program.json.message).toContain(part);
  });
});

describe("a plain line is read without commander", () => {
  const ask = async () => (await verbs.ask?.load())?.verb ?? expect.fail("no ask");

  test("arguments and options in any order", async () => {
    expect(parsePlain(["--json", "f.yaml", "--key=k", "--home", "/h"], await ask())).toEqual({
      args: ["f.yaml"],
      options: { json: true, key: "k", home: "/h" },
    });
    expect(parsePlain(["-"], await ask())).toEqual({ args: ["-"], options: {} });
  });

  test.each([
    [["--help", "f"]],
    [["-h"]],
    [["f", "g"]],
    [["f", "--nope"]],
    [["f", "--key"]],
    [["f", "--key", "--json"]],
  ])("%j is left to commander", async (words) => {
    expect(parsePlain(words, await ask())).toBeUndefined();
  });

  test("options before the command are read all the same", async () => {
    const { exit, json } = await desk.run(["--json", "--home", `${desk.folder}/other`, "pending"]);
    expect([exit, json.open]).toEqual([0, []]);
  });
});
