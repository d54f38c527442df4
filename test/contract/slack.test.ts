import { expect } from "vitest";
import { open } from "../../channels/slack.ts";
import { matrix } from "../../renderers/matrix.ts";
import { aTools } from "../builders.ts";
import { afterwards } from "../homes.ts";
import { buttonsIn, readBlocks } from "../slack/blocks.ts";
import { appToken, aSlack, botToken, eric, inTeam } from "../slack/phone.ts";
import { answerChannelContract } from "./answer-channel.ts";

const methods = {
  post: "chat.postMessage",
  edit: "chat.update",
  poll: "apps.connections.open",
  settle: "response_url",
};
const refusals = {
  busy: { busy: 3 },
  forbidden: { error: "is_archived" },
  broken: { page: 503 },
} as const;

answerChannelContract("slack", async () => {
  // A line is opened by the first poll; whoever taps before that waits until the bot is there.
  const { slack, clock } = await aSlack({ patient: true });
  afterwards(() => expect(slack.misuses()).toEqual([]));
  const room = slack.workspace.direct(eric);
  const settings = {
    bot_token: botToken,
    app_token: appToken,
    allow: [inTeam(eric)],
    api_url: slack.url,
  };
  const ours = () => room.messages.filter(({ bot }) => bot !== undefined);
  return {
    row: matrix.slack,
    destination: inTeam(eric),
    sender: inTeam(eric),
    secrets: [botToken, appToken, botToken.slice(5), appToken.slice(5)],
    idempotent: true,
    async open() {
      const channel = await open(settings, aTools({ now: clock.now }), { waitMs: 20_000, callMs: 5_000 });
      afterwards(() => channel.close());
      return channel;
    },
    messages: () =>
      ours().map(({ text, blocks, versions, thread, ts }) => ({
        text: blocks.length === 0 ? text : readBlocks(blocks).join(""),
        versions: versions.length,
        buttons: buttonsIn(blocks).filter(({ action }) => /\|\w+$/.test(action)).length,
        ...(thread === undefined || thread === ts ? {} : { replyTo: `${room.id}:${thread}` }),
      })),
    tap(key) {
      const message = ours().at(-1);
      if (!message) throw new Error("nothing was posted");
      slack.people.taps(eric, message, ({ value }) => value.endsWith(`|${key}`));
    },
    typed: {
      say(text, { to, edit } = {}) {
        const latest = to && ours().at(-1);
        const message =
          edit === undefined
            ? slack.people.says(eric, text, latest ? { thread: latest.ts } : {})
            : slack.people.edits(eric, room.id, edit.split(":")[1] ?? "", text);
        return `${room.id}:${message.ts}`;
      },
      echo(text) {
        slack.workspace.say(room, { user: "U0FAKEBOT1", bot: "B0FAKEOWL1", text });
      },
      forget: (ref) => slack.people.deletes(eric, room.id, ref.split(":")[1] ?? ""),
    },
    toasts: () => slack.people.whispers(eric),
    unconfirmed: () => slack.unacked(),
    isPolled: () => slack.sockets.live() > 0,
    fail(on, how) {
      if (on === "poll") slack.sockets.cut();
      slack.fail({
        method: methods[on],
        how: how === "swallow" || how === "reset" ? how : refusals[how],
        times: 1,
      });
    },
  };
});
