import type { Button, ChannelTools } from "../../src/domain/channel.ts";
import { questionId } from "../../src/domain/ids.ts";

/** Whoever a message is for: a token that was made for one of them is worth nothing for another. */
export type Recipient = { readonly name: string; readonly topic: string };

/** What a button publishes, such as `q-a3f2-012-1 2 ` and a token: it proves question, choice and recipient, and nothing else. */
export function pressBody(
  { question, action }: Pick<Button, "question" | "action">,
  recipient: Recipient,
  tools: Pick<ChannelTools, "sign">,
): string {
  const said = "key" in action ? action.key : `/${action.verb}`;
  return `${question} ${said} ${tools.sign(...signed(question, said, recipient))}`;
}

const shape = /^(q-[a-z0-9-]{1,48}) ([a-z0-9]{1,8}|\/skip|\/go|\/more) ([A-Za-z2-7]{26})$/;
const actions: Readonly<Record<string, string>> = { "/skip": "skip", "/go": "go" };

export type Press = {
  readonly press: { readonly question: string; readonly action: string };
  /** The question that its token is for; `null` where it is not valid. */
  readonly token: string | null;
};

/** What was pressed, where a text has the form of a button's body. */
export function readPress(
  text: string,
  recipient: Recipient,
  tools: Pick<ChannelTools, "isSigned">,
): Press | undefined {
  const [, question = "", said = "", token = ""] = shape.exec(text) ?? [];
  if (!questionId(question)) return undefined;
  const valid = tools.isSigned(token, ...signed(question, said, recipient));
  return { press: { question, action: actions[said] ?? said }, token: valid ? question : null };
}

function signed(question: string, said: string, { name, topic }: Recipient): readonly string[] {
  return [question, said, name, topic];
}
