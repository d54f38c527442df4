import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Ack } from "../../src/domain/command.ts";
import type { Copy } from "../../src/domain/question.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { inspectAgents } from "./inspect-agents.ts";
import { inspectAirlocks } from "./inspect-airlocks.ts";
import { inspectBoardScene } from "./inspect-board-scene.ts";
import { inspectGitHub } from "./inspect-github.ts";
import { inspectHistory } from "./inspect-history.ts";
import { inspectHooks } from "./inspect-hooks.ts";
import { inspectLoop } from "./inspect-loop.ts";
import { inspectMail } from "./inspect-mail.ts";
import { inspectNtfy, lostReplies } from "./inspect-ntfy.ts";
import { inspectPeer } from "./inspect-peer.ts";
import { inspectPeople } from "./inspect-people.ts";
import { inspectSlack } from "./inspect-slack.ts";
import { inspectTelegram, lostTaps } from "./inspect-telegram.ts";
import { readLedger } from "./ledger.ts";
import type { Desk, Remains } from "./remains.ts";
import type { Scene } from "./scene.ts";
import type { Found } from "./telegram-posts.ts";

/** Everything that is wrong, in words; empty when every promise was kept. */
export async function inspect(folder: string, scene: Scene, desk: Desk, disturbed: boolean): Promise<Found> {
  const path = `${folder}/home/owlpost.db`;
  const wrong = inspectFile(path);
  const store = await openStore(path);
  try {
    const questions = await store.questions({ limit: 1_000 });
    const counts = await store.counts();
    for (const [state, counted] of Object.entries(counts)) {
      const found = questions.filter((each) => each.state === state).length;
      if (found !== counted) wrong.push(`counts() says ${counted} ${state}, there are ${found}`);
    }
    const copies = new Map<string, readonly Copy[]>();
    for (const { question } of questions) copies.set(question.id, await store.copies(question.id));
    const remains: Remains = {
      folder,
      scene,
      desk,
      disturbed,
      ledger: readLedger(`${folder}/ledger.jsonl`),
      questions,
      events: await store.events(0, 100_000),
      notes: await store.notes(0, 10_000),
      copies,
      inbox: readInbox(path),
    };
    if (await store.service()) wrong.push("the service's place is still held");
    if ((await store.nextJobAt()) !== undefined) wrong.push("a message still waits in the outbox");
    const platform = await inspectPlatform(remains, desk);
    wrong.push(
      ...inspectEndings(remains),
      ...inspectHistory(remains),
      ...inspectLoop(remains),
      ...inspectAgents(remains),
      ...platform.wrong,
      ...inspectAirlocks(remains),
      ...(await inspectPeople(store, scene, remains.events)),
      ...(await inspectBoardScene(path, store, scene, remains.ledger)),
    );
    return { wrong, doubles: platform.doubles };
  } finally {
    await store.close();
  }
}

async function inspectPlatform(remains: Remains, desk: Desk): Promise<Found> {
  if ("mail" in desk) return { wrong: await inspectMail({ ...remains, ...desk }), doubles: [] };
  if ("peer" in desk) return { wrong: inspectPeer({ ...remains, ...desk }), doubles: [] };
  if ("slack" in desk) return { wrong: inspectSlack({ ...remains, ...desk }), doubles: [] };
  if ("github" in desk) return { wrong: inspectGitHub({ ...remains, ...desk }), doubles: [] };
  if ("ntfy" in desk) return { wrong: inspectNtfy({ ...remains, ...desk }), doubles: [] };
  if ("hooks" in desk) return inspectHooks({ ...remains, ...desk });
  return inspectTelegram({ ...remains, ...desk });
}

/** Right after a kill, before anything recovers: what the cursor has left behind is stored. Looks at a copy of the store. */
export function inspectCursor(
  folder: string,
  desk: Extract<Desk, { readonly telegram: unknown } | { readonly ntfy: unknown }>,
): string[] {
  const copy = mkdtempSync(join(folder, "look-"));
  try {
    for (const end of ["", "-wal"]) {
      const file = join(folder, "home", `owlpost.db${end}`);
      if (existsSync(file)) copyFileSync(file, join(copy, `owlpost.db${end}`));
    }
    const path = join(copy, "owlpost.db");
    const cursor = readCursor(path, "ntfy" in desk ? "ntfy" : "telegram");
    if (cursor === undefined) return [];
    const inbox = readInbox(path);
    if ("ntfy" in desk) return lostReplies(desk.ntfy, (id) => inbox.has(`ntfy ${id}`), cursor.split(":")[1]);
    const [bot, next] = cursor.split(":");
    return lostTaps(desk.telegram, (update) => inbox.has(`telegram ${bot}:${update}`), Number(next));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Of that channel, once there is a schema. */
function readCursor(path: string, channel: string): string | undefined {
  const database = new Database(path);
  try {
    const there = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'cursors'").get();
    const row = there && database.prepare("SELECT cursor FROM cursors WHERE channel = ?").get(channel);
    return (row as { cursor: string } | undefined)?.cursor;
  } finally {
    database.close();
  }
}

function inspectFile(path: string): string[] {
  const database = new Database(path);
  try {
    const wrong: string[] = [];
    const integrity = database.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") wrong.push(`integrity_check: ${integrity}`);
    const foreign = database.pragma("foreign_key_check") as unknown[];
    if (foreign.length > 0) wrong.push(`foreign_key_check: ${JSON.stringify(foreign)}`);
    return wrong;
  } finally {
    database.close();
  }
}

function readInbox(path: string): Map<string, Ack> {
  const database = new Database(path, { readonly: true });
  try {
    const rows = database.prepare("SELECT channel, key, ack FROM inbox").all() as {
      channel: string;
      key: string;
      ack: string;
    }[];
    return new Map(rows.map((row) => [`${row.channel} ${row.key}`, JSON.parse(row.ack) as Ack]));
  } finally {
    database.close();
  }
}

/** Every question of the scene is there exactly once, and ended as it had to. */
function inspectEndings({ scene, questions, ledger }: Remains): string[] {
  const wrong: string[] = [];
  for (const [task, ending] of Object.entries(scene.endings)) {
    const found = questions.filter((each) => each.question.task === task);
    const [stored] = found;
    if (stored && ending.state === undefined) continue;
    if (!stored || found.length > 1) {
      wrong.push(`${task} is stored ${found.length} times`);
      continue;
    }
    const { state, outcome, answer, result } = stored;
    for (const [what, is, must] of [
      ["state", state, ending.state],
      ["outcome", outcome, ending.outcome],
      ["option", answer?.option, ending.option],
      ["result", result, ending.result],
    ]) {
      if (is !== must) wrong.push(`${task}: its ${what} is ${is}, not ${must}`);
    }
  }
  const tasks = new Set(Object.keys(scene.endings));
  for (const { question } of questions) {
    if (!tasks.has(question.task)) wrong.push(`${question.id} was never asked`);
  }
  for (const { name, value } of ledger) {
    if (!name.startsWith("ask ") || typeof value !== "object" || value === null || !("digest" in value))
      continue;
    const stored = questions.find((each) => each.question.task === name.slice(4));
    const { id, digest } = value as { id?: string; digest: string };
    if (!stored || stored.question.id !== id || stored.digest !== digest) {
      wrong.push(`${name} was acknowledged as ${id} and is not stored so`);
    }
  }
  return wrong;
}
