import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Asked, LocalCommand, LocalSurface } from "../../src/app/api.ts";
import { silentLog } from "../../src/app/log.ts";
import { type Service, startService } from "../../src/app/service.ts";
import type { Ack } from "../../src/domain/command.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Result, State } from "../../src/domain/question.ts";
import { aConfig, aDocument, aTools, minute } from "../builders.ts";
import { callPeer, peerChannel } from "../peer/peer-channel.ts";
import type { Fault, Press, Update } from "../peer/peer-server.ts";
import { agentHands } from "./agent-line.ts";
import { boardHands } from "./board-line.ts";
import { githubChannel, githubPeople, githubSettings } from "./github-line.ts";
import { hooksChannels, hooksSettings, hooksWeather } from "./hooks-line.ts";
import type { AskedEntry, CodeEntry, GivenEntry, Ledger } from "./ledger.ts";
import { mailChannel, mailPeople, mailSettings } from "./mail-line.ts";
import { ntfyChannel, ntfyReader, ntfySettings } from "./ntfy-line.ts";
import { slackChannel, slackSettings, slackTeam } from "./slack-line.ts";
import { tapChannel } from "./tapped-channel.ts";
import { setPlatformClock, telegramChannel, telegramPeople, telegramSettings } from "./telegram-line.ts";

export type Play = Awaited<ReturnType<typeof openPlay>>;

type AskWays = { readonly key?: string; readonly more?: Record<string, unknown>; readonly project?: string };

/**
 * The asker, the person and the loop of one scene, and the service between them. Whatever was acknowledged is in the
 * ledger and not done again; whatever was not is done again after a kill, as any careful program would.
 */
export async function openPlay(
  folder: string,
  peerUrl: string,
  ledger: Ledger,
  scene: {
    readonly platform?: "telegram" | "slack" | "ntfy" | "github" | "hooks" | "email";
    readonly allow?: readonly number[];
  },
) {
  const home = join(folder, "home");
  const repository = join(folder, "repository");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  mkdirSync(repository, { recursive: true });
  let aheadMs = 0;
  for (const [name, value] of ledger.entries) if (name.startsWith("clock ")) aheadMs += Number(value);
  const now = (): number => Date.now() + aheadMs;
  const telegram = scene.platform === "telegram" ? await telegramSettings(peerUrl, scene.allow) : undefined;
  const github = scene.platform === "github" ? await githubSettings(peerUrl) : undefined;
  const slack = scene.platform === "slack" ? await slackSettings(peerUrl) : undefined;
  const hooks = scene.platform === "hooks" ? await hooksSettings(peerUrl) : undefined;
  const ntfy = scene.platform === "ntfy" ? await ntfySettings(peerUrl) : undefined;
  const email = scene.platform === "email" ? await mailSettings(peerUrl) : undefined;
  const setClock = () =>
    scene.platform ? setPlatformClock(peerUrl, { ms: aheadMs }) : Promise.resolve(undefined);
  await setClock();
  const config = aConfig({
    autoDefault: true,
    airlocks: { repo: join(repository, ".owlpost") },
    deliver: hooks ? ["feishu", "webhook"] : scene.platform ? [scene.platform] : ["peer", "pager"],
    channels: {
      ...(telegram && { telegram }),
      ...(github && { github }),
      ...(slack && { slack }),
      ...(ntfy && { ntfy }),
      ...(email && { email }),
      ...hooks,
      ...(scene.platform ? {} : { peer: { chat: "eric", allow: ["eric", "mara"] }, pager: { chat: "mara" } }),
    },
  });
  const asks = new Map<string, { ways: AskWays; id: QuestionId; digest: string }>();
  let running: Service | undefined;

  async function open(): Promise<void> {
    const opened = telegram
      ? [await telegramChannel(telegram, now)]
      : github
        ? [await githubChannel(github, now)]
        : slack
          ? [await slackChannel(slack, now)]
          : email
            ? [await mailChannel(email, now)]
            : ntfy
              ? [await ntfyChannel(ntfy, aTools({ now }))]
              : hooks
                ? await hooksChannels(hooks, now)
                : [
                    peerChannel(peerUrl, { id: "peer", destination: "eric" }),
                    peerChannel(peerUrl, { id: "pager", destination: "mara", edits: false, polls: false }),
                  ];
    const channels = opened.map(tapChannel);
    running = await startService({
      home,
      config,
      log: silentLog,
      assets: folder,
      now,
      random: () => 0,
      channels: new Map(channels.map((channel) => [channel.id, channel])),
    });
  }

  async function close(): Promise<void> {
    await running?.close();
    running = undefined;
  }

  function service(): Service {
    assert(running, "the service does not run");
    return running;
  }

  /** Once: what the ledger holds is not done again. */
  async function step<Value>(name: string, act: () => Promise<Value>): Promise<Value> {
    if (ledger.entries.has(name)) return ledger.entries.get(name) as Value;
    const value = await act();
    ledger.add(name, value);
    return value;
  }

  function document(task: string, ways: AskWays): Record<string, unknown> {
    return aDocument({
      task,
      title: `What about ${task}?`,
      default: { action: "skip_spec", at: "8h" },
      ...(ways.key === undefined ? { id: `q-a3f2-${task}-1` } : {}),
      ...ways.more,
    });
  }

  async function askOnce(task: string, ways: AskWays): Promise<Asked> {
    const outcome = await service().owlpost.ask({
      document: document(task, ways),
      project: ways.project ?? "default",
      ...(ways.key === undefined ? {} : { key: ways.key }),
    });
    assert(outcome.ok, `ask ${task}: ${JSON.stringify(outcome)}`);
    return outcome;
  }

  /** Asks with the key, or else under an id of its own. */
  async function ask(task: string, ways: AskWays): Promise<QuestionId> {
    const entry = await step<AskedEntry>(`ask ${task}`, async () => {
      const { id, digest } = await askOnce(task, ways);
      return { id, digest };
    });
    asks.set(task, { ways, id: entry.id as QuestionId, digest: entry.digest });
    return entry.id as QuestionId;
  }

  async function settle(): Promise<void> {
    await service().settle();
  }

  /** Until it holds; the service is given its turn in between. */
  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + 8_000;
    while (!(await holds())) {
      assert(performance.now() < end, `in vain: ${what}`);
      await settle();
      await new Promise((next) => setTimeout(next, 10));
    }
  }

  async function state(id: QuestionId): Promise<State | undefined> {
    return (await service().store.question(id))?.state;
  }

  return {
    home,
    repository,
    step,
    ask,
    settle,
    until,
    open,
    close,
    state,
    service,
    now,

    /** A press on the phone. Waits until the platform knows that we have it, unless nobody listens. */
    async press(name: string, question: QuestionId, action: string, sender = "eric"): Promise<void> {
      const update = await step<Update>(`press ${name}`, () => {
        const press: Press = { name, question, action, sender, at: now() };
        return callPeer(`${peerUrl}/person/press`, "POST", press);
      });
      if (!running) return;
      await until(`${name} is confirmed`, async () => {
        const { below } = await callPeer<{ below: number }>(`${peerUrl}/person/confirmed`, "GET", undefined);
        return below > update.id;
      });
    },

    fault: (name: string, fault: Fault) =>
      step(`fault ${name}`, () => callPeer(`${peerUrl}/person/fault`, "POST", fault)),

    decide: (name: string, command: LocalCommand, surface: LocalSurface = "cli"): Promise<Ack> =>
      step(`decide ${name}`, () => service().owlpost.decide(command, surface, `key-${name}`)),

    /** The loop's boundary call with its own token. */
    take: (name: string, claim: string, task?: string): Promise<GivenEntry> =>
      step(`take ${name}`, async () => {
        const { taken, mismatched } = await service().owlpost.take({
          claim,
          ...(task === undefined ? {} : { task }),
        });
        assert.deepEqual(mismatched, []);
        return { claim, given: taken.map(givenOf) };
      }),

    confirm: (claim: string): Promise<readonly string[]> =>
      step(`confirm ${claim}`, () => service().owlpost.confirm(claim)),

    resolve: (id: QuestionId, result: Result): Promise<Ack> =>
      step(`resolve ${id}`, () => service().owlpost.resolve(id, result)),

    cancel: (id: QuestionId, why: string): Promise<Ack> =>
      step(`cancel ${id}`, () => service().owlpost.cancel(id, why)),

    notify: (name: string, kind: string): Promise<unknown> =>
      step(`notify ${name}`, () => service().owlpost.notify(kind, `A notice called ${name}`)),

    async advance(name: string, minutes: number): Promise<void> {
      if (ledger.entries.has(`clock ${name}`)) return;
      ledger.add(`clock ${name}`, minutes * minute);
      aheadMs += minutes * minute;
      await setClock();
    },

    /** The owner makes a code; whoever does not hear of it makes another one, which takes its place. */
    pair: (name: string, role: string): Promise<CodeEntry> =>
      step(`pair ${name}`, async () => {
        const made = await service().owlpost.pair({ name, role, channel: "telegram" });
        assert(made.ok && made.by === "code", JSON.stringify(made));
        return { code: made.code, token: made.link?.split("start=")[1] ?? "" };
      }),

    /** The owner takes somebody's binding away. */
    revoke: (name: string): Promise<unknown> =>
      step(`revoke ${name}`, async () => {
        const { bindings } = await service().owlpost.people();
        const binding = bindings.find(({ person }) => person.name === name);
        return binding ? service().owlpost.revoke(binding.id, "cli") : { ok: false };
      }),

    /** The hooks and the MCP server of an agent. */
    agent: agentHands({ until }, { home, config, now, ledger }),
    /** Those who work with the board. */
    tasks: boardHands({ step, until }, () => service().owlpost),

    /** What befalls Feishu and the webhook's receiver. */
    weather: hooksWeather({ step }, peerUrl),
    /** Those who answer by mail. */
    correspondents: mailPeople({ step, until }, peerUrl),

    /** Those who tap and type on Telegram. */
    people: telegramPeople({ step, until }, peerUrl),

    /** The team on Slack. */
    team: slackTeam({ step, until }, peerUrl),

    /** Those who comment on GitHub. */
    commenters: githubPeople({ step, until }, peerUrl),

    /** Whoever reads the topic on ntfy. */
    reader: ntfyReader({ step, until }, peerUrl, () => service().store.cursor("ntfy")),

    /** Another program drops a file into an airlock, whole. */
    async write(path: string, text: string): Promise<void> {
      const temporary = join(folder, "being-written");
      writeFileSync(temporary, text);
      renameSync(temporary, path);
    },

    /** A file engine takes: it makes the request and reads the answer once the request is gone. */
    async takeByFile(airlock: string, task: string, id: QuestionId): Promise<void> {
      const answer = join(airlock, "answers", `${id}.yaml`);
      const request = join(airlock, "take", task);
      await step(`request ${task}`, async () => {
        if (!existsSync(answer) && !existsSync(request)) {
          await this.write(request, "a3f2\n");
        }
      });
      await until(`the request ${task} is served`, async () => !existsSync(request));
      await step<GivenEntry>(`read ${task}`, async () => {
        const read = parse(readFileSync(answer, "utf8")) as GivenEntry["given"][number];
        return { claim: "file", given: [givenOf(read)] };
      });
    },

    /** Everything that was asked is asked once more: the same questions come back, and nothing is stored. */
    async askAgain(): Promise<void> {
      for (const [task, { ways, id, digest }] of asks) {
        const again = await askOnce(task, ways);
        assert.deepEqual([again.id, again.digest, again.repeated], [id, digest, true]);
      }
    },
  };
}

function givenOf(taken: GivenEntry["given"][number]): GivenEntry["given"][number] {
  const { id, outcome, option, text, digest } = taken;
  return {
    id,
    outcome,
    ...(option === undefined ? {} : { option }),
    ...(text === undefined ? {} : { text }),
    digest,
  };
}
