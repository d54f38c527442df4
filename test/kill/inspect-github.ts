import { markIn } from "../../channels/github/mark.ts";
import { isOpen } from "../../src/domain/question.ts";
import { bot, issue, repository, shown, stranger } from "../github/cast.ts";
import type { StoredComment } from "../github/server.ts";
import type { GitHubDesk } from "./github-desk.ts";
import type { Remains } from "./remains.ts";

type Night = Remains & { readonly github: GitHubDesk };

/** What stands in the comments: each message once, whatever was killed; each answer stored, and told once. */
export function inspectGitHub(night: Night): string[] {
  return [...inspectMarks(night), ...inspectPosts(night), ...inspectAnswers(night)];
}

const ours = ({ github }: Night): readonly StoredComment[] =>
  github.api.comments(repository, issue).filter(({ login }) => login === bot.login);

/** The mark under which a comment was written; an edit has another one. */
const markOf = ({ versions }: StoredComment): string => markIn(versions[0] ?? "");

function inspectMarks(night: Night): string[] {
  const marks = ours(night).map(markOf);
  return marks.filter((mark, at) => marks.indexOf(mark) !== at).map((mark) => `${mark} stands twice`);
}

function inspectPosts(night: Night): string[] {
  return night.questions.flatMap((stored): string[] => {
    const { id } = stored.question;
    const posts = ours(night).filter((each) => markOf(each).includes(`:${id}/post/`));
    const [post] = posts;
    if (!post || posts.length > 1) return [`${id} was posted ${posts.length} times`];
    const copies = night.copies.get(id) ?? [];
    if (copies.length !== 1 || copies[0]?.ref !== String(post.id)) {
      return [
        `${id} stands in ${post.id}, the store has ${copies.map(({ ref }) => ref).join() || "no copy"}`,
      ];
    }
    if (isOpen(stored.state)) return post.versions.length > 1 ? [`${id} was edited while it waits`] : [];
    const words = stored.state === "resolved" ? `closed as ${stored.result}` : "▶ Picked up by";
    return [
      ...(copies[0].revision === stored.revision ? [] : [`${post.id} shows an old revision of ${id}`]),
      ...(post.body.includes(words)
        ? []
        : [`${post.id} of ${id} does not say “${words}”: ${shown(post.body)}`]),
    ];
  });
}

function inspectAnswers(night: Night): string[] {
  const receipts = ours(night).filter((each) => !/:q-[^:]*\/post\//.test(markOf(each)));
  const wrong: string[] = [];
  const left = new Set(receipts);
  for (const { said, id } of night.github.said.values()) {
    if (!said.text.includes("q-")) continue;
    const keys =
      said.text.split("\n").filter((line) => /^(?:q-|\/)/.test(line)).length > 1
        ? [`${id}`, `${id}/2`]
        : [`${id}`];
    for (const key of keys) {
      const ack = night.inbox.get(`github ${key}`);
      if (!ack) {
        wrong.push(`“${said.name}” is lost`);
        continue;
      }
      const told = receipts.filter(
        ({ body }) => body.includes(`#issuecomment-${id})`) && says(body, ack.text),
      );
      for (const each of told) left.delete(each);
      const due = said.login === stranger.login || ack.text === "" ? 0 : 1;
      if (told.length !== due) wrong.push(`“${said.name}” was told ${told.length} times: ${ack.text}`);
    }
  }
  for (const each of left) wrong.push(`${each.id} says what nobody has decided: ${shown(each.body)}`);
  return wrong;
}

const plain = (text: string): string =>
  text
    .replace(/[\u2060\\]/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">");
const says = (body: string, text: string): boolean => text !== "" && plain(body).includes(plain(text));
