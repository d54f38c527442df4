import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Ack } from "../../src/domain/command.ts";
import type { EventKind } from "../../src/domain/event.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Answer, State, StoredQuestion } from "../../src/domain/question.ts";
import type { Effect, Store } from "../../src/domain/store.ts";
import { openStore, type StoreOptions } from "../../src/store/sqlite.ts";
import { digest, now } from "./rows.ts";

export { aQuestion, aRun, aTask, minute, now } from "./rows.ts";

export function anAnswer(more: Partial<Answer> = {}): Answer {
  return { outcome: "answered", option: "1", by: "eric", via: "telegram", at: now, digest, ...more };
}

/** A path in a temporary folder that goes away with the test. */
export function aPath(name = "owlpost.db"): string {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

export async function aStore(path: string = aPath(), options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

export function logOf(id: QuestionId, kind: EventKind): Effect {
  return { type: "log", event: { kind, question: id, data: {} } };
}

export function sendOf(
  id: QuestionId,
  kind: "post" | "edit",
  channel = "telegram",
  destination = "42",
): Effect {
  return { type: "send", job: { channel, destination, kind, question: id } };
}

export function moveOf(id: QuestionId, from: State, to: State): Extract<Effect, { type: "move-question" }> {
  return { type: "move-question", id, from, to };
}

/** Files the question with its event, and a post to each channel. */
export async function ask(store: Store, row: StoredQuestion, ...channels: string[]): Promise<QuestionId> {
  const { id } = row.question;
  const posts = channels.map((channel) => sendOf(id, "post", channel));
  await store.append([{ type: "insert-question", row }, ...posts, logOf(id, "question.asked")], now);
  return id;
}

export type Press = {
  readonly key: string;
  readonly payload: unknown;
  readonly question: QuestionId;
  readonly option: string;
};

export function aPress(question: QuestionId, key: string, option = "1"): Press {
  return { key, payload: { question, option }, question, option };
}

/** Answers when it is open, and tells the truth when it is not. */
export function press(store: Store, inputs: readonly Press[], cursor?: string): Promise<readonly Ack[]> {
  return store.turn(
    { channel: "telegram", inputs, ...(cursor === undefined ? {} : { cursor }) },
    (input) => ({ questions: [input.question] }),
    (snapshot, input) => {
      const stored = snapshot.questions.get(input.question);
      if (!stored)
        return {
          effects: [],
          value: { accepted: false, reason: "no-such-question", text: "no such question" },
        };
      if (stored.state !== "pending" && stored.state !== "posted") {
        const text = `already answered: option ${stored.answer?.option}`;
        return { effects: [], value: { accepted: false, reason: "not-open", text, state: stored.state } };
      }
      const answer = anAnswer({ option: input.option });
      return {
        effects: [
          { ...moveOf(input.question, stored.state, "answered"), outcome: "answered", answer },
          logOf(input.question, "question.answered"),
          ...(snapshot.copies.get(input.question) ?? []).map((copy) =>
            sendOf(input.question, "edit", copy.channel, copy.destination),
          ),
        ],
        value: { accepted: true, state: "answered", text: `answered: ${input.option}` },
      };
    },
    now,
  );
}
