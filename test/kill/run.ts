import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleChild } from "./bundle.ts";
import { scenes } from "./scenes.ts";
import { discard, listSteps, listWrites, type Outcome, play, type Run } from "./stage.ts";
import { type Phase, phaseOf, phases } from "./steps.ts";

/** One step of one scene; its place in the list is its number. */
type Step = { readonly scene: string; readonly name: string };

const usage = `The kill matrix: a child process plays a scene and is killed at a numbered step; it is started again, ends
the scene, and everything that is left is inspected.

  npm run test:kill                      a seeded sample of 200 kills, every phase with its share
  npm run test:kill -- --all             every step
  npm run test:kill -- --step N --seed S one step again; the seed decides whether the restart is killed too
  npm run test:kill -- --scene NAME --at "STEP then STEP"  exactly those kills
  npm run test:kill -- --list            the numbered steps
  --scene NAME    only that scene        --phase NAME   only that phase
  --kills N       size of the sample     --workers N    at once (2)       --minutes N  begin no kill after that (4)
  --keep          leave the folders of failed runs behind
  --verbose       name the steps that were not reached, and each unavoidable double`;

const { values: options } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    step: { type: "string" },
    at: { type: "string" },
    scene: { type: "string" },
    phase: { type: "string" },
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "200" },
    workers: { type: "string", default: "2" },
    minutes: { type: "string" },
  },
});

/** The child's files are many and small, and a kill of a process does not ask for a disk: memory will do. */
const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const startedAt = performance.now();

async function main(): Promise<number> {
  if (options.help) {
    console.log(usage);
    return 0;
  }
  if (spawnSync("strace", ["--version"]).status !== 0) {
    console.error(
      "strace is missing: it kills in the middle of a commit. Install it (Debian: apt-get install strace).",
    );
    return 1;
  }
  const folder = mkdtempSync(join(place, "owlpost-kill-"));
  try {
    const child = await bundleChild(folder);
    const steps = await allSteps(child, folder);
    if (options.list) {
      steps.forEach((step, number) => {
        console.log(`${number} ${step.scene} ${step.name}`);
      });
      return 0;
    }
    const { chosen, reserve } = choose(steps);
    console.log(
      `${steps.length} steps in ${Object.keys(scenes).length} scenes, ${chosen.length} kills, seed ${options.seed} (${seconds()} s)`,
    );
    return await playAll(child, folder, steps, chosen, reserve);
  } finally {
    if (!options.keep) discard(folder);
  }
}

type Choice = { readonly chosen: readonly number[]; readonly reserve: readonly number[][] };

/** In an order that does not depend on what happened first: the same number is the same step in every run. */
async function allSteps(child: string, folder: string): Promise<Step[]> {
  const names = Object.keys(scenes).filter((name) => options.scene === undefined || name === options.scene);
  const listed = await Promise.allSettled(
    names.map(async (scene) => {
      const own = await listSteps(child, join(folder, `list-${scene}`), scene);
      const writes = await listWrites(child, join(folder, `writes-${scene}`), scene);
      return { scene, own: own.sort(), writes };
    }),
  );
  const lists = listed.map((list) => {
    if (list.status === "rejected") throw list.reason;
    return list.value;
  });
  const steps = [
    ...lists.flatMap(({ scene, own }) => own.map((name) => ({ scene, name }))),
    ...lists.flatMap(({ scene, writes }) => writes.map((name) => ({ scene, name }))),
  ];
  return options.phase === undefined ? steps : steps.filter((step) => phaseOf(step.name) === options.phase);
}

/** Numbers of steps. A sample gives every phase the same share, as far as it has steps; the reserve is the rest. */
function choose(steps: readonly Step[]): Choice {
  const all = steps.map((_, number) => number);
  if (options.step !== undefined) return { chosen: [Number(options.step)], reserve: [] };
  if (options.at !== undefined) return { chosen: [0], reserve: [] };
  if (options.all) return { chosen: all, reserve: [] };
  const random = randomOf(options.seed);
  const queues = phases.map((phase) =>
    shuffle(
      all.filter((number) => phaseOf(steps[number]?.name ?? "") === phase),
      random,
    ),
  );
  const chosen: number[] = [];
  const most = Math.min(Number(options.kills), all.length);
  while (chosen.length < most) {
    for (const queue of queues) {
      const number = queue.pop();
      if (number !== undefined && chosen.length < most) chosen.push(number);
    }
  }
  return { chosen, reserve: queues };
}

async function playAll(
  child: string,
  folder: string,
  steps: readonly Step[],
  chosen: readonly number[],
  reserve: readonly number[][],
): Promise<number> {
  const minutes =
    options.minutes === undefined ? (options.all ? Number.POSITIVE_INFINITY : 4) : Number(options.minutes);
  const waiting = [...chosen];
  const tally = { passed: 0, failed: 0, killed: 0, twice: 0, missed: 0, readyMs: 0, doubles: 0 };
  const kills = new Map<Phase, number>();
  const worker = async (): Promise<void> => {
    for (;;) {
      const late = performance.now() - startedAt > minutes * 60_000 - 8_000;
      const number = late ? undefined : waiting.shift();
      const step = number === undefined ? undefined : steps[number];
      if (number === undefined || !step) return;
      const run: Run = { scene: step.scene, kills: options.at?.split(" then ") ?? killsOf(steps, step) };
      const own = join(folder, `run-${number}`);
      const { wrong, doubles, killed, readyMs } = await play(child, own, run).catch(broken);
      if (wrong.length === 0) tally.passed += 1;
      else {
        tally.failed += 1;
        console.log(`FAILED step ${number}: ${run.scene} ${run.kills.join(" then ")}`);
        for (const line of wrong) console.log(`  ${line}`);
        console.log(`  again: npm run test:kill -- --step ${number} --seed ${options.seed}`);
        console.log(
          `  exactly: npm run test:kill -- --scene ${run.scene} --at "${run.kills.join(" then ")}"`,
        );
      }
      if (wrong.length === 0 || !options.keep) discard(own);
      tally.killed += killed;
      tally.doubles += doubles.length;
      if (options.verbose) {
        for (const double of doubles) console.log(`unavoidable: ${run.kills.join(" then ")}: ${double}`);
      }
      const phase = phaseOf(step.name);
      kills.set(phase, (kills.get(phase) ?? 0) + killed);
      if (killed > 1) tally.twice += 1;
      if (killed === 0) {
        // What happens at the same time has no fixed order, so some steps come in some runs only: take another one.
        tally.missed += 1;
        const other = reserve[phases.indexOf(phaseOf(step.name))]?.pop();
        if (other !== undefined) waiting.push(other);
      }
      if (killed === 0 && options.verbose) console.log(`not reached: ${run.scene} ${step.name}`);
      tally.readyMs = Math.max(tally.readyMs, readyMs);
      const done = tally.passed + tally.failed;
      if (done % 25 === 0) console.log(`${done} played, ${waiting.length} to go (${seconds()} s)`);
    }
  };
  await Promise.all(Array.from({ length: Number(options.workers) }, worker));
  if (waiting.length > 0) console.log(`the time is over: ${waiting.length} kills were not tried`);
  console.log(phases.map((phase) => `${phase} ${kills.get(phase) ?? 0}`).join(", "));
  for (const [phase, count] of kills) {
    if (count > 0 || options.step !== undefined || options.at !== undefined) continue;
    tally.failed += 1;
    console.log(`FAILED: nothing was killed in the phase ${phase}`);
  }
  console.log(
    `${tally.killed} kills, ${tally.twice} runs killed twice, ${tally.missed} steps not reached, ${tally.doubles} posts that nobody could record, slowest start ${tally.readyMs} ms, ${seconds()} s`,
  );
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed === 0 ? 0 : 1;
}

/** What is left cannot even be read. */
function broken(error: unknown): Outcome {
  return {
    wrong: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    doubles: [],
    killed: 1,
    readyMs: 0,
  };
}

/** One run in four is killed a second time, while it recovers. */
function killsOf(steps: readonly Step[], step: Step): string[] {
  const random = randomOf(`${options.seed} ${step.scene} ${step.name}`);
  if (random() >= 0.25) return [step.name];
  const same = steps.filter((each) => each.scene === step.scene && phaseOf(each.name) !== "write");
  const second = same[Math.floor(random() * same.length)];
  return second ? [step.name, second.name] : [step.name];
}

function shuffle(numbers: number[], random: () => number): number[] {
  for (let last = numbers.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other] as number, numbers[last] as number];
  }
  return numbers;
}

/** A small generator (mulberry32) that gives the same numbers for the same text. */
function randomOf(text: string): () => number {
  let state = createHash("sha256").update(text).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function seconds(): number {
  return Math.round((performance.now() - startedAt) / 1_000);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
