import { describe, expect, test } from "vitest";
import { parsePlain } from "../../src/commands/plain-line.ts";
import { verbs } from "../../src/commands/verbs.ts";
import { aDocument } from "../builders.ts";
import { aTaskDesk, env } from "./task-desk.ts";

const desk = aTaskDesk();

describe("the group", () => {
  test("names its verbs, and every one explains itself", async () => {
    const { exit, out } = await desk().run(["task", "--help"]);
    expect(exit).toBe(0);
    const group = (await verbs.task?.load())?.verb;
    const names = Object.keys(group?.verbs ?? {});
    expect(names).toEqual(expect.arrayContaining(["create", "list", "show", "next", "move", "claim"]));
    for (const name of names) {
      expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
      const help = await desk().run(["task", name, "--help"]);
      expect([help.exit, help.err]).toEqual([0, ""]);
      expect(help.out).toContain(`Usage: owlpost task ${name}`);
      expect(help.out.slice(help.out.indexOf("Examples:"))).toContain(`owlpost task ${name}`);
    }
  });

  test("bad usage is exit 2 and says what to write", async () => {
    const lines: readonly (readonly [line: readonly string[], part: string])[] = [
      [[], "name a command"],
      [["nxt"], "unknown command 'nxt'"],
      [["delete", "a"], "that is owlpost task move TASK cancelled"],
      [["done", "a"], "that is owlpost task move TASK done --output TEXT"],
      [["show"], "missing required argument 'task'"],
      [["create"], "a task needs a title"],
      [["move", "a", "somewhere"], "there is no status somewhere; the statuses are backlog, ready"],
      [["list", "--sort", "size"], "--sort is one of priority, due, created"],
      [["list", "--limit", "0"], "--limit is a number"],
      [["list", "--status", "open"], "there is no status open"],
      [["list", "--priority", "p1"], "--priority is one of"],
      [["claim", "a", "--lease", "soon"], "--lease needs a duration"],
      [["claim", "a", "--claim", ""], "--claim needs 1 to 200"],
      [["heartbeat", "a"], "give the claim"],
      [["release", "a"], "give the claim"],
      [["edit", "a"], "say what to change"],
      [["edit", "a", "--set", "x"], "--set needs field=value"],
      [["next", "--project", "../up"], "--project needs a project's name"],
    ];
    for (const [line, part] of lines) {
      const { exit, message } = await desk().task(...line);
      expect([line, exit]).toEqual([line, 2]);
      expect(message).toContain(part);
    }
    const [, , told] = await desk().shown("start", "a");
    expect(told).toContain("That is owlpost task claim TASK\nSee owlpost task --help.\n");
    expect((await desk().shown("show"))[2]).toContain("See owlpost task show --help.");
  });

  test("next, claim and heartbeat are read without commander", async () => {
    const group = (await verbs.task?.load())?.verb;
    for (const [name, words] of [
      ["next", ["--json", "--for", "human"]],
      ["claim", ["--json", "--for", "human", "--lease", "5m"]],
      ["heartbeat", ["a", "--claim", "t"]],
      ["move", ["a", "in", "review", "--output", "x"]],
    ] as const) {
      const verb = (await group?.verbs?.[name]?.load())?.verb ?? expect.fail(name);
      expect(parsePlain(words, verb)).toBeDefined();
    }
  });
});

describe("create, show, list", () => {
  test("every option is a field, and they come back", async () => {
    await desk().task("create", "Parent", "--id", "p");
    await desk().task("create", "Blocker", "--id", "b");
    const made = await desk().task(
      ...[
        "create",
        "Fix",
        "the",
        "refresh",
        "--id",
        "012-fix-auth",
        "--description",
        "d",
        "--acceptance",
        "a",
      ],
      ...["--plan", "1. p", "--context", "c", "--priority", "high", "--executor", "cli", "--dir", "sub"],
      ...[
        "--repository",
        "r",
        "--branch",
        "b",
        "--parent",
        "p",
        "--due",
        "2026-12-01",
        "--start",
        "2026-11-30",
      ],
      ...["--group", "g", "--assignee", "eric", "--assignee", "mara", "--tag", "x", "--tag", "y"],
      ...["--blocked-by", "b", "--review", "--set", "team=owls", "--set", "artifacts=/a"],
    );
    expect(made).toMatchObject({
      exit: 0,
      task: {
        id: "012-fix-auth",
        title: "Fix the refresh",
        description: "d",
        acceptanceCriteria: "a",
        executionPlan: "1. p",
        context: "c",
        priority: "High",
        executor: "cli",
        workingDirectory: `${desk().folder}/sub`,
        repository: "r",
        branch: "b",
        parentTask: "p",
        dueDate: "2026-12-01",
        startDate: "2026-11-30",
        project: "g",
        assignee: [{ id: "eric" }, { id: "mara" }],
        tags: ["x", "y"],
        blockedBy: ["b"],
        requiresReview: true,
        team: "owls",
        artifacts: "/a",
        issuer: { id: "eric" },
        status: "Backlog",
      },
    });
    expect(await desk().task("show", "012-fix-auth")).toMatchObject({
      exit: 0,
      task: made.task,
      claim: null,
      open_blockers: 1,
      parked_for: [],
      unconfirmed: [],
    });
  });

  test("a document from a file or standard input; options win; the same again is made once", async () => {
    const file = desk().file(
      "task.yaml",
      "id: 013-import\ntitle: From a file\nacceptance_criteria: |\n  - it works\n",
    );
    const made = await desk().task("create", "--file", file, "--title", "From the options");
    expect(made).toMatchObject({
      task: { id: "013-import", title: "From the options", acceptanceCriteria: "- it works\n" },
    });
    const again = await desk().task("create", "--file", file, "--title", "From the options");
    expect(again).toMatchObject({ exit: 0, repeated: true });
    expect(await desk().task("create", "Another", "--id", "013-import")).toMatchObject({
      exit: 3,
      error: "id-taken",
    });
  });

  test("what does not fit is refused whole, each thing by its name", async () => {
    const file = desk().file(
      "t.json",
      JSON.stringify({ title: "x", prioritty: "High", issuer: "mara", due_date: "soon" }),
    );
    const { exit, error, message } = await desk().task("create", "--file", file);
    expect([exit, error]).toEqual([2, "field-invalid"]);
    expect(message).toContain("there is no field prioritty: did you mean priority?");
    expect(message).toContain("issuer is written by owlpost itself");
    expect(message).toContain("due_date must be a date");
    expect(message).not.toContain("the fields are");
    const far = await desk().task("create", "x", "--set", "zzzzzzzz=1");
    expect(far.message).toMatch(/^there is no field zzzzzzzz; the fields are .*title.*workingDirectory/);
    expect(await desk().task("create", "--file", desk().file("l.json", "[1]"))).toMatchObject({ exit: 2 });
    expect(await desk().task("create", "--file", desk().file("e.yaml", ""))).toMatchObject({
      message: expect.stringContaining("write a task as YAML or JSON"),
    });
    expect(await desk().task("list", "--all")).toMatchObject({ results: [] });
  });

  test("nobody known makes nothing", async () => {
    const { exit, json } = await desk().run(["task", "create", "x", "--json"]);
    expect([exit, json.error]).toEqual([2, "unknown-issuer"]);
  });

  test("the list: its order, its filters, its pages, its table", async () => {
    for (const [id, priority] of [
      ["a", "low"],
      ["b", "urgent"],
      ["c", "high"],
    ] as const)
      await desk().task("create", `Task ${id}`, "--id", id, "--priority", priority, "--tag", id);
    await desk().task("create", "Nobody's", "--id", "d", "--assignee", "mara");
    await desk().task("move", "d", "cancelled");
    const ids = async (...line: string[]) => {
      const { results } = await desk().task("list", ...line);
      return (results as { id: string }[]).map(({ id }) => id);
    };
    expect(await ids()).toEqual(["b", "c", "a"]);
    expect(await ids("--all", "--sort", "created")).toEqual(["a", "b", "c", "d"]);
    expect(await ids("--status", "cancelled")).toEqual(["d"]);
    expect(await ids("--priority", "high", "--priority", "low")).toEqual(["c", "a"]);
    expect(await ids("--tag", "c")).toEqual(["c"]);
    expect(await ids("--all", "--assignee", "mara")).toEqual(["d"]);
    expect(await ids("--executor", "none", "--assignee", "none")).toEqual(["b", "c", "a"]);
    const page = await desk().task("list", "--limit", "2");
    expect(await ids("--after", String(page.next))).toEqual(["a"]);
    expect(await desk().task("list", "--after", "nonsense")).toMatchObject({
      exit: 2,
      error: "field-invalid",
    });
    expect(await desk().shown("list")).toEqual([
      0,
      [
        "ID  STATUS   PRIORITY  TITLE",
        "b   Backlog  Urgent    Task b",
        "c   Backlog  High      Task c",
        "a   Backlog  Low       Task a",
        "",
      ].join("\n"),
      "",
    ]);
  });

  test("hostile titles are shown on one line and obeyed nowhere", async () => {
    await desk().task("create", "--title", "evil \u202e\u001b[2J", "--id", "e");
    const [, out] = await desk().shown("list");
    expect(out).toContain("evil ⟨U+202E⟩⟨U+001B⟩[2J");
    const [, whole] = await desk().shown("show", "e");
    expect(whole).not.toContain("\u001b");
  });

  test("a very long title is cut in the table and nowhere else; an empty list says what there is", async () => {
    const said = async (...line: string[]) => (await desk().shown("list", ...line))[2];
    expect(await said("--all")).toContain("The board default is empty.");
    await desk().task("create", "x".repeat(4_000), "--id", "long");
    const [, out] = await desk().shown("list");
    expect(out.split("\n").map((line) => line.length < 160)).not.toContain(false);
    expect((await desk().task("list")).results).toMatchObject([{ title: "x".repeat(4_000) }]);
    await desk().task("move", "long", "cancelled");
    expect(await said()).toMatch(/^No open task on the board default\. .+--all shows finished ones/);
    expect(await said("--status", "ready")).toMatch(/^No such task on the board default\./);
    expect(await said("--tag", "web")).toBe(
      "No such task on the board default; finished ones are shown with --all.\n",
    );
  });

  test("what is recommended is told where a task is shown, and holds nothing up", async () => {
    await desk().ready("a", { assignee: ["eric", "mara"] });
    const { advice } = await desk().task("show", "a");
    expect(advice).toMatchObject([
      { field: "Assignee", rule: "single_assignee" },
      { field: "Priority", rule: "recommended" },
    ]);
    const [, out] = await desk().shown("show", "a");
    expect(out).toContain("Recommended:\n  Assignee: Name one person only.\n  Priority: It has no priority");
    expect(await desk().task("claim", "a")).toMatchObject({ exit: 0 });
  });

  test("boards are kept apart by their project", async () => {
    await desk().task("create", "Here", "--id", "a");
    await desk().task("create", "There", "--id", "a", "--project", "shop");
    expect(await desk().task("show", "a", "--project", "shop")).toMatchObject({ task: { title: "There" } });
    expect(await desk().task("show", "b")).toMatchObject({ exit: 3, error: "no-such-task" });
  });
});

describe("from Ready to Done", () => {
  test("next, claim, heartbeat, done", async () => {
    expect(await desk().task("next")).toMatchObject({ exit: 4, error: "nothing-ready" });
    await desk().ready("a");
    await desk().ready("b", { priority: "Urgent" });
    expect(await desk().task("next")).toMatchObject({ exit: 0, task: { id: "b", status: "Ready" } });
    const claimed = await desk().task("claim", "--claim", "t1", "--by", "owl", "--lease", "5m");
    expect(claimed).toMatchObject({
      exit: 0,
      task: { id: "b", status: "In Progress" },
      claim: { token: "t1", by: "owl", lease_ms: 300_000 },
    });
    expect(await desk().task("claim", "--claim", "t1")).toMatchObject({
      exit: 0,
      repeated: true,
      task: { id: "b" },
    });
    expect(await desk().task("claim", "b")).toMatchObject({ exit: 3, error: "claimed" });
    expect(await desk().task("next")).toMatchObject({ task: { id: "a" } });
    const beat = await desk().task("heartbeat", "b", "--claim", "t1");
    expect(beat).toMatchObject({ exit: 0, id: "b", claim: { by: "owl" } });
    expect(beat.claim).not.toHaveProperty("token");
    expect(await desk().task("heartbeat", "b", "--claim", "other")).toMatchObject({
      exit: 3,
      error: "claim-lost",
    });
    expect(await desk().task("move", "b", "done", "--output", "x")).toMatchObject({
      exit: 3,
      error: "claimed",
    });
    expect(await desk().task("move", "b", "done", "--claim", "t1")).toMatchObject({
      exit: 3,
      error: "needs-missing",
      findings: [expect.objectContaining({ field: "Agent Output" })],
    });
    const done = await desk().task("move", "b", "done", "--claim", "t1", "--output", "It is in.");
    expect(done).toMatchObject({ exit: 0, task: { status: "Done", agentOutput: "It is in." } });
    expect(await desk().task("move", "b", "done")).toMatchObject({ exit: 0, repeated: true });
  });

  test("the claim of the environment counts for the work, and for nothing else", async () => {
    await desk().ready("a");
    await desk().ready("b");
    await desk().task("claim", "a", "--claim", "t1");
    const within = async (...line: string[]) => {
      const ran = await desk().run(["task", ...line, "--json"], {
        env: { ...env, OWLPOST_TASK_CLAIM: "t1" },
      });
      return { exit: ran.exit, ...ran.json };
    };
    expect(await within("edit", "b", "--priority", "high")).toMatchObject({ exit: 0 });
    expect(await within("move", "b", "backlog")).toMatchObject({ exit: 0 });
    expect(await within("heartbeat", "a")).toMatchObject({ exit: 0 });
    expect(await within("edit", "a", "--output", "so far")).toMatchObject({ exit: 0 });
    expect(await within("move", "a", "blocked", "--why", "no database")).toMatchObject({
      exit: 0,
      task: { status: "Blocked", errorMessage: "no database" },
    });
    expect(await desk().task("move", "a", "in-progress")).toMatchObject({ exit: 3, error: "needs-missing" });
    expect(await within("move", "a", "In", "Progress")).toMatchObject({ exit: 0 });
    expect(await within("release", "a")).toMatchObject({ exit: 0, status: "Ready" });
    expect(await within("edit", "a", "--output", "late")).toMatchObject({ exit: 3, error: "claim-lost" });
  });

  test("a release by force, which is a person's", async () => {
    await desk().ready("a");
    await desk().task("claim", "a");
    expect(await desk().agent("release", "a", "--force")).toMatchObject({ exit: 3, error: "not-allowed" });
    expect(await desk().task("release", "a", "--force")).toMatchObject({ exit: 0, id: "a", status: "Ready" });
  });

  test("what cannot be begun here is passed over, and next --all says why", async () => {
    await desk().ready("far", {
      executor: "claude-code",
      workingDirectory: "/nowhere/at/all",
      priority: "Urgent",
    });
    expect(await desk().task("next")).toMatchObject({
      exit: 4,
      message: expect.stringContaining("no folder"),
    });
    await desk().ready("near");
    expect(await desk().task("next")).toMatchObject({ exit: 0, task: { id: "near" } });
    expect(await desk().task("next", "--for", "claude-code")).toMatchObject({ exit: 4 });
    const { results } = await desk().task("next", "--all");
    expect(results).toMatchObject([
      { task: { id: "far" }, findings: [{ rule: "not_a_directory" }] },
      { task: { id: "near" }, findings: [] },
    ]);
    const [, out] = await desk().shown("next", "--all");
    expect(out).toMatch(/^far .* no .*is no folder on this machine/m);
    expect(await desk().task("claim")).toMatchObject({ task: { id: "near" }, passed_over: [{ id: "far" }] });
  });

  test("next and claim are of one mind about what can be begun", async () => {
    await desk().ready("a", { executor: null });
    expect(await desk().task("next")).toMatchObject({
      exit: 4,
      message: expect.stringContaining(
        "The first is a: Executor: Say who or what carries it out (--executor).",
      ),
    });
    expect(await desk().task("next", "--all")).toMatchObject({
      exit: 4,
      results: [{ findings: [{ field: "Executor" }] }],
    });
    expect(await desk().task("claim")).toMatchObject({ exit: 4 });
    expect(await desk().task("claim", "--executor", "human")).toMatchObject({ exit: 0 });
  });

  test("an agent takes no task away from whoever works on it, whatever it calls that", async () => {
    await desk().ready("a");
    await desk().task("claim", "a", "--claim", "t", "--by", "owl");
    for (const status of ["backlog", "cancelled"])
      expect(await desk().agent("move", "a", status)).toMatchObject({
        exit: 3,
        error: "not-allowed",
        message: expect.stringContaining("away from owl"),
      });
    expect(await desk().agent("move", "a", "backlog", "--claim", "t")).toMatchObject({ exit: 0 });
    expect(await desk().agent("move", "a", "cancelled")).toMatchObject({ exit: 0 });
  });

  test("an agent does not go on without the answer that its task waits for", async () => {
    await desk().ready("a");
    await desk().task("claim", "a", "--claim", "t");
    const document = JSON.stringify(aDocument({ task: "a", default: { action: "skip_spec", at: "8h" } }));
    expect((await desk().run(["ask", "-", "--json"], { env, stdin: document })).exit).toBe(0);
    for (const status of ["in-progress", "ready", "backlog", "cancelled"])
      expect(await desk().agent("move", "a", status, "--claim", "t")).toMatchObject({
        exit: 3,
        error: "not-allowed",
        message: expect.stringContaining("owlpost take --task a"),
      });
    expect(await desk().task("move", "a", "in-progress", "--claim", "t")).toMatchObject({ exit: 0 });
  });

  test("a review of the work: approved, or with changes", async () => {
    await desk().ready("a", { requiresReview: true });
    await desk().task("claim", "a", "--claim", "t");
    expect(await desk().task("move", "a", "in review", "--claim", "t", "--output", "x")).toMatchObject({
      exit: 0,
    });
    expect(await desk().task("move", "a", "done")).toMatchObject({
      exit: 3,
      message: expect.stringContaining("--approve"),
    });
    expect(await desk().agent("move", "a", "done", "--approve")).toMatchObject({
      exit: 3,
      error: "not-allowed",
    });
    expect(await desk().task("move", "a", "in-progress", "--changes")).toMatchObject({ exit: 0 });
    await desk().task("claim", "a", "--claim", "u");
    await desk().task("move", "a", "in-review", "--claim", "u");
    expect(await desk().task("move", "a", "done", "--approve")).toMatchObject({ exit: 0 });
  });

  test("a question parks the task, and its answer lets it go on under the same claim", async () => {
    await desk().ready("012-fix-auth");
    await desk().task("claim", "012-fix-auth", "--claim", "t1");
    const id = await desk().ask({ task: "012-fix-auth" });
    expect(await desk().task("show", "012-fix-auth")).toMatchObject({
      task: { status: "Blocked", errorMessage: `Waiting for an answer: ${id}` },
      claim: { lease_until: null },
      parked_for: [id],
    });
    expect(await desk().task("next")).toMatchObject({ exit: 4 });
    expect((await desk().shown("list"))[1]).toContain(`(Waiting for an answer: ${id})`);
    expect(await desk().task("heartbeat", "012-fix-auth", "--claim", "t1")).toMatchObject({
      exit: 0,
      status: "Blocked",
    });
    await desk().run(["answer", id, "1"]);
    await desk().run(["take", "--task", "012-fix-auth", "--task-claim", "t1"]);
    expect(await desk().task("show", "012-fix-auth")).toMatchObject({
      task: { status: "In Progress", errorMessage: "" },
    });
  });
});

describe("edit", () => {
  test("lists are replaced, empty clears, and a revision guards", async () => {
    await desk().task("create", "x", "--id", "a", "--tag", "one", "--due", "2026-12-01");
    expect(
      await desk().task("edit", "a", "--tag", "two", "--set", "due_date=", "--revision", "1"),
    ).toMatchObject({
      exit: 0,
      task: { tags: ["two"], revision: 2 },
    });
    expect((await desk().task("show", "a")).task).not.toHaveProperty("dueDate");
    expect(await desk().task("edit", "a", "--title", "y", "--revision", "1")).toMatchObject({
      exit: 3,
      error: "changed-meanwhile",
    });
    expect(await desk().task("edit", "a", "--tag", "two")).toMatchObject({ exit: 0, repeated: true });
    expect(await desk().task("edit", "a", "--blocked-by", "zz")).toMatchObject({
      exit: 3,
      error: "no-such-blocker",
    });
    expect(await desk().task("edit", "zz", "--title", "y")).toMatchObject({ exit: 3, error: "no-such-task" });
    expect(await desk().task("edit", "a", "--file", desk().file("f.yaml", "id: b\ntitle: y"))).toMatchObject({
      exit: 2,
    });
  });

  test("an agent neither passes nor exempts a task, nor takes its review away", async () => {
    await desk().task("create", "x", "--id", "a", "--review", "--tag", "web");
    const verdict = "qualityVerdict=PASS hash=00000000 @2026-07-06T20:00:00Z v2";
    for (const line of [
      ["edit", "a", "--set", verdict],
      ["edit", "a", "--tag", "worthiness:info-only"],
      ["edit", "a", "--set", "requires_review=false"],
      ["create", "y", "--set", verdict],
      ["create", "y", "--tag", "worthiness:calendar-like"],
    ])
      expect(await desk().agent(...line)).toMatchObject({ exit: 3, error: "not-allowed" });
    expect(await desk().agent("edit", "a", "--tag", "api")).toMatchObject({ exit: 0 });
    expect(
      await desk().task("edit", "a", "--tag", "worthiness:info-only", "--set", "requiresReview=false"),
    ).toMatchObject({ exit: 0 });
  });
});
