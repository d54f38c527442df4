import { describe, expect, it } from "vitest";
import type { BoardRefusal } from "../../src/domain/board.ts";
import type { NewTask, TaskPage, TaskProvider, TaskWritten } from "../../src/domain/provider.ts";
import type { Task } from "../../src/domain/task.ts";
import { passFor, wholeSpec } from "./spec.ts";

export { passFor, wholeSpec } from "./spec.ts";

export type ProviderPeer = {
  readonly provider: TaskProvider;
  /** The same store for somebody about whom nobody knows who they are. */
  readonly nobody: TaskProvider;
  /** The name that new tasks get as their issuer. */
  readonly issuer: string;
  /** Takes a core field away from the store behind the provider's back. */
  breakSchema(): Promise<void>;
};

/** What every board of tasks promises, whatever keeps it. */
export function providerContract(name: string, open: () => Promise<ProviderPeer>): void {
  const must = async (written: Promise<TaskWritten | BoardRefusal>): Promise<Task> => {
    const value = await written;
    if (!value.ok) throw new Error(JSON.stringify(value));
    return value.task;
  };
  const page = async (found: Promise<TaskPage | BoardRefusal>): Promise<TaskPage> => {
    const value = await found;
    if (!("results" in value)) throw new Error(JSON.stringify(value));
    return value;
  };
  const titles = async (found: Promise<TaskPage | BoardRefusal>): Promise<string[]> =>
    (await page(found)).results.map(({ title }) => title);
  const refusedAs = async (written: Promise<TaskWritten | BoardRefusal>): Promise<string | undefined> => {
    const value = await written;
    return value.ok ? undefined : value.reason;
  };

  describe(`the provider contract: ${name}`, () => {
    it("stores and returns the 16 core and 11 extended fields", async () => {
      const { provider, issuer } = await open();
      const parent = await must(provider.createTask({ title: "Parent" }));
      const blocker = await must(provider.createTask({ title: "Blocker" }));
      const given = {
        ...wholeSpec,
        priority: "High",
        blockedBy: [blocker.id],
        requiresReview: true,
        workingDirectory: "/srv/app",
        context: "Background, 日本語.",
        artifacts: "https://example.org/1\nnotes.md",
        repository: "https://example.org/app",
        startDate: "2026-07-01",
        dueDate: "2026-07-09",
        tags: ["web", "login"],
        parentTask: parent.id,
        project: "Website Relaunch",
        team: "web",
        attachments: [{ url: "https://example.org/a.png", name: "a.png" }],
      } as const satisfies NewTask;
      const made = await must(provider.createTask(given));
      expect(made).toMatchObject({ ...given, status: "Backlog", dispatchedAt: null, qualityVerdict: "" });
      expect(made.issuer).toEqual({ id: issuer, name: issuer });
      const later = {
        sessionReference: "waggle-1:0.0",
        agentOutput: "It is done.",
        errorMessage: "None.",
        qualityVerdict: passFor(made),
      };
      await must(provider.updateTask(made.id, later));
      expect(await provider.getTask(made.id)).toMatchObject({ ...given, ...later });
      expect(await provider.getTask("nobody-has-this-one")).toBeUndefined();
    });

    it("takes no issuer from anybody, and makes nothing when it knows none", async () => {
      const { provider, nobody } = await open();
      expect(await refusedAs(nobody.createTask({ title: "Whose?" }))).toBe("unknown-issuer");
      expect((await page(provider.queryTasks())).results).toEqual([]);
      const made = await must(provider.createTask({ title: "Mine", id: "mine" }));
      const changed = await must(nobody.updateTask(made.id, { assignee: [{ id: "m", name: "mara" }] }));
      expect(changed.issuer).toEqual(made.issuer);
    });

    it("takes the same task under the same id once, and another one never", async () => {
      const { provider } = await open();
      const first = await provider.createTask({ ...wholeSpec, id: "login" });
      const again = await provider.createTask({ ...wholeSpec, id: "login" });
      expect(again).toEqual({ ...first, repeated: true });
      expect(await refusedAs(provider.createTask({ title: "Other", id: "login" }))).toBe("id-taken");
      expect(await refusedAs(provider.createTask({ title: "Other", id: "No Id" }))).toBe("field-invalid");
    });

    it("moves a task along the table, with the conditions of each move, and refuses every other move", async () => {
      const { provider } = await open();
      const { id } = await must(provider.createTask(wholeSpec));
      expect(await refusedAs(provider.updateTask(id, { status: "Done" }))).toBe("illegal-move");
      expect(await refusedAs(provider.updateTask(id, { status: "Ready" }))).toBe("not-ready");
      const qualityVerdict = passFor(wholeSpec);
      await must(provider.updateTask(id, { status: "Ready", qualityVerdict }));
      const begun = await must(provider.updateTask(id, { status: "In Progress" }));
      expect(begun.dispatchedAt).not.toBeNull();
      expect(await refusedAs(provider.updateTask(id, { executionPlan: "1. something else" }))).toBe(
        "plan-fixed",
      );
      expect(await refusedAs(provider.updateTask(id, { status: "In Review", agentOutput: "Done." }))).toBe(
        "needs-missing",
      );
      expect(await refusedAs(provider.updateTask(id, { status: "Done" }))).toBe("needs-missing");
      await must(provider.updateTask(id, { status: "Done", agentOutput: "It is done." }));
      expect((await provider.getTask(id))?.status).toBe("Done");
      expect(await provider.updateTask(id, { status: "Done" })).toMatchObject({ ok: true, repeated: true });
    });

    it("lets a verdict count for the very text that was judged", async () => {
      const { provider } = await open();
      const { id } = await must(provider.createTask({ ...wholeSpec, qualityVerdict: passFor(wholeSpec) }));
      await must(provider.updateTask(id, { acceptanceCriteria: "- another one" }));
      expect(await refusedAs(provider.updateTask(id, { status: "Ready" }))).toBe("not-ready");
      const forged = "PASS hash=00000000 @banana v2";
      expect(await refusedAs(provider.updateTask(id, { status: "Ready", qualityVerdict: forged }))).toBe(
        "not-ready",
      );
    });

    it("keeps two levels, no circle, and wedges nothing on what was cancelled", async () => {
      const { provider } = await open();
      const make = (id: string, more: Partial<NewTask> = {}) =>
        provider.createTask({ title: id, id, ...more });
      const parent = await must(make("p"));
      const child = await must(make("c", { parentTask: parent.id }));
      expect(await refusedAs(make("g", { parentTask: child.id }))).toBe("too-deep");
      expect(await refusedAs(provider.updateTask("p", { parentTask: parent.id }))).toBe("own-parent");
      expect(await refusedAs(provider.updateTask("c", { blockedBy: [parent.id] }))).toBe("blocked-by-parent");
      const one = await must(make("one"));
      const two = await must(make("two", { blockedBy: [one.id] }));
      expect(await refusedAs(provider.updateTask("one", { blockedBy: [two.id] }))).toBe(
        "blocked-in-a-circle",
      );
      expect(await refusedAs(provider.updateTask("one", { blockedBy: [one.id] }))).toBe("blocked-by-itself");
      expect(await refusedAs(provider.deleteTask("p"))).toBe("has-children");
      await must(provider.updateTask("one", { status: "Cancelled" }));
      const ready = { ...wholeSpec, title: "two", qualityVerdict: passFor({ ...wholeSpec, title: "two" }) };
      await must(provider.updateTask("two", { ...ready, status: "Ready" }));
      expect(await titles(provider.queryTasks({ filter: { actionable: true } }))).toEqual(["two"]);
    });

    it("filters and sorts; what is not set comes last, and a name is matched whole", async () => {
      const { provider } = await open();
      const make = (title: string, more: Partial<NewTask>) => must(provider.createTask({ title, ...more }));
      await make("a", {
        priority: "Low",
        dueDate: "2026-07-02",
        executor: "cli",
        assignee: [{ id: "al", name: "al" }],
      });
      await make("b", {
        dueDate: "2026-07-01",
        executor: "cowork",
        assignee: [{ id: "alice", name: "Alice" }],
      });
      await make("c", { priority: "Urgent", executor: "human", tags: ["web"] });
      await make("d", { priority: "Urgent", dueDate: "2026-07-03" });
      await must(provider.updateTask((await make("e", { title: "e" })).id, { status: "Cancelled" }));
      expect(await titles(provider.queryTasks())).toEqual(["d", "c", "a", "b", "e"]);
      expect(await titles(provider.queryTasks({ sort: "due" }))).toEqual(["b", "a", "d", "c", "e"]);
      expect(await titles(provider.queryTasks({ sort: "created" }))).toEqual(["a", "b", "c", "d", "e"]);
      const filtered = (filter: object) => titles(provider.queryTasks({ filter }));
      expect(await filtered({ status: ["Cancelled"] })).toEqual(["e"]);
      expect(await filtered({ priority: ["Urgent"] })).toEqual(["d", "c"]);
      expect(await filtered({ priority: [null, "Low"] })).toEqual(["a", "b", "e"]);
      expect(await filtered({ executor: ["cli", "cowork"] })).toEqual(["a", "b"]);
      expect(await filtered({ executor: [null] })).toEqual(["d", "e"]);
      expect(await filtered({ assignee: "al" })).toEqual(["a"]);
      expect(await filtered({ assignee: null })).toEqual(["d", "c", "e"]);
      expect(await filtered({ tag: "web" })).toEqual(["c"]);
      expect(await filtered({ status: [] })).toEqual([]);
    });

    it("gives pages that fit together, and refuses a place that is none", async () => {
      const { provider } = await open();
      for (let at = 0; at < 7; at += 1)
        await must(
          provider.createTask({ title: `t${at}`, ...(at % 2 ? { dueDate: `2026-07-0${at}` } : {}) }),
        );
      for (const sort of ["priority", "due", "created"] as const) {
        const seen: string[] = [];
        let next: string | undefined;
        do {
          const found = await page(provider.queryTasks({ sort, limit: 3, ...(next ? { after: next } : {}) }));
          seen.push(...found.results.map(({ title }) => title));
          next = found.next;
        } while (next);
        expect(seen).toEqual(await titles(provider.queryTasks({ sort })));
      }
      expect(await provider.queryTasks({ after: "nonsense" })).toMatchObject({
        ok: false,
        reason: "field-invalid",
      });
    });

    it("deletes a task and what waited for it waits no more", async () => {
      const { provider } = await open();
      const blocker = await must(provider.createTask({ title: "Blocker" }));
      const made = await must(provider.createTask({ title: "Waits", blockedBy: [blocker.id] }));
      expect(await provider.deleteTask(blocker.id)).toMatchObject({ ok: true, task: { title: "Blocker" } });
      expect(await provider.getTask(blocker.id)).toBeUndefined();
      expect((await provider.getTask(made.id))?.blockedBy).toEqual([]);
      expect(await refusedAs(provider.deleteTask(blocker.id))).toBe("no-such-task");
      expect(await refusedAs(provider.updateTask(blocker.id, { title: "x" }))).toBe("no-such-task");
    });

    it("counts a change only for the revision that it was decided on", async () => {
      const { provider } = await open();
      const { id, revision } = await must(provider.createTask({ title: "One" }));
      const both = await Promise.all([
        provider.updateTask(id, { title: "Two" }, { revision }),
        provider.updateTask(id, { title: "Three" }, { revision }),
      ]);
      expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
      expect(both.find(({ ok }) => !ok)).toMatchObject({ reason: "changed-meanwhile" });
    });

    it("finds a core field that the store cannot hold, and makes it", async () => {
      const { provider, breakSchema } = await open();
      expect(await provider.validateSchema()).toEqual({ ok: true, missing: [] });
      await breakSchema();
      expect(await provider.validateSchema()).toEqual({ ok: false, missing: ["Quality Verdict"] });
      expect(await provider.autoRepairSchema()).toEqual({ ok: true, missing: [] });
      const made = await must(provider.createTask({ ...wholeSpec, qualityVerdict: passFor(wholeSpec) }));
      expect((await provider.getTask(made.id))?.qualityVerdict).toBe(passFor(wholeSpec));
    });
  });
}
