import {
  type Button,
  ChannelError,
  type ChannelMessage,
  type ChannelTools,
} from "../../src/domain/channel.ts";
import { pressBody } from "./body.ts";
import { recipientOf, type Settings } from "./settings.ts";

/** One byte more, and the server makes a file of the message. */
const mostMessageBytes = 4095;
const mostRequestBytes = 8192;
const mostActions = 3;

/** 1: no sound, no vibration; 3: the server's default; 4: a long vibration. */
const priorities = { silent: 1, plain: 3, question: 4 } as const;

export type Published = ReturnType<typeof encode>;

/** What is published: JSON, so that no header carries more than ASCII. Throws a `ChannelError` for what the server would cut. */
export function encode(
  _destination: string,
  message: ChannelMessage,
  tools: Pick<ChannelTools, "sign">,
  given: Settings,
) {
  const asks = message.buttons.length > 0;
  const published = {
    topic: given.ask_topic,
    title: titleOf(message),
    message: message.body,
    priority: priorities[message.silent ? "silent" : asks ? "question" : "plain"],
    // Shown as an owl before the title; ours have one of their own.
    ...(asks ? { tags: ["owl"] } : {}),
    ...(given.click === undefined ? {} : { click: given.click }),
    ...(asks
      ? { actions: message.buttons.slice(0, mostActions).map((button) => action(button, tools, given)) }
      : {}),
  };
  if (Buffer.byteLength(published.message) > mostMessageBytes) throw tooLong();
  return published;
}

/** A text of one line would stand there twice. */
function titleOf({ headline, plain }: ChannelMessage): string {
  return visible(plain) === visible(headline) ? "🦉 owlpost" : headline;
}

/** Without the joiner that keeps an app from making links. */
const visible = (text: string): string => text.replaceAll("\u2060", "");

/** The request, with what its kind adds. */
export function requestBody(published: Published, more: Readonly<Record<string, string>>): string {
  const body = JSON.stringify({ ...published, ...more });
  if (Buffer.byteLength(body) > mostRequestBytes) throw tooLong();
  return body;
}

function tooLong(): ChannelError {
  return new ChannelError("too-long", "ntfy: the text is longer than ntfy takes", {
    permanent: true,
    delivered: "no",
  });
}

/** Pressed, it publishes to the reply topic with a token that may do nothing else; then the notification goes. */
function action(button: Button, tools: Pick<ChannelTools, "sign">, given: Settings) {
  const { base_url, reply_topic, button_token } = given;
  return {
    action: "http",
    label: button.label,
    url: `${base_url.replace(/\/+$/, "")}/${reply_topic}`,
    method: "POST",
    ...(button_token === undefined ? {} : { headers: { Authorization: `Bearer ${button_token}` } }),
    body: pressBody(button, recipientOf(given), tools),
    // Whoever wants more of them goes on reading.
    clear: !("verb" in button.action && button.action.verb === "more"),
  };
}
