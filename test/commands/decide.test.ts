import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aDocument } from "../builders.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
let id: string;
beforeEach(async () => {
  desk = aDesk();
  id = await desk.ask();
});
afterEach(() => desk.remove());

/** Exit code and JSON of a command line. */
async function json(...line: string[]) {
  const { exit, json } = await desk.run([...line, "--json"]);
  return { exit, ...json };
}

describe("decisions", () => {
  test("answer, then the same again, then another", async () => {
    expect(await json("answer", id, "1")).toMatchObject({ exit: 0, accepted: true, state: "answered" });
    expect(await json("answer", id, "1")).toMatchObject({ exit: 0, accepted: true, repeated: true });
    const other = await json("answer", id, "2");
    expect(other).toMatchObject({ exit: 3, accepted: false, reason: "not-open" });
    expect(other).toHaveProperty("ack", expect.stringContaining("already answered"));
  });

  test("override changes what was not taken", async () => {
    await json("answer", id, "1");
    expect(await json("override", id, "2")).toMatchObject({ exit: 0, accepted: true });
    const { taken } = (await json("take")) as unknown as { taken: unknown[] };
    expect(taken).toMatchObject([{ id, outcome: "overridden", option: "2", via: "cli" }]);
  });

  test("free words, skip and retry keep their own outcomes", async () => {
    const [skipped, retried] = [await desk.ask(), await desk.ask()];
    await json("answer", id, "--text", "neither: keep the cookie");
    await json("skip", skipped);
    await json("retry", retried);
    const { taken } = (await json("take")) as unknown as { taken: unknown[] };
    expect(taken).toMatchObject([
      { id, outcome: "answered", text: "neither: keep the cookie" },
      { id: skipped, outcome: "skipped" },
      { id: retried, outcome: "retried" },
    ]);
  });

  test("steer leaves a note and the question open", async () => {
    expect(await json("steer", id, "look", "at", "middleware.ts")).toMatchObject({ exit: 0, accepted: true });
    expect(await json("steer", "012-fix-auth", "and the tests")).toMatchObject({ exit: 0, accepted: true });
    expect(await json("status", id)).toMatchObject({ state: "pending" });
    const { out } = await desk.run(["events"]);
    expect(out.match(/"steering.noted"/g)).toHaveLength(2);
  });

  test("at night go goes ahead, an option is refused, and a held question names the inbox", async () => {
    const held = await desk.ask({ kind: "blocked", task: "013-rate-limit" });
    desk.file("home/config.yaml", 'zone: Europe/Berlin\nnight: { window: "00:00-24:00" }\n');
    // Quiet hours without an end: it never goes out, so no hour may be named.
    const late = desk.file("late.json", JSON.stringify(aDocument({ kind: "blocked", task: "014-late" })));
    const { err } = await desk.run(["ask", late]);
    expect(err).toContain("Held: quiet hours last until its deadline");
    expect(err).not.toContain("it goes out at");
    for (const verb of ["status", "pending"]) {
      const { out } = await desk.run([verb]);
      expect(out).toMatch(new RegExp(`${id} .*  takes go or skip  `));
      expect(out).toMatch(new RegExp(`${held} .*  held  `));
    }
    const refused = { exit: 3, accepted: false, reason: "needs-confirmation" };
    const option = await json("answer", id, "1");
    expect(option).toMatchObject(refused);
    expect(option).toHaveProperty("ack", expect.stringContaining(`owlpost answer ${id} go`));
    const choice = await json("answer", held, "1");
    expect(choice).toMatchObject(refused);
    expect(choice).toHaveProperty("ack", expect.stringContaining("owlpost inbox"));
    expect(await json("answer", id, "go")).toMatchObject({ exit: 0, accepted: true });
    expect(await json("skip", held)).toMatchObject({ exit: 0, accepted: true });
    const { taken } = (await json("take")) as unknown as { taken: unknown[] };
    expect(taken).toMatchObject([
      { id, outcome: "answered", option: "1" },
      { id: held, outcome: "skipped" },
    ]);
  });

  test("cancel gives its reason", async () => {
    expect(await json("cancel", id, "--why", "the spec was rewritten")).toMatchObject({
      exit: 0,
      accepted: true,
    });
    expect(await json("status", id)).toMatchObject({ state: "cancelled", why: "the spec was rewritten" });
  });

  test("what is refused is exit 3 with its reason", async () => {
    expect(await json("answer", id, "9")).toMatchObject({ exit: 3, accepted: false, reason: "bad-option" });
    expect(await json("skip", "q-none-none-1")).toMatchObject({ exit: 3, reason: "no-such-question" });
    expect(await json("answer", "nonsense", "1")).toMatchObject({ exit: 3, reason: "no-such-question" });
    expect(await json("status", "q-none-none-1")).toMatchObject({ exit: 3, error: "no-such-question" });
    const people = await desk.run(["answer", id, "9"]);
    expect([people.exit, people.out]).toEqual([3, ""]);
    expect(people.err).toContain("bad-option");
  });

  test("an agent decides nothing", async () => {
    const lines = [
      ["answer", id, "1"],
      ["skip", id],
      ["retry", id],
      ["steer", id, "x"],
      ["override", id, "1"],
      ["cancel", id, "--why", "x"],
      ["inbox"],
    ];
    for (const line of lines) {
      const { exit, json } = await desk.run([...line, "--json"], { env: { OWLPOST_AS: "agent" } });
      expect([line[0], exit, json.accepted, json.reason]).toEqual([line[0], 3, false, "not-allowed"]);
    }
    expect(await json("status", id)).toMatchObject({ state: "pending" });
  });
});

describe("taking", () => {
  test("nothing yet is exit 4", async () => {
    expect(await json("take")).toEqual({ exit: 4, taken: [], aborts: [] });
    const people = await desk.run(["take"]);
    expect([people.exit, people.out, people.err]).toEqual([4, "", "Nothing to take.\n"]);
  });

  test("every field of a taken answer", async () => {
    await json("answer", id, "1");
    const { taken } = (await json("take", "--claim", "c1")) as unknown as {
      taken: Record<string, unknown>[];
    };
    expect(taken).toEqual([
      expect.objectContaining({
        id,
        task: "012-fix-auth",
        outcome: "answered",
        option: "1",
        label: "Refresh-token rotation",
        via: "cli",
        at: expect.stringMatching(/Z$/),
        claim: "c1",
        steering_file: join(desk.home, "airlocks", "default", "steering", "012-fix-auth.md"),
      }),
    ]);
    expect(taken[0]).not.toHaveProperty("by");
  });

  test("field 64: the same claim is the same take; confirmed, it is not handed out again", async () => {
    await json("answer", id, "1");
    const first = await json("take", "--claim", "c1");
    expect(await json("take", "--claim", "c1")).toEqual(first);
    expect(await json("take", "--claim", "c2")).toMatchObject({ exit: 4, taken: [] });
    expect(await json("confirm", "c1")).toEqual({ exit: 0, confirmed: [id] });
    expect(await json("confirm", "c9")).toMatchObject({ exit: 3, error: "no-such-claim", confirmed: [] });
    expect(await json("resolve", id, "--result", "done")).toMatchObject({
      exit: 0,
      accepted: true,
      state: "resolved",
    });
    expect(await json("resolve", id, "--result", "failed")).toMatchObject({ exit: 3, accepted: false });
  });

  test("by task, project and run", async () => {
    const other = await desk.ask({ task: "014-import" });
    await json("answer", id, "1");
    await json("answer", other, "1");
    expect(await json("take", "--project", "none")).toMatchObject({ exit: 4 });
    const { taken } = (await json("take", "--task", "014-import.md")) as unknown as { taken: unknown[] };
    expect(taken).toMatchObject([{ id: other }]);
  });

  test("--files writes the answer, confirms it and removes the request", async () => {
    await json("answer", id, "1");
    const airlock = join(desk.home, "airlocks", "default");
    mkdirSync(join(airlock, "take"), { recursive: true, mode: 0o700 });
    writeFileSync(join(airlock, "take", "012-fix-auth"), "");
    expect(await json("take", "--files", "--claim", "c1")).toMatchObject({ exit: 0, taken: [{ id }] });
    const answer = readFileSync(join(airlock, "answers", `${id}.yaml`), "utf8");
    expect(answer).toMatch(/^option: "?1"?$/m);
    expect(existsSync(join(airlock, "take", "012-fix-auth"))).toBe(false);
    expect(await json("status", id)).toMatchObject({
      state: "applied",
      taken: { confirmed_at: expect.any(String) },
    });
  });
});

describe("looking", () => {
  test("status: the service, what is open, what is decided, the channels", async () => {
    const other = await desk.ask();
    await json("answer", other, "2");
    const status = await json("status");
    expect(status).toMatchObject({
      exit: 0,
      service: { running: false },
      zone: expect.any(String),
      open: [{ id, state: "pending", default_action: "skip_spec", deadline: expect.stringMatching(/Z$/) }],
      decided: [
        { id: other, state: "answered", answer: { option: "2", via: "cli", at: expect.any(String) } },
      ],
      counts: { pending: 1, answered: 1 },
      channels: [{ id: "inbox", up: false, rings: false, since: null, last_receive_at: null }],
    });
    const people = await desk.run(["status"]);
    expect(people.out).toContain(`${id}  pending`);
    expect(people.out).toContain("Service: not running");
  });

  test("status of one question holds the whole document and no claim's token", async () => {
    await json("answer", id, "1");
    await json("take", "--claim", "secret-claim");
    const { exit, out } = await desk.run(["status", id, "--json"]);
    expect([exit, JSON.parse(out).question.context]).toEqual([0, expect.stringContaining("session.ts")]);
    expect(out).not.toContain("secret-claim");
    expect((await desk.run(["status", id])).out).toContain("from the command line on");
  });

  test("pending says what may ring: the inbox does not", async () => {
    expect(await json("pending")).toMatchObject({ exit: 0, open: [{ id, may_ring: false }], channels: [] });
    expect((await desk.run(["pending"])).err).toContain("nothing can wake anybody");
  });

  test("nobody can be reached by the inbox alone: exit 4", async () => {
    expect(await json("reach")).toMatchObject({
      exit: 4,
      reachable: false,
      channels: [{ id: "inbox", rings: false }],
    });
  });

  test("no inbox without a service: exit 4", async () => {
    expect(await json("inbox")).toMatchObject({ exit: 4, error: "no-service" });
  });

  test("a notice goes to every channel, an empty one to none", async () => {
    const sent = await desk.run(["notify", "--kind", "stalled", "--json", "-"], { stdin: "5 of 5 done\n" });
    expect([sent.exit, sent.json.channels]).toEqual([0, ["inbox"]]);
    const empty = await desk.run(["notify", "--kind", "stalled", "-"], { stdin: " \n" });
    expect([empty.exit, empty.err]).toEqual([2, expect.stringContaining("is empty")]);
  });

  test("events are JSON lines, from where one left off", async () => {
    await json("answer", id, "1");
    const { out } = await desk.run(["events", "--json"]);
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map((event) => event.kind)).toEqual(["question.asked", "question.answered"]);
    expect(events[0]).toMatchObject({
      seq: 1,
      at: expect.stringMatching(/Z$/),
      question: id,
      task: "012-fix-auth",
    });
    const rest = await desk.run(["events", "--since", "1"]);
    expect(rest.out.trim().split("\n")).toHaveLength(1);
  });

  test("following goes on until the reader has seen enough", async () => {
    const seen: string[] = [];
    const following = desk.run(["events", "--follow"], {
      onOut(text) {
        seen.push(JSON.parse(text).kind);
        if (seen.length === 3) throw Object.assign(new Error("closed"), { code: "EPIPE" });
      },
    });
    await json("answer", id, "1");
    await json("override", id, "2");
    expect((await following).exit).toBe(0);
    expect(seen).toEqual(["question.asked", "question.answered", "question.overridden"]);
  });

  test("a hostile title moves no cursor and hides nothing", async () => {
    await desk.ask({ task: "666", title: "Keep `a.ts`?\u001b[2J\u202e" });
    const { out } = await desk.run(["pending"]);
    expect(out).not.toContain("\u001b");
    expect(out).not.toContain("\u202e");
  });

  test("colours on a terminal only, and never against NO_COLOR", async () => {
    const coloured = await desk.run(["answer", id, "9"], { tty: true });
    expect(coloured.err).toContain("\u001b[31m");
    for (const options of [{ tty: true, env: { NO_COLOR: "1" } }, { tty: false }]) {
      expect((await desk.run(["answer", id, "9"], options)).err).not.toContain("\u001b");
    }
  });
});
