import { isOpen, type StoredQuestion } from "../../src/domain/question.ts";
import type { Message } from "../ntfy/server.ts";
import { askTopic, type NtfyDesk, replyTopic } from "./ntfy-desk.ts";
import type { Remains } from "./remains.ts";

type Night = Remains & { readonly ntfy: NtfyDesk };

/** Everything that is wrong on the phone, in words. */
export function inspectNtfy(night: Night): string[] {
  const { ntfy, questions } = night;
  const kept = ntfy.server.kept(askTopic);
  const wrong = questions.flatMap((stored) => inspectQuestion(night, stored, kept));
  wrong.push(...lostReplies(ntfy, (id) => night.inbox.has(`ntfy ${id}`), undefined));
  for (const [name, { tap, message }] of ntfy.taps) {
    const ack = night.inbox.get(`ntfy ${message.id}`);
    if (tap.forged && ack?.accepted !== false) wrong.push(`“${name}” was forged, and accepted`);
  }
  if (ntfy.server.scheduled(askTopic).length > 0)
    wrong.push("a last word waits, although all was closed in order");
  const published = ntfy.front.calls.filter(({ kind }) => kind === "post" || kind === "edit");
  for (const { headers } of published) {
    if (!/^[\x20-\x7e]*$/.test(JSON.stringify(headers))) wrong.push("a header held more than ASCII");
  }
  return wrong;
}

function inspectQuestion(night: Night, stored: StoredQuestion, kept: readonly Message[]): string[] {
  const { id } = stored.question;
  const copies = (night.copies.get(id) ?? []).filter(({ channel }) => channel === "ntfy");
  const wrong: string[] = [];
  const posts = kept.filter(
    ({ actions = [], priority }) =>
      priority === 4 && actions.some(({ body = "" }) => body.startsWith(`${id} `)),
  );
  const sequences = new Set(posts.map(({ sequence_id: sequence }) => sequence));
  // Ringing once is what a sequence id alone does not promise.
  if (posts.length !== 1) wrong.push(`${id} rang ${posts.length} times`);
  if (sequences.size !== 1) wrong.push(`${id} stands ${sequences.size} times`);
  const [sequence = ""] = sequences;
  const latest = kept.findLast((message) => message.sequence_id === sequence);
  const about = `${id} (${stored.state})`;
  if (isOpen(stored.state)) {
    if (copies.map(({ ref }) => ref).join() !== sequence)
      wrong.push(`${about} is not the copy that stands there`);
    if ((latest?.actions?.length ?? 0) === 0) wrong.push(`${about} has lost its buttons`);
    return wrong;
  }
  // Decided before anybody knew of its message: the receipt has told it.
  const [copy] = copies;
  if (!copy) {
    const told = kept.some(
      ({ message = "" }) => message.startsWith("Answered: ") || message.startsWith("Skipped: "),
    );
    return told ? wrong : [...wrong, `${about} was decided, and nobody was told`];
  }
  if (copy.revision !== stored.revision)
    wrong.push(`${about} shows revision ${copy.revision} of ${stored.revision}`);
  if (latest?.actions) wrong.push(`${about} can still be pressed`);
  const words =
    { applied: "▶ Picked up by", resolved: `closed as ${stored.result}` }[stored.state as string] ?? "✅";
  if (!latest?.message?.includes(words)) wrong.push(`${about} does not say “${words}”: ${latest?.message}`);
  return wrong;
}

/** What was left behind is in the inbox table: by the cursor, whose latest message is `last`, or where that is absent, all. */
export function lostReplies(
  desk: NtfyDesk,
  isStored: (id: string) => boolean,
  last: string | undefined,
): string[] {
  return desk.server
    .kept(replyTopic)
    .filter(({ id }) => (last === undefined || id <= last) && !isStored(id))
    .map(({ id, message }) => `the reply ${id} (${message}) is lost`);
}
