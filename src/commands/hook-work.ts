import { folderTask } from "../app/folder-task.ts";
import { answerHook, type HookAnswer } from "../app/hook/answers.ts";
import { hookDesk } from "../app/hook/desk.ts";
import { type HookWork, textField } from "../app/hook/event.ts";
import { idleText } from "../app/hook/idle.ts";
import {
  forgetIdle,
  forgetOld,
  forgetSession,
  markIdle,
  markSession,
  sessionRun,
} from "../app/hook/session.ts";
import { withOwlpost } from "./open.ts";
import type { Call, Exit } from "./verb.ts";

const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Everything for which a hook needs the store. Whatever is refused on the way is told on stderr, and says nothing to the agent. */
export async function workHook(
  call: Call,
  { agent, event, work, session, headless }: HookWork,
): Promise<Exit> {
  const { home } = call;
  // Standard output belongs to the agent: nothing but one answer may be written there.
  const quiet: Call = { ...call, json: false, io: { ...call.io, stdout: call.io.stderr } };
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  for (const signal of stopSignals) process.once(signal, stop);
  try {
    await withOwlpost(quiet, async (owlpost, config) => {
      const folder = textField(event, "cwd") ?? call.io.cwd;
      const run = sessionRun(session);
      const desk = hookDesk({
        owlpost,
        config,
        home,
        now: Date.now,
        signal: gone.signal,
        onAsk: () => markSession(home, run),
        given: { run, cwd: folder },
      });
      if (work === "idle") {
        if (!markIdle(home, run)) return 0;
        forgetOld(home, Date.now());
        try {
          await owlpost.notify("stalled", idleText(agent, event, folder));
        } catch (error) {
          // Nobody was told: the next time it counts as the first.
          forgetIdle(home, run);
          throw error;
        }
        return 0;
      }
      if (work === "stop") {
        const { settled, delivered } = await desk.meanwhile(run);
        const reason = settled.map(({ told }) => told).join("\n");
        if (settled.length > 0)
          await tell(call, {
            output: { decision: "block", reason: `Answers to what this session asked have come:\n${reason}` },
            delivered,
          });
        if (!(await desk.waits(run))) {
          forgetSession(home, run);
          // What it asks at this very moment, in another of its calls, is not forgotten.
          if (await desk.waits(run)) markSession(home, run);
        }
        return 0;
      }
      const deadline = `${Math.ceil(config.hookDeadlineMs / 60_000)}m`;
      const task = folderTask(folder);
      const answer = await answerHook(
        work,
        { agent, event, headless, folder, task, deadline, session },
        desk,
      );
      await tell(call, answer);
      if (answer.byPerson) forgetIdle(home, run);
      return 0;
    });
  } finally {
    for (const signal of stopSignals) process.removeListener(signal, stop);
  }
  // Whatever went wrong was told on stderr. An exit of 2 would be a decision, and it is none.
  return 0;
}

/** What was taken is confirmed only when the agent's pipe has it. */
async function tell(call: Call, { output, delivered, why }: HookAnswer): Promise<void> {
  if (!output) {
    if (why !== undefined) await call.io.stderr.write(`owlpost: ${why}; the agent's own prompt asks\n`);
    return;
  }
  await call.io.stdout.write(`${JSON.stringify(output)}\n`);
  await delivered?.();
}
