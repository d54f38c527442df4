import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { Owlpost, Taken } from "../../src/app/api.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { AnswerChannel } from "../../src/domain/channel.ts";
import type { Claim, QuestionId } from "../../src/domain/ids.ts";
import { aConfig, aDocument, minute } from "../builders.ts";
import { aClock, afterwards, aHome, aService, until } from "../homes.ts";
import { peerChannel } from "../peer/peer-channel.ts";
import { startPeer } from "../peer/peer-server.ts";
import { cli, owlpost } from "./process.ts";

async function anOwlpost(home: string, now?: () => number): Promise<Owlpost> {
  const opened = await openOwlpost({ home, config: aConfig(), ...(now ? { now } : {}) });
  afterwards(() => opened.close());
  return opened;
}

async function ask(handle: Owlpost, task: string, key?: string): Promise<QuestionId> {
  const asked = await handle.ask({
    document: question(task),
    project: "default",
    ...(key === undefined ? {} : { key }),
  });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  return asked.id;
}

function question(task: string): Record<string, unknown> {
  return aDocument({ task, title: `What about ${task}?`, default: { action: "skip_spec", at: "8h" } });
}

describe("many at once", () => {
  test("field 63: of 50 parallel answers one wins, and 49 are told who did", async () => {
    const home = aHome();
    const handles = await Promise.all([1, 2, 3, 4].map(() => anOwlpost(home)));
    const [handle] = handles;
    if (!handle) throw new Error("no handle");
    const id = await ask(handle, "race");

    const fromHandles = Array.from({ length: 40 }, async (_, n) => {
      const owner = handles[n % handles.length] ?? handle;
      const surface = n % 2 === 0 ? "cli" : "inbox";
      const ack =
        n % 4 === 3
          ? await owner.decide({ verb: "answer", question: id, text: `in words, ${n}` }, surface)
          : await owner.decide({ verb: "choose", question: id, key: String(1 + (n % 2)) }, surface);
      return { accepted: ack.accepted, repeated: ack.accepted && ack.repeated === true, text: ack.text };
    });
    const fromProcesses = Array.from({ length: 10 }, async (_, n) => {
      const { stdout } = await owlpost(home, ["answer", id, String(1 + (n % 2))]);
      const said = JSON.parse(stdout) as { accepted: boolean; ack: string; repeated?: boolean };
      return { accepted: said.accepted, repeated: said.repeated === true, text: said.ack };
    });
    const acks = await Promise.all([...fromHandles, ...fromProcesses]);

    expect(acks).toHaveLength(50);
    expect(acks.filter((ack) => ack.accepted && !ack.repeated)).toHaveLength(1);
    const stored = await handle.question(id);
    const answer = stored?.answer;
    const choice =
      answer?.option === undefined ? `in words: “${answer?.text}”` : `option ${answer.option} — `;
    const losers = acks.filter((ack) => !ack.accepted || ack.repeated);
    expect(losers).toHaveLength(49);
    for (const loser of losers) expect(loser.text).toContain(choice);
    const events = await handle.events(0, 1_000);
    expect(events.filter((event) => event.kind === "question.answered")).toHaveLength(1);
  }, 60_000);

  test("R2: 20 parallel askers in processes of their own each get exactly their own answer", async () => {
    const service = await aService({ now: Date.now });
    const handle = await anOwlpost(service.home);
    const tasks = Array.from({ length: 20 }, (_, n) => `asker-${n + 1}`);
    const askers = tasks.map(async (task) => {
      const args = ["ask", "-", "--wait", "50s"];
      const { code, stdout, stderr } = await owlpost(service.home, args, JSON.stringify(question(task)));
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout) as { id: string; task: string; taken: Taken[] };
    });
    const answering = Promise.all(
      tasks.map(async (task) => {
        const id = `q-a3f2-${task}-1`;
        const end = Date.now() + 40_000;
        while (!(await handle.question(id))) {
          if (Date.now() > end) throw new Error(`${task} never asked`);
          await new Promise((next) => setTimeout(next, 20));
        }
        const ack = await handle.decide({ verb: "answer", question: id, text: `for ${task} alone` }, "inbox");
        expect(ack.accepted).toBe(true);
      }),
    );
    const [replies] = await Promise.all([Promise.all(askers), answering]);

    expect(replies.map(({ task, taken }) => [task, taken.map((each) => [each.task, each.text])])).toEqual(
      tasks.map((task) => [task, [[task, `for ${task} alone`]]]),
    );
    const events = await handle.events(0, 10_000);
    for (const kind of ["question.answered", "question.applied", "question.confirmed"]) {
      expect(events.filter((event) => event.kind === kind)).toHaveLength(20);
    }
  }, 60_000);

  test("field 79: 50 processes ask beside the service: 50 rows, and the file is whole", async () => {
    const { home, store } = await aService({ now: Date.now });
    const asked = await Promise.all(
      Array.from({ length: 50 }, (_, n) => owlpost(home, ["ask", "-"], JSON.stringify(question(`t-${n}`)))),
    );

    expect(asked.map(({ code, stderr }) => (code === 0 ? "" : stderr)).filter((text) => text !== "")).toEqual(
      [],
    );
    const ids = asked.map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id);
    expect(new Set(ids).size).toBe(50);
    const rows = await store.questions({ limit: 1_000 });
    expect(rows.map((row) => row.question.id).sort()).toEqual([...ids].sort());
    const database = new Database(join(home, "owlpost.db"), { readonly: true });
    afterwards(() => {
      database.close();
    });
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    // The service has noticed every one of them: each got its copy in the inbox.
    await until(
      () => store.counts(),
      (counts) => counts.posted === 50,
    );
  }, 60_000);

  test("field 79: 50 processes ask without any service, at once, in a home that is new", async () => {
    const home = aHome();
    const asked = await Promise.all(
      Array.from({ length: 50 }, (_, n) => owlpost(home, ["ask", "-"], JSON.stringify(question(`t-${n}`)))),
    );
    expect(asked.map(({ code, stderr }) => (code === 0 ? "" : stderr)).filter((text) => text !== "")).toEqual(
      [],
    );
    const handle = await anOwlpost(home);
    const { counts } = await handle.status();
    expect(counts.pending).toBe(50);
  }, 60_000);

  test("the same ask from 20 processes under one key is one question", async () => {
    const { home, store } = await aService({ now: Date.now });
    const asked = await Promise.all(
      Array.from({ length: 20 }, () =>
        owlpost(home, ["ask", "-", "--key", "k"], JSON.stringify(question("one"))),
      ),
    );
    expect(new Set(asked.map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id)).size).toBe(1);
    expect(await store.questions({ limit: 10 })).toHaveLength(1);
  }, 60_000);
});

describe("the service dies while others ask", () => {
  test("20 processes hand their asks to a service that is killed: each is stored once", async () => {
    const home = aHome();
    writeFileSync(join(home, "config.yaml"), "channels:\n  inbox: { port: 0 }\n");
    const serve = spawn(process.execPath, [cli, "serve", "--home", home], { stdio: "ignore" });
    afterwards(() => {
      serve.kill("SIGKILL");
    });
    const handle = await anOwlpost(home);
    await until(
      async () => (await handle.status()).service.running,
      (running) => running,
    );
    const asks = Array.from({ length: 20 }, async (_, n) => {
      await new Promise((next) => setTimeout(next, n * 40));
      return owlpost(home, ["ask", "-"], JSON.stringify(question(`t-${n}`)));
    });
    await until(
      async () => (await handle.status()).counts,
      (counts) => counts.pending + counts.posted >= 4,
    );
    serve.kill("SIGKILL");
    const asked = await Promise.all(asks);

    expect(asked.map(({ code }) => code)).toEqual(asked.map(() => 0));
    const ids = asked.map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id).sort();
    const { open, service } = await handle.status();
    expect(open.map((row) => row.question.id).sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(20);
    expect(service.running).toBe(false);
  }, 60_000);
});

describe("the service was away while its phone was not", () => {
  test("a press before the deadline beats the deadline, a waiting take request and a quicker channel", async () => {
    const peer = await startPeer();
    afterwards(() => peer.close());
    const clock = aClock();
    const config = aConfig({
      deliver: ["quick", "peer"],
      channels: { peer: { allow: ["eric"] }, quick: {} },
    });
    const start = (slowMs: number) => {
      const phone = peerChannel(peer.url);
      const quick = quickChannel();
      const slow: AnswerChannel = {
        ...phone,
        async poll(...given) {
          await new Promise((done) => setTimeout(done, slowMs));
          return phone.poll?.(...given) ?? { replies: [] };
        },
      };
      const channels = new Map([quick, slow].map((channel) => [channel.id, channel]));
      return aService({ home, config, now: clock.now, channels });
    };
    const home = aHome();
    const before = await start(0);
    const asked = await before.owlpost.ask({
      document: { ...question("away"), default: { action: "skip_spec", at: "30m" } },
      project: "default",
    });
    if (!asked.ok) throw new Error("not asked");
    await before.settle();
    await before.close();
    peer.press({ name: "in time", sender: "eric", question: asked.id, action: "2", at: clock.now() });
    clock.advance(31 * minute);
    const request = join(home, "airlocks", "default", "take", "away");
    writeFileSync(request, "a3f2\n");

    const after = await start(400);
    await until(
      () => existsSync(request),
      (waits) => !waits,
    );
    const stored = await after.owlpost.question(asked.id);
    expect(stored).toMatchObject({
      state: "applied",
      outcome: "answered",
      answer: { option: "2", by: "eric" },
    });
    // Not even for a moment did the phone say that nobody had answered.
    await after.settle();
    const shown = peer.messages.flatMap((message) => message.versions.map((version) => version.body));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.filter((body) => body.includes("no answer by"))).toEqual([]);
  });
});

/** A channel that answers every poll at once, and brings a new cursor with it. */
function quickChannel(): AnswerChannel {
  let polls = 0;
  return {
    id: "quick",
    rings: false,
    destinations: ["default"],
    post: async () => `m${polls}`,
    async poll() {
      polls += 1;
      if (polls > 1) await new Promise((done) => setTimeout(done, 50));
      return { replies: [], cursor: String(polls) };
    },
    close: async () => undefined,
  };
}

describe("the loop dies, or comes late", () => {
  test("field 70: a waiter that comes after the answer reads the past", async () => {
    const home = aHome();
    const early = await anOwlpost(home);
    const id = await ask(early, "late", "late-key");
    await early.decide({ verb: "choose", question: id, key: "2" }, "inbox");

    const args = ["ask", "-", "--key", "late-key", "--wait", "20s"];
    const { code, stdout } = await owlpost(home, args, JSON.stringify(question("late")));
    expect(code).toBe(0);
    const { taken } = JSON.parse(stdout) as { taken: Taken[] };
    expect(taken.map((each) => [each.id, each.option])).toEqual([[id, "2"]]);
  }, 30_000);

  test("field 64: the same token is the same take, another gets nothing until the claim lapses", async () => {
    const home = aHome();
    const clock = aClock();
    const [one, two] = [await anOwlpost(home, clock.now), await anOwlpost(home, clock.now)];
    const id = await ask(one, "twice");
    await one.decide({ verb: "choose", question: id, key: "1" }, "cli");
    const takeAs = async (handle: Owlpost, claim: Claim) =>
      (await handle.take({ claim })).taken.map((each) => each.id);

    const both = await Promise.all([takeAs(one, "mine"), takeAs(two, "yours")]);
    expect(both.flat()).toEqual([id]);
    const [winner, loser] = both[0]?.length === 1 ? ["mine", "yours"] : ["yours", "mine"];
    expect(await takeAs(two, winner ?? "")).toEqual([id]);
    expect(await takeAs(one, loser ?? "")).toEqual([]);

    clock.advance(11 * minute);
    expect(await takeAs(one, loser ?? "")).toEqual([id]);
    expect(await takeAs(two, winner ?? "")).toEqual([]);
    expect(await two.confirm(winner ?? "")).toEqual([]);
    expect(await one.confirm(loser ?? "")).toEqual([id]);
    clock.advance(60 * minute);
    expect(await takeAs(two, "a third")).toEqual([]);
    expect((await one.question(id))?.state).toBe("applied");
  });

  test("field 64: 20 loops take at once: every answer goes to exactly one of them", async () => {
    const home = aHome();
    const handles = await Promise.all([1, 2, 3, 4].map(() => anOwlpost(home)));
    const [handle] = handles;
    if (!handle) throw new Error("no handle");
    for (let n = 0; n < 10; n += 1) {
      const id = await ask(handle, `part-${n}`);
      await handle.decide({ verb: "skip", question: id }, "cli");
    }
    const takes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (handles[n % 4] ?? handle).take({ claim: `loop-${n}`, task: `part-${n % 10}` }),
      ),
    );
    const given = takes.flatMap(({ taken }) => taken.map((each) => each.id));
    expect(given).toHaveLength(10);
    expect(new Set(given).size).toBe(10);
  });

  test("field 66: a loop that dies between the answer and its resume finds the same question and the same answer", async () => {
    const home = aHome();
    const clock = aClock();
    const before = await anOwlpost(home, clock.now);
    const id = await ask(before, "resume", "resume-key");
    await before.decide({ verb: "choose", question: id, key: "1" }, "inbox");
    const first = await before.take({ claim: "loop-1" });
    // Here the loop dies: it has the answer in memory alone and confirmed nothing.
    await before.close();

    const after = await openOwlpost({ home, config: aConfig(), now: clock.now });
    afterwards(() => after.close());
    const again = await after.ask({ document: question("resume"), project: "default", key: "resume-key" });
    expect(again).toMatchObject({ ok: true, id, state: "applied", repeated: true });
    const second = await after.take({ claim: "loop-1" });
    expect(second.taken).toEqual(first.taken);
    expect(await after.confirm("loop-1")).toEqual([id]);
    const events = await after.events(0, 100);
    expect(events.map((event) => event.kind)).toEqual([
      "question.asked",
      "question.answered",
      "question.applied",
      "question.confirmed",
    ]);
  });
});
