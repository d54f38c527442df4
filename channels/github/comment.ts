import type { Reply } from "../../src/domain/channel.ts";
import type { MessageRef, QuestionId } from "../../src/domain/ids.ts";
import { isMarked } from "./mark.ts";
import type { Comment } from "./rest.ts";

/** The account of the token. */
export type Me = { readonly id: string; readonly login: string };
/** Everything on a repository's issue goes to one place. */
export const destination = "default";

const id = "q-[a-z0-9]{1,8}-[a-z0-9][a-z0-9-]{0,23}-[1-9][0-9]{0,3}(?![a-z0-9-])";
const anyId = new RegExp(`(?<![a-z0-9-])${id}`, "gi");
const beginsWithId = new RegExp(`^${id}`, "i");
const verbWithId = new RegExp(`^[/!](?:answer|skip|retry|steer|override)\\s+${id}`, "i");
/** These take words of their own, which may have lines. */
const wordy = /^[/!]?(?:answer|steer)(?:@[\w-]+)?(?:\s|$)/i;
/** What may be the choice of an option and nothing else. */
const keyAlone = /^[#(]?[a-z0-9]{1,2}[.)]?$/i;
/** Lines of one comment that are heard; a thousand of them are nobody's answers. */
const mostTexts = 20;
const fence = /^\s{0,3}(`{3,}|~{3,})(.*)$/;
const quote = /^\s{0,3}>/;

/** What a text says of the version that it is: GitHub's times are whole seconds. */
export const isEdited = ({ created_at, updated_at }: Comment): boolean =>
  Date.parse(updated_at) > Date.parse(created_at);

/**
 * What a comment says to us: nothing for most, as it is people talking to each other, and more than one reply where it
 * holds several lines that each name a question. Only people speak; what begins with owlpost's own mark never does.
 *
 * @param copyOf the comment of ours that shows a question
 */
export function decode(
  comment: Comment,
  me: Me,
  key: string,
  copyOf: (question: string) => MessageRef | undefined = () => undefined,
): readonly Reply[] {
  const { body = "", user, performed_via_github_app: app } = comment;
  if (user?.type !== "User" || (app !== null && app !== undefined) || isMarked(body)) return [];
  const { quoted, lines } = linesOf(body);
  const mentions = mentionsIn(lines, me.login);
  const asked = idsIn(quoted);
  // A quote of a list names many questions and so none.
  const about = asked.length === 1 ? asked[0] : undefined;
  const texts = textsOf(lines, me.login, about !== undefined);
  return texts.map((text, index): Reply => {
    const bare = withoutMention(text, me.login);
    const question = about ?? idsIn(bare)[0];
    const to = question === undefined ? undefined : copyOf(question);
    return {
      key: index === 0 ? key : `${key}/${index + 1}`,
      sender: String(user.id),
      name: user.login,
      // Of an edited comment: when it got the words that count.
      at: Date.parse(comment.updated_at),
      text,
      chat: destination,
      // Each line is accepted or refused on its own, and so is a change of it.
      message: index === 0 ? String(comment.id) : `${comment.id}/${index + 1}`,
      addressed: mentions.length > 0 || verbWithId.test(bare),
      ...(mentions.length > 0 ? { mentions } : {}),
      ...(question === undefined ? {} : { about: question }),
      ...(to === undefined ? {} : { to }),
      ...(isEdited(comment) ? { edited: true as const } : {}),
    };
  });
}

type Line = { readonly text: string; readonly isCode: boolean };

/** What is quoted, be it above or, as mail programs do it, below; and the lines from the first one that is no quote. */
function linesOf(body: string): { readonly quoted: string; readonly lines: readonly Line[] } {
  const all = body.split(/\r\n?|\n/);
  const start = all.findIndex((line) => line.trim() !== "" && !quote.test(line));
  const from = start < 0 ? all.length : start;
  let opened: string | undefined;
  const lines = all.slice(from).map((text): Line => {
    const before = opened;
    opened = fenceBehind(text, before);
    return { text, isCode: before !== undefined || opened !== undefined };
  });
  const below = lines.filter(({ text, isCode }) => !isCode && quote.test(text)).map(({ text }) => text);
  return { quoted: [...all.slice(0, from), ...below].join("\n"), lines };
}

/** The fence in which the next line stands, given that of this one: only one of its kind, as long and alone, ends it. */
function fenceBehind(text: string, opened: string | undefined): string | undefined {
  const [, mark = "", behind = ""] = fence.exec(text) ?? [];
  if (opened !== undefined) return mark.startsWith(opened) && behind.trim() === "" ? undefined : opened;
  // Three backticks around words of one line are code on that line.
  return mark === "" || (mark.startsWith("`") && behind.includes("`")) ? undefined : mark;
}

/** The texts of a comment that may be meant for us; what else stands there is for people. */
function textsOf(lines: readonly Line[], login: string, answersOurs: boolean): readonly string[] {
  const spoken = lines.flatMap((line, index) => {
    const text = line.text.trim();
    const isOurs = mentionsIn([line], login).length > 0 || idsIn(text).length > 0;
    return line.isCode || text === "" || quote.test(line.text) ? [] : [{ text, index, isOurs }];
  });
  // Below a quote of ours the first line is the answer; elsewhere the first one that calls us or names a question.
  const from = answersOurs ? 0 : spoken.findIndex(({ isOurs }) => isOurs);
  const [first, ...more] = from < 0 ? [] : joined(spoken.slice(from), login);
  if (!first) return [];
  const bare = withoutMention(first.text, login);
  const whole = (from: number): string =>
    lines
      .slice(from)
      .map(({ text }) => text)
      .join("\n")
      .trim();
  if (wordy.test(bare)) return [whole(first.index)];
  // Another option on a line of its own: which of them is meant nobody knows.
  if (
    more.some(({ text }) => keyAlone.test(text) && keyAlone.test(lastWord(bare)) && text !== lastWord(bare))
  ) {
    return [whole(first.index)];
  }
  const texts = [first.text];
  for (const { text, index } of more) {
    if (texts.length === mostTexts) break;
    if (!beginsWithId.test(text) && !verbWithId.test(text)) continue;
    if (wordy.test(text)) return [...texts, whole(index)];
    texts.push(text);
  }
  return texts;
}

type Spoken = { readonly text: string; readonly index: number };

/** An id or a mention that stands alone belongs to the line below it. */
function joined([first, second, ...rest]: readonly Spoken[], login: string): readonly Spoken[] {
  if (!first) return [];
  if (!second) return [first];
  const bare = withoutMention(first.text, login);
  const alone = bare === "" || new RegExp(`^${id}$`, "i").test(bare);
  return alone
    ? [{ text: `${first.text} ${second.text}`, index: first.index }, ...rest]
    : [first, second, ...rest];
}

const lastWord = (text: string): string => text.split(/\s+/).at(-1) ?? "";

function idsIn(text: string): readonly QuestionId[] {
  return [...new Set((text.match(anyId) ?? []).map((found) => found.toLowerCase() as QuestionId))];
}

const mentionOf = (login: string): string => `@${login.replace(/[^\w-]/g, "\\$&")}(?![\\w-])`;

function withoutMention(text: string, login: string): string {
  return text.replace(new RegExp(`^${mentionOf(login)}[,:]?\\s*`, "i"), "");
}

/** As they stand there, alone or behind a verb. In code nobody is called. */
function mentionsIn(lines: readonly Line[], login: string): readonly string[] {
  const mention = new RegExp(`(?:(?<![\\w@/.-])|(?<=^\\s*[/!]\\w{1,20}))${mentionOf(login)}`, "gi");
  const found = lines.flatMap(({ text, isCode }) =>
    isCode || quote.test(text) ? [] : (text.replace(/`[^`]*`/g, "").match(mention) ?? []),
  );
  return [...new Set(found)];
}
