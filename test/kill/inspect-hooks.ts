import { isOpen, type StoredQuestion } from "../../src/domain/question.ts";
import type { HooksDesk } from "./hooks-desk.ts";
import type { Remains } from "./remains.ts";
import type { Found } from "./telegram-posts.ts";

type Night = Remains & { readonly hooks: HooksDesk };

/**
 * What two channels saw that only tell. A receiver knows a message again by its id, so nothing may stand there twice; a card of
 * Feishu's may, once for each answer that was lost and each death.
 */
export function inspectHooks(night: Night): Found {
  const cards = inspectCards(night);
  return {
    wrong: [...inspectReceived(night), ...cards.wrong, ...inspectNotices(night)],
    doubles: cards.doubles,
  };
}

function inspectReceived({ hooks, questions, copies, disturbed }: Night): string[] {
  const wrong: string[] = [];
  for (const stored of questions) {
    const { id } = stored.question;
    const about = hooks.receiver.received.filter(({ read }) => read.question === id);
    const posts = about.filter(({ read }) => read.type === "question");
    const followUps = about.filter(({ read }) => read.type === "follow-up");
    const copy = copies.get(id)?.find(({ channel }) => channel === "webhook");
    const [post] = posts;
    if (posts.length > 1) wrong.push(`${id} stands ${posts.length} times at the receiver`);
    if (!post && isOpen(stored.state)) wrong.push(`${id} never came to the receiver`);
    // A post whose answer died with the process, and that was not tried again since the question was decided meanwhile.
    const orphan = disturbed && post !== undefined && copy === undefined && !isOpen(stored.state);
    if (copy?.ref !== post?.id && !orphan)
      wrong.push(`the receiver has ${post?.id} for ${id}, the store ${copy?.ref}`);
    wrong.push(
      ...inspectFollowUps(
        stored,
        "the receiver",
        followUps.map(({ text }) => text),
        copy !== undefined,
      ),
    );
    if (followUps.some(({ read }) => read.follows !== post?.id))
      wrong.push(`a follow-up of ${id} follows nothing`);
    if (copy && !isOpen(stored.state) && copy.revision !== stored.revision)
      wrong.push(`the receiver was shown revision ${copy.revision} of ${id}, it has ${stored.revision}`);
  }
  return wrong;
}

/** None while it is open, each at most once, and the last one tells how it stands. */
function inspectFollowUps(
  { question: { id }, state }: StoredQuestion,
  where: string,
  texts: readonly string[],
  isShown: boolean,
): string[] {
  const wrong: string[] = [];
  if (isOpen(state) && texts.length > 0) wrong.push(`${where} was told of ${id} that nothing has happened`);
  if (new Set(texts).size < texts.length) wrong.push(`${where} was told the same of ${id} twice`);
  if (!isOpen(state) && isShown && texts.length === 0) wrong.push(`${where} was never told how ${id} ended`);
  const last = texts.at(-1);
  const mark = state === "cancelled" ? "🚫" : "▶ Picked up";
  if (last !== undefined && !last.includes(mark)) wrong.push(`${where} was last told of ${id}: ${last}`);
  return wrong;
}

function inspectCards({ hooks, questions, copies }: Night): Found {
  const wrong: string[] = [];
  const doubles: string[] = [];
  for (const stored of questions) {
    const { id } = stored.question;
    const texts = hooks.bot.messages
      .map((message) => message.texts.join("\n"))
      .filter((text) => text.includes(id));
    const posts = texts.filter((text) => text.includes("owlpost needs"));
    const followUps = texts.filter((text) => !text.includes("owlpost needs"));
    const isShown = copies.get(id)?.some(({ channel }) => channel === "feishu") ?? false;
    if (posts.length === 0 && isOpen(stored.state)) wrong.push(`${id} never came to Feishu`);
    if (isShown && posts.length === 0) wrong.push(`${id} has a copy on Feishu, where nothing stands`);
    for (const text of [...posts.slice(1), ...followUps.filter((each, n) => followUps.indexOf(each) < n)])
      doubles.push(`a second card of ${id}: ${text.slice(0, 60)}`);
    wrong.push(...inspectFollowUps(stored, "Feishu", [...new Set(followUps)], isShown));
  }
  const lost = hooks.bot.calls.filter((call) => call.lost).length;
  if (doubles.length > lost + hooks.deaths())
    wrong.push(`${doubles.length} cards stand twice, for ${lost} lost answers and ${hooks.deaths()} deaths`);
  return { wrong, doubles };
}

function inspectNotices({ hooks, events }: Night): string[] {
  const queued = events.filter(({ kind }) => kind === "notice.queued").length;
  const received = hooks.receiver.received.filter(({ read }) => read.type === "notice").length;
  return received === queued ? [] : [`${queued} notices, and ${received} at the receiver`];
}
