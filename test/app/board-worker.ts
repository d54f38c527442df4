/**
 * A dispatcher in a process of its own, for the tests of many: `board-worker.ts claim|mix HOME NAME COUNT`. It says `ready`,
 * begins once there is a file `go`, and prints what it was told as one JSON document.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Board } from "../../src/app/board/api.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { TaskId } from "../../src/domain/ids.ts";
import type { TaskStatus } from "../../src/domain/task.ts";
import { aConfig, aDocument } from "../builders.ts";

/** A claim that was given: the task, its revision from then on, and the token. */
export type Won = readonly [id: string, revision: number, token: string];

const [what = "", home = "", name = "", count = "0"] = process.argv.slice(2);
const owlpost = await openOwlpost({ home, config: aConfig() });
const actor = { kind: "person", name } as const;
const board = await owlpost.board({ board: "default", actor, issuer: "eric" });
console.log("ready");
while (!existsSync(join(home, "go"))) await new Promise((next) => setTimeout(next, 2));
const won: Won[] = [];
if (what === "claim") await claimAll(board, Number(count));
else await mix(board, Number(count));
await owlpost.close();
console.log(JSON.stringify(won));

async function claimAll(open: Board, most: number): Promise<void> {
  for (let at = 0; at < most; at += 1) {
    const token = `${name}-${at}`;
    const value = await open.claim({ token });
    if (!value.ok) return;
    won.push([value.task.id, value.task.revision, token]);
  }
}

/** Everything that dispatchers, workers and people do, in an order that the name decides. Refusals are answers, too. */
async function mix(open: Board, most: number): Promise<void> {
  const random = numbersOf(name);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Value>(list: readonly Value[]): Value => list[below(list.length)] as Value;
  const ids = (await open.next({ limit: 50 })).map(({ stored }) => stored.task.id);
  const held: { id: TaskId; token: string }[] = [];
  for (let at = 0; at < most; at += 1) {
    const token = `${name}-${at}`;
    const id = pick(ids);
    const mine = held.length > 0 ? pick(held) : undefined;
    const output = { agentOutput: "It is done.", errorMessage: "It stands still." };
    const moves: readonly TaskStatus[] = ["Backlog", "Ready", "Cancelled", "Blocked", "In Progress"];
    const deeds: readonly (() => Promise<unknown>)[] = [
      () => claim(token),
      () => claim(token),
      () => claim(token, id),
      () => (mine ? open.heartbeat(mine.id, mine.token) : claim(token)),
      () => (mine ? open.release(mine.id, { token: mine.token }) : claim(token)),
      () => open.release(id, { force: true }),
      () => open.updateTask(mine?.id ?? id, { status: "Done", ...output }, mine ? { claim: mine.token } : {}),
      () => open.updateTask(id, { status: pick(moves), ...output }),
      () => open.updateTask(id, { status: "Ready" }),
      () => open.updateTask(id, { blockedBy: below(2) === 0 ? [] : [pick(ids)] }),
      () => open.updateTask(id, { parentTask: below(2) === 0 ? null : pick(ids) }),
      () => ask(mine?.id ?? id, token, mine?.token),
      () => ask(mine?.id ?? id, token, undefined),
      () => open.next({ limit: 5 }),
    ];
    await pick(deeds)();
  }

  async function claim(token: string, id?: TaskId): Promise<void> {
    // Short enough that some are over before their worker comes back to them.
    const value = await open.claim({ token, leaseMs: 15 + below(150), ...(id === undefined ? {} : { id }) });
    if (!value.ok) return;
    won.push([value.task.id, value.task.revision, token]);
    held.push({ id: value.task.id, token });
  }

  async function ask(task: TaskId, key: string, works: string | undefined): Promise<void> {
    const asked = await owlpost.ask({ document: aDocument({ task }), project: "default", key });
    if (!asked.ok || below(4) === 0) return;
    const verb = pick(["choose", "choose", "skip", "retry"] as const);
    await owlpost.decide(
      verb === "choose" ? { verb, question: asked.id, key: "1" } : { verb, question: asked.id },
      "cli",
    );
    if (below(4) === 0) return;
    await owlpost.take({
      question: asked.id,
      claim: `take-${key}`,
      ...(works === undefined ? {} : { works }),
    });
    await owlpost.confirm(`take-${key}`);
  }
}

/** Mulberry32: the same numbers for the same name. */
function numbersOf(text: string): () => number {
  let state = [...text].reduce((sum, each) => Math.imul(sum, 31) + (each.codePointAt(0) ?? 0), 7);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
