import { expect, test } from "vitest";
import type { InboxState } from "../../src/app/inbox-state.ts";
import { taskLimit } from "../../src/app/inbox-tasks.ts";
import { aDocument } from "../builders.ts";
import { passFor, wholeSpec } from "../contract/provider.ts";
import { aService } from "../homes.ts";

const eric = { kind: "person", name: "eric" } as const;

async function aPage() {
  const service = await aService();
  const shop = await service.owlpost.board({ board: "shop", actor: eric, issuer: "eric" });
  return { service, shop };
}

async function ready(board: Awaited<ReturnType<typeof aPage>>["shop"], id: string): Promise<void> {
  const made = await board.createTask({
    ...wholeSpec,
    id,
    status: "Ready",
    qualityVerdict: passFor(wholeSpec),
  });
  if (!made.ok) throw new Error(made.message);
}

async function boardsOf({ service }: Awaited<ReturnType<typeof aPage>>): Promise<InboxState["boards"]> {
  const link = new URL((await service.owlpost.inboxLink()) ?? "");
  const token = link.hash.slice("#token=".length);
  const post = { method: "POST", headers: { "content-type": "application/json", origin: link.origin } };
  const signedIn = await fetch(`${link.origin}/api/session`, { ...post, body: JSON.stringify({ token }) });
  const { session } = (await signedIn.json()) as { session: string };
  const state = await fetch(`${link.origin}/api/state`, { headers: { authorization: `Bearer ${session}` } });
  return ((await state.json()) as InboxState).boards;
}

test("what is not finished, board by board; what somebody should look at stands first", async () => {
  const page = await aPage();
  expect(await boardsOf(page)).toEqual([]);
  await page.shop.createTask({ title: "Later", id: "later", priority: "Low", dueDate: "2026-12-01" });
  await page.shop.createTask({ title: "Never", id: "never" });
  await page.shop.updateTask("never", { status: "Cancelled" });
  await ready(page.shop, "held");
  await ready(page.shop, "parked");
  await page.shop.claim({ id: "held", by: "owl" });
  await page.shop.claim({ id: "parked", by: "owl" });
  const asked = await page.service.owlpost.ask({
    document: aDocument({ task: "parked", project: "shop", default: { action: "skip_spec", at: "8h" } }),
  });
  const question = asked.ok ? asked.id : expect.fail(JSON.stringify(asked));
  expect(await boardsOf(page)).toMatchObject([
    {
      board: "shop",
      more: false,
      tasks: [
        { id: "parked", status: "Blocked", why: `Waiting for an answer: ${question}`, question },
        { id: "held", status: "In Progress", held: { by: "owl" }, executor: "human" },
        { id: "later", status: "Backlog", priority: "Low", due: "2026-12-01", blockers: 0 },
      ],
    },
  ]);
});

test("of a very long title and reason the beginning is enough", async () => {
  const page = await aPage();
  await page.shop.createTask({ title: "t".repeat(100_000), id: "long" });
  await page.shop.updateTask("long", { status: "Blocked", errorMessage: "w".repeat(100_000) });
  const [task] = (await boardsOf(page))[0]?.tasks ?? [];
  expect([task?.title.length, task?.why?.length]).toEqual([200, 200]);
});

test(`at most ${taskLimit} of a board, and it says that there are more`, async () => {
  const page = await aPage();
  const titles = Array.from({ length: taskLimit + 1 }, (_, n) => ({ title: `Task ${n}`, id: `t-${n}` }));
  await Promise.all(titles.map((each) => page.shop.createTask(each)));
  const [board] = await boardsOf(page);
  expect([board?.tasks.length, board?.more]).toEqual([taskLimit, true]);
});
