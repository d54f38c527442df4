import { setMaxListeners } from "node:events";
import { z } from "zod";
import type { AnswerChannel, ChannelMessage, ChannelTools } from "../src/domain/channel.ts";
import { ChannelError, type Pairing } from "../src/domain/channel.ts";
import type { MessageRef } from "../src/domain/ids.ts";
import { audience } from "./github/audience.ts";
import { decode, destination, type Me } from "./github/comment.ts";
import { examine } from "./github/examine.ts";
import { connect, rootOf } from "./github/line.ts";
import { listening, type Rhythm } from "./github/listening.ts";
import { markFor } from "./github/mark.ts";
import { ownComments } from "./github/own-comments.ts";
import { pacing, takeTurn } from "./github/pace.ts";
import { accountOf, commentOf, type Issue } from "./github/place.ts";
import { resolveLogin } from "./github/resolve.ts";
import type { Comment } from "./github/rest.ts";
import { takesComments } from "./github/standing.ts";
import { permissions, permitting } from "./github/trust.ts";

export { decode };

const accountWords = "must be an account's number such as 583231; owlpost pair finds it by the login";
const account = z.union(
  [
    z.int({ error: accountWords }).positive({ error: accountWords }),
    z.string().regex(/^[1-9]\d{0,14}$/, { error: accountWords }),
  ],
  { error: accountWords },
);

export const settings = z.strictObject({
  token: z
    .string({ error: "must be a token" })
    .regex(/^[\w.-]{8,255}$/, { error: "must be a token as GitHub gives it: letters, digits and _" })
    .describe("A token that may read and write issues there, as `${GITHUB_TOKEN}`"),
  repository: z
    .string({ error: "must be a repository such as owner/name" })
    .regex(/^[\w-]{1,64}\/[\w.-]{1,100}$/, { error: "must be a repository such as owner/name" })
    .describe("The repository of the issue, `owner/name`"),
  issue: z
    .int({ error: "must be the number of an issue" })
    .positive({ error: "must be the number of an issue" })
    .describe("The issue (or pull request) whose comments are the questions and their answers"),
  allow: z.array(account).default([]).describe("Numbers of accounts that are owners without pairing"),
  public: z
    .boolean({ error: "must be true or false" })
    .default(false)
    .describe("May questions go to a public repository, where everybody reads them?"),
  least_permission: z
    .enum(permissions, { error: `must be one of ${permissions.join(", ")}` })
    .optional()
    .describe(
      "What else somebody who may answer must be able to do on the repository. Default: nothing is looked up",
    ),
  api_url: z
    .url({ protocol: /^https?$/, error: "must be a URL such as https://github.example.org/api/v3" })
    .optional()
    .describe("The REST API of a GitHub Enterprise Server"),
});
export type Settings = z.infer<typeof settings>;

export const pairing = {
  by: "login",
  resolve: (given, login) => resolveLogin(settings.parse(given), login),
} satisfies Pairing;

export const help = [
  "Make a fine-grained token for one private repository, with Issues: read and write, and put it into GITHUB_TOKEN.",
  "Open an issue there, subscribe to it, and write its number into channels.github.issue.",
  "Pair yourself: owlpost pair --name NAME --role owner --channel github --address LOGIN",
].join("\n");

/** What is sent as a comment: our hidden mark, then the message. `key` is that of the message, an example where absent. */
export function encode(
  _destination: string,
  message: ChannelMessage,
  tools: Pick<ChannelTools, "sign">,
  key = `${message.question ?? "notice"}/post/1`,
): { readonly body: string } {
  return { body: `${markFor(key, tools)}\n${message.body}` };
}

/** In milliseconds. */
export type Timing = Rhythm & {
  readonly callMs: number;
  /** Between two writes. */
  readonly gapMs: number;
  /** How long after a lost reply a comment may still turn up in the list. */
  readonly settleMs: number;
  /** How long the repository is believed to be private. */
  readonly privateMs: number;
};
const usual: Timing = {
  quickMs: 12_000,
  activeMs: 30 * 60_000,
  idleMs: 45_000,
  holdMs: 30_000,
  mendMs: 60_000,
  callMs: 15_000,
  gapMs: 1_000,
  settleMs: 3_000,
  privateMs: 60_000,
};

export async function open(
  given: Settings,
  tools: ChannelTools,
  timing: Partial<Timing> = {},
): Promise<AnswerChannel> {
  const times = { ...usual, ...timing };
  const issue = issueOf(given);
  const line = await connect(given, tools.now, times.callMs);
  const { call } = line;
  const closing = new AbortController();
  // Every call listens to it: many at once are no leak.
  setMaxListeners(0, closing.signal);
  const own = ownComments(line, issue, whoAmI, times.settleMs);
  const pace = pacing(times.gapMs);
  const mayWrite = audience(call, issue, given.public, times.privateMs);
  const listener = listening({
    line,
    issue,
    of: `${rootOf(given)} ${given.repository.toLowerCase()}#${given.issue}`,
    own,
    whoAmI,
    isPermitted: permitting(call, issue, given.least_permission),
    takes: (signal) => takesComments(call, issue, given.public, signal),
    rhythm: times,
  });
  let me: Promise<Me> | undefined;

  /** Ends with the given signal, or when the channel is closed. */
  async function whileOpen<Value>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<Value>) {
    const both = new AbortController();
    const stop = (): void => both.abort();
    for (const each of [outer, closing.signal]) {
      each.addEventListener("abort", stop, { once: true });
      if (each.aborted) stop();
    }
    try {
      return await work(both.signal);
    } finally {
      for (const each of [outer, closing.signal]) each.removeEventListener("abort", stop);
    }
  }

  /** Whose token it is; asked once. */
  function whoAmI(signal: AbortSignal): Promise<Me> {
    me ??= accountOf(call, signal).catch((error: unknown) => {
      me = undefined;
      throw error;
    });
    return me;
  }

  async function post(message: ChannelMessage, key: string, signal: AbortSignal): Promise<MessageRef> {
    await mayWrite(signal);
    const mark = markFor(key, tools);
    const there = await own.find(mark, signal);
    if (there !== undefined) return there;
    const { body } = encode(destination, await linked(message, signal), tools, key);
    await takeTurn(pace, signal);
    listener.stir();
    own.doubt(mark);
    try {
      const { data } = await call(
        signal,
        (api, more) =>
          api.request<Comment>("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
            ...issue,
            body,
            ...more,
          }),
        "post",
      );
      own.note({ ...data, body }, await whoAmI(signal));
      own.sure(mark);
      return String(data.id);
    } catch (error) {
      if (error instanceof ChannelError && error.delivered === "no") own.sure(mark);
      throw error;
    }
  }

  async function edit(ref: MessageRef, message: ChannelMessage, signal: AbortSignal): Promise<void> {
    await mayWrite(signal);
    const { body } = encode(destination, message, tools, `${message.question ?? "notice"}/edit`);
    const { owner, repo } = issue;
    await takeTurn(pace, signal);
    listener.stir();
    await call(
      signal,
      (api, more) =>
        api.request("PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", {
          owner,
          repo,
          comment_id: Number(ref),
          body,
          ...more,
        }),
      "edit",
    );
  }

  /** A receipt links to what it answers, as long as that stands there; nobody is called by name. */
  async function linked(message: ChannelMessage, signal: AbortSignal): Promise<ChannelMessage> {
    const ref = message.replyTo ?? message.follows;
    const answered = ref === undefined ? undefined : await commentOf(call, issue, ref, signal);
    if (answered?.html_url === undefined) return message;
    const words = message.replyTo === undefined ? "the question" : (answered.user?.login ?? "a comment");
    return { ...message, body: `[↪ ${words}](${answered.html_url})\n\n${message.body}` };
  }

  function noted(error: unknown): never {
    if (error instanceof ChannelError && error.closed) listener.shut();
    throw error;
  }

  return {
    id: "github",
    rings: true,
    destinations: [destination],
    post: (_to, message, key, signal) =>
      whileOpen(signal, (either) => post(message, key, either).catch(noted)),
    edit: (_to, ref, message, signal) =>
      whileOpen(signal, (either) => edit(ref, message, either).catch(noted)),
    poll: (cursor, signal) => whileOpen(signal, (either) => listener.poll(cursor, either)),
    async close() {
      closing.abort();
      line.close();
    },
  };
}

function issueOf({ repository, issue }: Settings): Issue {
  const [owner = "", repo = ""] = repository.split("/");
  return { owner, repo, issue_number: issue };
}

/** Which settings are right, as far as GitHub can tell; nothing is changed and nothing is written there. */
export async function checks(given: Settings) {
  return examine(given, issueOf(given));
}
