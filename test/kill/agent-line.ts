import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import type { Owlpost } from "../../src/app/api.ts";
import type { Config } from "../../src/app/config.ts";
import { answerHook } from "../../src/app/hook/answers.ts";
import { hookDesk } from "../../src/app/hook/desk.ts";
import { workOf } from "../../src/app/hook/event.ts";
import { sessionRun } from "../../src/app/hook/session.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import type { Event } from "../hook/events.ts";
import type { GivenEntry, Ledger } from "./ledger.ts";
import { boundary } from "./steps.ts";
import type { Steps } from "./telegram-line.ts";

/** What an agent read from its pipe, in the ledger under `told …`; answers that came with it stand beside it, under `take …`. */
export type Told = { readonly text: string; readonly news: readonly string[] };

/** Something for a person to do once the question is on their phone. */
type Deed = (question: QuestionId) => Promise<unknown>;

export const session = "5f0c1a9e";
const run = sessionRun(session);
const cwd = "/home/eric/shop";

export type AgentPlace = {
  readonly home: string;
  readonly config: Config;
  readonly now: () => number;
  readonly ledger: Ledger;
};

/**
 * The hooks and the MCP server of an agent, each with a store of its own as in a process of its own. What was written to the
 * agent's pipe the agent has; a call that died before is made again, as an agent would.
 */
export function agentHands({ until }: Pick<Steps, "until">, { home, config, now, ledger }: AgentPlace) {
  const given = { run, cwd, project: "default" };

  async function once(
    name: string,
    call: (owlpost: Awaited<ReturnType<typeof openOwlpost>>, gone: AbortSignal) => Promise<void>,
  ): Promise<Told> {
    if (!ledger.entries.has(`told ${name}`)) {
      const owlpost = await openOwlpost({ home, config, now });
      const gone = new AbortController();
      try {
        await call(owlpost, gone.signal);
        boundary("agent", `${name} is over:after`);
      } finally {
        gone.abort();
        await owlpost.close();
      }
    }
    return ledger.entries.get(`told ${name}`) as Told;
  }

  /** The agent's pipe takes the text, with the answers that are this call's to hand over. */
  async function write(name: string, text: string, answers: readonly StoredQuestion[]): Promise<void> {
    boundary("agent", `${name} is written:before`);
    for (const { question, outcome = "", answer, claim, digest } of answers) {
      const { id } = question;
      const option = answer?.option === undefined ? {} : { option: answer.option };
      const entry: GivenEntry = { claim: claim?.claim ?? "", given: [{ id, outcome, ...option, digest }] };
      ledger.add(`take ${name} ${id}`, entry);
    }
    const news = answers.map(({ question }) => question.id);
    ledger.add(`told ${name}`, { text, news } satisfies Told);
    boundary("agent", `${name} is written:after`);
  }

  async function about(owlpost: Owlpost, task: string): Promise<readonly StoredQuestion[]> {
    const { open, decided } = await owlpost.status();
    return [...open, ...decided].filter(({ question }) => question.task === task);
  }

  /** Once the question is on the phone. A call that is made again may find it decided, but not one that is asked anew each time. */
  async function shown(
    owlpost: Owlpost,
    name: string,
    task: string,
    deed: Deed,
    earlier: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    let id: QuestionId | undefined;
    await until(`${name} is on the phone`, async () => {
      const all = await about(owlpost, task);
      id = all.find(({ question, state }) => state !== "pending" && !earlier.has(question.id))?.question.id;
      return id !== undefined;
    });
    boundary("agent", `${name} waits:after`);
    if (id !== undefined) await deed(id);
  }

  return {
    /** Claude Code's hook, until it has an output. `deed` absent: nobody is at the terminal, and it does not wait. */
    hook: (name: string, event: Event, deed?: Deed): Promise<Told> =>
      once(name, async (owlpost, signal) => {
        const desk = hookDesk({ owlpost, config, home, now, signal, given });
        const work = workOf("claude-code", event);
        assert(work === "choices" || work === "permission");
        const call = {
          agent: "claude-code",
          event,
          folder: cwd,
          task: name,
          deadline: "15m",
          session,
        } as const;
        const before = (await about(owlpost, name)).map(({ question }) => question.id);
        const earlier = new Set(work === "permission" ? before : []);
        const waiting = answerHook(work, { ...call, headless: deed === undefined }, desk);
        waiting.catch(() => undefined);
        if (deed) await shown(owlpost, name, name, deed, earlier);
        const { output, delivered } = await waiting;
        const stored = (await about(owlpost, name)).find(({ question }) => !earlier.has(question.id));
        await write(name, JSON.stringify(output), delivered && stored ? [stored] : []);
        await delivered?.();
      }),

    /** What the session is told when it stops. */
    stop: (name: string): Promise<Told> =>
      once(name, async (owlpost, signal) => {
        const desk = hookDesk({ owlpost, config, home, now, signal, given });
        const { settled, delivered } = await desk.meanwhile(run);
        const answers = await Promise.all(settled.map(({ stored }) => owlpost.question(stored.question.id)));
        const text = settled.map(({ told }) => told).join("\n");
        await write(
          name,
          text,
          answers.filter((stored) => stored !== undefined),
        );
        await delivered();
      }),

    /** One call of a tool over a pipe of its own. */
    tool: (
      name: string,
      task: string,
      tool: string,
      args: Readonly<Record<string, unknown>>,
      deed?: Deed,
    ): Promise<Told> =>
      once(name, async (owlpost) => {
        const { serveMcp } = await import("../../src/app/mcp/server.ts");
        const stdin = new PassThrough();
        const send = (message: object): boolean =>
          stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
        let news = false;
        const answered = new Promise<void>((resolve, reject) => {
          const pipe = async (text: string): Promise<void> => {
            const { id, result } = JSON.parse(text) as { id?: number; result?: ToolResult };
            if (id === 1) {
              send({ method: "notifications/initialized" });
              send({ id: 2, method: "tools/call", params: { name: tool, arguments: args } });
            }
            if (id !== 2) return;
            const { handed_over: handedOver, id: question } = result?.structuredContent ?? {};
            news = handedOver === true;
            const stored = await owlpost.question(String(question));
            await write(name, result?.content?.[0]?.text ?? text, news && stored ? [stored] : []);
            resolve();
          };
          const server = { owlpost, config, home, now, given, otherwiseTask: task };
          serveMcp(server, { stdin, write: pipe, tell: async () => undefined }, "1").then(
            () => reject(new Error("the pipe is closed")),
            reject,
          );
        });
        const params = {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "kill", version: "1" },
        };
        send({ id: 1, method: "initialize", params });
        answered.catch(() => undefined);
        if (deed) await shown(owlpost, name, task, deed);
        await answered;
        if (news) {
          await until(
            `${name} is confirmed`,
            async () => (await about(owlpost, task))[0]?.claim?.confirmedAt !== undefined,
          );
        }
        stdin.end();
      }),
  };
}

type ToolResult = {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
};
