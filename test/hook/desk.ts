import type { Owlpost } from "../../src/app/api.ts";
import { answerHook, type HookAnswer, type HookCall } from "../../src/app/hook/answers.ts";
import { hookDesk } from "../../src/app/hook/desk.ts";
import { type Agent, workOf } from "../../src/app/hook/event.ts";
import { sessionRun } from "../../src/app/hook/session.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import { aConfig } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";
import type { Event } from "./events.ts";

/** A hook in this process, on a real store, with a clock that the test moves. */
export async function aHookDesk({
  home = aHome(),
  onAsk,
  around,
}: {
  readonly home?: string;
  readonly onAsk?: () => void;
  /** What the hook finds in the place of some of the real calls. */
  readonly around?: (real: Owlpost) => Partial<Owlpost>;
} = {}) {
  const clock = { at: Date.parse("2026-11-30T12:00:00Z") };
  const now = (): number => clock.at;
  const config = aConfig();
  const owlpost = await openOwlpost({ home, config, now });
  const gone = new AbortController();
  afterwards(async () => {
    gone.abort();
    await owlpost.close();
  });
  const desk = hookDesk({
    owlpost: { ...owlpost, ...around?.(owlpost) },
    config,
    home,
    now,
    signal: gone.signal,
    ...(onAsk ? { onAsk } : {}),
    given: { run: sessionRun("5f0c1a9e"), cwd: "/home/eric/shop" },
  });

  const open = async (): Promise<readonly StoredQuestion[]> => (await owlpost.status()).open;
  return {
    home,
    owlpost,
    desk,
    gone,
    open,
    /** Once as many questions are open. */
    asked: (count = 1) => until(open, (found) => found.length === count),
    /** Past the deadline of whatever was asked. */
    pass(ms = 16 * 60_000): void {
      clock.at += ms;
    },
    hook(event: Event, agent: Agent = "claude-code", changes: Partial<HookCall> = {}): Promise<HookAnswer> {
      const work = workOf(agent, event);
      if (work !== "choices" && work !== "permission") throw new Error(`this event is for ${work}`);
      const call: HookCall = {
        agent,
        event,
        headless: false,
        folder: "/home/eric/shop",
        task: "shop",
        deadline: "15m",
        session: "5f0c1a9e",
        ...changes,
      };
      return answerHook(work, call, desk);
    },
    answer: (question: string, key: string) => owlpost.decide({ verb: "choose", question, key }, "cli"),
    say: (question: string, text: string) => owlpost.decide({ verb: "answer", question, text }, "cli"),
    skip: (question: string) => owlpost.decide({ verb: "skip", question }, "cli"),
    retry: (question: string) => owlpost.decide({ verb: "retry", question }, "cli"),
  };
}
