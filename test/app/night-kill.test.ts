import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openNights } from "../../src/app/nights.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { decideSweep } from "../../src/core/sweep.ts";
import type { Job, Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, evening, hour, minute, someRules } from "../builders.ts";
import { afterwards, aQuickHome } from "../homes.ts";

const config = aConfig({
  night: someRules("23:30-08:00"),
  deliver: ["telegram"],
  channels: { inbox: { port: 0 }, telegram: { chat: 42 } },
});

class Killed extends Error {}

/** The process dies at its `fatal`-th write: before it is on disk, or right after. */
function dying(store: Store, fatal: number, after: boolean): Store {
  let writes = 0;
  return {
    ...store,
    async changeNight(gather, decide, now) {
      writes += 1;
      if (writes === fatal && !after) throw new Killed();
      const value = await store.changeNight(gather, decide, now);
      if (writes === fatal) throw new Killed();
      return value;
    },
  };
}

/** What waits in the outbox goes out, and is recorded as the sender does it. */
async function send(store: Store, now: number, sent: string[]): Promise<void> {
  for (;;) {
    const [job] = await store.nextJobs(now, 1);
    if (!job) return;
    sent.push(said(job));
    const ref = `${sent.length}`;
    const stored = job.question && (await store.question(job.question));
    const copy = stored
      ? { ref: job.kind === "post" ? ref : "edited", revision: stored.revision }
      : undefined;
    await store.sent(job, job.kind === "post" ? copy : undefined, () => [], now);
  }
}

function said({ kind, question, notice }: Job): string {
  return [kind, question, notice?.text].filter((part) => part !== undefined).join(" ");
}

/** An evening with 120 questions, a night, and a morning; killed where it is told, and begun again. */
async function aNight(fatal: number, after: boolean) {
  const store = await openStore(join(aQuickHome(), "owlpost.db"));
  afterwards(() => store.close());
  const owlpost = await openOwlpost({ home: "unused", config, store, now: () => at });
  const sent: string[] = [];
  let at = evening;
  let kills = 0;
  const tapped = dying(store, fatal, after);

  async function change(): Promise<void> {
    for (const each of [tapped, store]) {
      await store.sweep(at, 1_000, (snapshot) => decideSweep(snapshot, at));
      try {
        return await openNights({ store: each, config, onCommit: () => undefined }).run(at);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        kills += 1;
      }
    }
  }

  async function ask(name: string, more: Record<string, unknown>): Promise<void> {
    const outcome = await owlpost.ask({
      document: aDocument({ task: name, title: `What about ${name}?`, ...more }),
    });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  }

  await change();
  for (let index = 0; index < 60; index += 1) {
    await ask(`evening-${index}`, {
      default: { action: "skip_spec", at: index % 2 === 0 ? "06:00" : "11h" },
    });
  }
  await send(store, at, sent);
  at += 30 * minute;
  await change();
  at += hour;
  for (let index = 0; index < 60; index += 1) {
    await ask(`night-${index}`, {
      kind: "blocked",
      default: { action: "skip_spec", at: index % 2 === 0 ? "06:00" : "11h" },
    });
  }
  await send(store, at, sent);
  at = evening + 9 * hour;
  await change();
  await send(store, at, sent);
  const events = await store.events(0, 10_000);
  const questions = await store.questions({ limit: 1_000 });
  return {
    kills,
    sent: sent.toSorted(),
    states: questions.map(({ question, state, heldUntilAt }) => [question.id, state, heldUntilAt ?? null]),
    kinds: Object.fromEntries(
      ["night.began", "night.ended", "question.held", "question.released", "notice.queued"].map((kind) => [
        kind,
        events.filter((event) => event.kind === kind).length,
      ]),
    ),
  };
}

describe("a service that is killed while night falls or day breaks", () => {
  test("leaves nothing undone and does nothing twice, at whichever write it dies", async () => {
    const { kills, ...whole } = await aNight(0, false);
    expect(kills).toBe(0);
    expect(whole.kinds).toEqual({
      "night.began": 1,
      "night.ended": 1,
      "question.held": 60,
      "question.released": 30,
      "notice.queued": 1,
    });
    const count = (start: string) => whole.sent.filter((each) => each.startsWith(start)).length;
    // 60 of the evening; in the morning 30 that were held, and 60 that ran out at night and are asked again.
    expect([count("post"), count("notice")]).toEqual([60 + 30 + 60, 1]);
    let died = 0;
    for (const after of [false, true]) {
      for (let fatal = 1; fatal <= 12; fatal += 1) {
        const { kills: killed, ...night } = await aNight(fatal, after);
        died += killed;
        expect(night, `killed ${after ? "after" : "before"} write ${fatal}`).toEqual(whole);
      }
    }
    expect(died).toBeGreaterThan(12);
  }, 120_000);
});
