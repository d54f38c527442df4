import { z } from "zod";
import type { AnswerChannel, ChannelTools, Pairing } from "../src/domain/channel.ts";
import { openPosts } from "./slack/posts.ts";
import { openReceiving, ordinaryTiming, type Timing } from "./slack/receiving.ts";
import { connect } from "./slack/web.ts";

export { writeAction } from "./slack/blocks.ts";
export { checks, neededScopes } from "./slack/checks.ts";
export { type Decoded, decode, type Me } from "./slack/envelope.ts";
export { formId, formMeta, inputAction, inputBlock } from "./slack/form.ts";
export type { Frame } from "./slack/frames.ts";
export { encode, encodeEdit } from "./slack/posts.ts";
export type { Timing } from "./slack/receiving.ts";

export const settings = z.strictObject({
  bot_token: z
    .string({ error: "must be the app's bot token" })
    .regex(/^xox(?:b|e\.xoxb)-[\w-]{8,}$/, {
      error: "must be a bot token as Slack gives it, whole: it begins with xoxb-",
    })
    .describe("The app's bot token, as `${SLACK_BOT_TOKEN}`"),
  app_token: z
    .string({ error: "must be an app-level token" })
    .regex(/^xapp-[\w-]{8,}$/, {
      error: "must be an app-level token as Slack gives it, whole: it begins with xapp-",
    })
    .describe("An app-level token with connections:write, as `${SLACK_APP_TOKEN}`"),
  channel: z
    .string()
    .regex(/^[CGD][A-Z0-9]{2,}(?:\/\d{6,}\.\d{6})?$/, {
      error: "must be a channel's id such as C0123, with /1764445268.000200 behind it for a thread",
    })
    .optional()
    .describe(
      "Channel that questions go to, `ID/TIME` for a thread. Default: the private chat of each owner",
    ),
  allow: z
    .array(
      z.string().regex(/^[TE][A-Z0-9]{2,}\/[UW][A-Z0-9]{2,}$/, {
        error: "must be a team and a person, such as T0123/U0456",
      }),
    )
    .default([])
    .describe("Slack ids of owners who need no pairing, `TEAM/USER`"),
  api_url: z
    .url({ protocol: /^https?$/, error: "must be a URL such as https://slack.com/api/" })
    .optional()
    .describe("A Web API of your own"),
});
export type Settings = z.infer<typeof settings>;

export const pairing = { by: "code", say: (code) => `!pair ${code}` } satisfies Pairing;

export const help = [
  "On api.slack.com/apps: Create New App, From a manifest, and paste config/slack-app.manifest.yaml.",
  "Install it to your workspace, and put the Bot User OAuth Token into SLACK_BOT_TOKEN.",
  "Basic Information, App-Level Tokens: make one with connections:write, and put it into SLACK_APP_TOKEN.",
  "Pair yourself: owlpost pair --name NAME --role owner --channel slack, and send /owlpost pair CODE anywhere.",
].join("\n");

export async function open(
  given: Settings,
  { now, sign }: Pick<ChannelTools, "now" | "sign">,
  timing: Partial<Timing> = {},
): Promise<AnswerChannel> {
  const times = { ...ordinaryTiming, ...timing };
  const web = await connect(given);
  const destinations = given.channel === undefined ? given.allow : [given.channel];
  // Owners write in private, too, wherever the questions go: that is read again with the rest.
  const heard = [...new Set([...destinations, ...given.allow])];
  const receiving = openReceiving({ web, now, timing: times, destinations: heard });
  const { post, edit } = openPosts({
    web,
    places: receiving.places,
    callMs: times.callMs,
    now,
    markOf: (key) => sign("slack-post", key),
    onShown: receiving.shown,
  });
  return {
    id: "slack",
    rings: true,
    destinations,
    post,
    edit: (_destination, ref, message, signal) => edit(ref, message, signal),
    poll: receiving.poll,
    async close() {
      receiving.close();
      await web.close();
    },
  };
}
