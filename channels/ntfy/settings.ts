import { z } from "zod";

const topicWords = "must be a topic: letters, digits, _ and -, at most 64";
const topic = z.string({ error: topicWords }).regex(/^[-_A-Za-z0-9]{1,64}$/, { error: topicWords });
const tokenWords = "must be an access token as ntfy token add gives it: tk_ and letters and digits";
const token = z.string({ error: tokenWords }).regex(/^tk_[A-Za-z0-9]{5,61}$/, { error: tokenWords });
const addressWords =
  "must be the address of an ntfy server such as https://ntfy.example.org, without a topic";

export const settings = z
  .strictObject({
    base_url: z
      .url({ error: addressWords, protocol: /^https?$/ })
      .max(120, { error: "must be at most 120 characters: it stands in every button" })
      .refine((text) => URL.canParse(text) && isBare(new URL(text)), { error: addressWords })
      .default("https://ntfy.sh")
      .describe("The ntfy server. Default: https://ntfy.sh"),
    ask_topic: topic.describe("Topic that the phone subscribes to. Whoever can read it can answer"),
    reply_topic: topic.describe("Topic to which the buttons publish and that owlpost reads"),
    token: token
      .optional()
      .describe("owlpost's own access token, as `${NTFY_TOKEN}`: writes and reads both topics"),
    button_token: token
      .optional()
      .describe(
        "The token in every button, as `${NTFY_BUTTON_TOKEN}`: writes the reply topic, and reads nothing",
      ),
    name: z
      .string()
      .regex(/^[^\p{C}\s](?:[^\p{C}]{0,38}[^\p{C}\s])?$/u, {
        error: "must be a name of at most 40 characters",
      })
      .optional()
      .describe("Who reads the ask topic: what is pressed there is shown as theirs. Default: ntfy"),
    click: z
      .url({ error: "must be a URL" })
      .max(200)
      .optional()
      .describe("What a tap on the notification opens, such as the inbox over a VPN. Default: the topic"),
  })
  .refine(({ ask_topic, reply_topic }) => ask_topic !== reply_topic, {
    path: ["reply_topic"],
    error: "must be another topic than ask_topic",
  })
  .refine(({ token, button_token }) => button_token === undefined || button_token !== token, {
    path: ["button_token"],
    error: "must be another token than token: whoever reads a question can use it",
  });
export type Settings = z.infer<typeof settings>;

function isBare({ username, password, search, hash }: URL): boolean {
  return `${username}${password}${search}${hash}` === "";
}

/** Who reads the ask topic. */
export function recipientOf({ name = "ntfy", ask_topic }: Pick<Settings, "name" | "ask_topic">) {
  return { name, topic: ask_topic };
}
