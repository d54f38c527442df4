import { encode } from "../../channels/github.ts";
import { matrix } from "../../renderers/matrix.ts";
import { aQuestionId, aTools } from "../builders.ts";
import {
  aGitHub,
  aLine,
  aMessage,
  bot,
  eric,
  issue,
  repository,
  shown,
  stranger,
  token,
} from "../github/desk.ts";
import { type Kind, tooMany } from "../github/server.ts";
import { answerChannelContract } from "./answer-channel.ts";

const kinds: Readonly<Record<string, Kind>> = { post: "post", edit: "edit", poll: "list", settle: "other" };
const refusals = {
  busy: tooMany(3),
  forbidden: { status: 403, message: "Resource not accessible by personal access token" },
  broken: { page: 502 },
};
/** What GitHub takes, without our hidden line. */
const most = 65_536 - encode("default", aMessage({ body: "" }), aTools(), "k1").body.length;

answerChannelContract("github", async () => {
  const { api, clock } = await aGitHub();
  let held = 0;
  const say = (text: string, edit?: string): string => {
    const words = `@${bot.login} ${text}`;
    // GitHub's times are whole seconds.
    clock.advance(1_000);
    if (edit === undefined) return String(api.say(repository, issue, eric.login, words));
    api.edit(Number(edit), words);
    return edit;
  };
  return {
    row: { ...matrix.github, body: { ...matrix.github.body, max: most } },
    destination: "default",
    sender: String(eric.id),
    secrets: [token],
    idempotent: true,
    async open() {
      const channel = await aLine(api, clock);
      return {
        ...channel,
        // It waits here and not there: nobody at the other end can see it.
        async poll(...given) {
          held += 1;
          try {
            return (await channel.poll?.(...given)) ?? { replies: [] };
          } finally {
            held -= 1;
          }
        },
      };
    },
    messages: () =>
      api
        .comments(repository, issue)
        .filter(({ login }) => login === bot.login)
        .map(({ body, versions }) => {
          const [, ref, text = ""] =
            /^(?:\[↪ [^\n]*#issuecomment-(\d+)\)\n\n)?(.*)$/s.exec(shown(body)) ?? [];
          return {
            text,
            versions: versions.length,
            buttons: 0,
            ...(ref === undefined ? {} : { replyTo: ref }),
          };
        }),
    tap: (key) => void api.say(repository, issue, eric.login, `${aQuestionId} ${key}`),
    typed: {
      say: (text, { edit } = {}) => say(text, edit),
      heard: (text) => `@${bot.login} ${text}`,
      echo: (text) =>
        void api.say(
          repository,
          issue,
          bot.login,
          encode("default", aMessage({ body: text }), aTools()).body,
        ),
      forget: (ref) => api.forget(Number(ref)),
    },
    toasts: () => [],
    unconfirmed: () =>
      api.isTold()
        ? 0
        : api.comments(repository, issue).filter(({ login }) => ![bot.login, stranger.login].includes(login))
            .length,
    isPolled: () => held > 0,
    fail: (on, how) =>
      void api.fail({
        on: kinds[on] ?? "other",
        how: how === "swallow" || how === "reset" ? how : refusals[how],
        // A line that breaks while it is read is read once more.
        times: on === "poll" && how === "reset" ? 2 : 1,
      }),
  };
});
