import { eric, mara, messageOf, stranger, token } from "./telegram-desk.ts";
import { type Found, messagesOf, type Night, type Post } from "./telegram-posts.ts";

const botId = token.split(":")[0];

/** Something that was committed and has to be told once, in one chat. */
type Due = {
  readonly what: string;
  readonly text: string;
  readonly replyTo?: number;
  /** Beyond six refusals a minute it may stand as this line of a gathered receipt instead. */
  readonly line?: string;
  /** Text that is no reply gets one line of help a minute. */
  readonly isHelp?: true;
};

/**
 * Whatever was typed and stored is answered exactly once, in reply to it, with the words that were decided; every notice is
 * there once; and nothing else was said to anybody. What nobody could record may stand twice, and only that.
 */
export function inspectReceipts(night: Night): Found {
  const found = [eric, mara, stranger].map((chat) => inspectChat(night, chat));
  return {
    wrong: [...found.flatMap(({ wrong }) => wrong), ...inspectClaims(night)],
    doubles: found.flatMap(({ doubles }) => doubles),
  };
}

function inspectChat(night: Night, chat: number): Found {
  const wrong: string[] = [];
  const doubles: string[] = [];
  const left = new Set(messagesOf(night.telegram, chat, (markup) => !markup.includes("o1|")));
  const gathered: Post[] = [];
  /** Takes those that hold one text for one message: the last is the one that counts, those before must be nobody's to know. */
  const settle = (what: string, posts: readonly Post[]): void => {
    posts.forEach((post, index) => {
      left.delete(post);
      const { message, unknown } = post;
      if (index === posts.length - 1) return;
      if (unknown) doubles.push(`${chat}:${message.message_id}, ${what}: ${unknown}`);
      else wrong.push(`${what} stands again in ${chat}, although ${message.message_id} had arrived`);
    });
  };
  for (const post of left) {
    if (post.message.versions.length > 1) left.delete(post);
    else if (/^\d+ repl(?:y was|ies were) refused:\n/.test(post.message.text)) gathered.push(post);
  }
  const lines: string[] = [];
  const texts = new Set(gathered.map(({ message }) => spoken(message.text)));
  for (const text of texts) {
    const [head = "", ...rest] = text.split("\n");
    if (Number.parseInt(head, 10) !== rest.length) wrong.push(`“${head}” stands above ${rest.length} lines`);
    lines.push(...rest.map((line) => line.replace(/^• /, "")));
    settle(
      `“${head}”`,
      gathered.filter(({ message }) => spoken(message.text) === text),
    );
  }
  let helped = 0;
  for (const due of [...dueTo(night, chat), ...noticesTo(night, chat)]) {
    const posts = [...left].filter(
      ({ message }) => message.replyTo === due.replyTo && spoken(message.text) === spoken(due.text),
    );
    settle(due.what, posts);
    if (due.isHelp) helped += posts.length;
    const place = due.line === undefined ? -1 : lines.indexOf(due.line);
    if (place >= 0) lines.splice(place, 1);
    if (posts.length > 0 && place >= 0) wrong.push(`${due.what} was told alone and among others`);
    if (posts.length === 0 && place < 0 && !due.isHelp) {
      wrong.push(`${due.what} was never told in ${chat}: ${due.text}`);
    }
  }
  if (dueTo(night, chat).some(({ isHelp }) => isHelp) && helped === 0) wrong.push(`${chat} got no help`);
  for (const line of lines) wrong.push(`a gathered line in ${chat} answers nothing: ${line}`);
  for (const { message } of left) {
    wrong.push(`${chat}:${message.message_id} says what nobody has decided: ${message.text}`);
  }
  return { wrong, doubles };
}

function dueTo({ telegram, inbox }: Night, chat: number): Due[] {
  return [...telegram.said.values()].flatMap(({ said, update }): Due[] => {
    const ack = inbox.get(`telegram ${botId}:${update.update_id}`);
    const replyTo = messageOf(update);
    if (said.from !== chat || !ack || ack.text === "" || replyTo === undefined) return [];
    const what = `“${said.name}”`;
    if (ack.accepted) return [{ what, text: ack.text, replyTo }];
    if (ack.reason === "unmatched") return [{ what, text: ack.text, replyTo, isHelp: true }];
    return [{ what, text: ack.text, replyTo, line: spoken(`“${said.text}”: ${ack.text.split("\n", 1)[0]}`) }];
  });
}

/** The scenes have one owner beside whoever is announced. */
function noticesTo({ events }: Night, chat: number): Due[] {
  if (chat !== eric) return [];
  return events
    .filter(({ kind }) => kind === "notice.queued")
    .map(({ data }) => ({ what: "a notice", text: `🦉 Who may speak here\n\n${data.text}` }));
}

/** Every answer and every change that somebody was told of is in the log, as often as it was told. */
function inspectClaims({ telegram, inbox, events }: Night): string[] {
  const wrong: string[] = [];
  const told = new Map<string, number>();
  // A note is told with the state of its question, which it does not change.
  const typed = [...telegram.said.values()].filter(({ said }) => !said.text.startsWith("/steer"));
  const updates = [...typed, ...telegram.taps.values()].map(({ update }) => update.update_id);
  for (const update of updates) {
    const ack = inbox.get(`telegram ${botId}:${update}`);
    if (!ack?.accepted || ack.repeated || ack.replayed) continue;
    told.set(ack.state, (told.get(ack.state) ?? 0) + 1);
  }
  for (const [state, kinds] of [
    ["answered", ["question.answered", "question.overridden"]],
    ["paired", ["person.paired"]],
    ["unpaired", ["person.unpaired"]],
  ] as const) {
    const logged = events.filter(
      ({ kind, data }) => kinds.some((each) => each === kind) && data.via === "telegram",
    ).length;
    if (logged !== (told.get(state) ?? 0)) {
      wrong.push(`${told.get(state) ?? 0} replies were told “${state}”, ${logged} are in the log`);
    }
  }
  return wrong;
}

/** Without the joiners that nobody sees, which keep a platform from making a command of a word, and without indentation. */
function spoken(text: string): string {
  return text
    .replaceAll("\u2060", "")
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}
