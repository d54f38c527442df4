import { isOpen } from "../../src/domain/question.ts";
import type { Peer, PeerMessage } from "../peer/peer-server.ts";
import type { Remains } from "./remains.ts";

type Night = Remains & { readonly peer: Peer };

/** What the platform saw: one post a question and destination, every confirmed reply stored, no untrue receipt. */
export function inspectPeer(remains: Night): string[] {
  return [...inspectPosts(remains), ...inspectNotices(remains), ...inspectReplies(remains)];
}

function inspectPosts({ peer, questions, events, copies, disturbed }: Night): string[] {
  const wrong: string[] = [];
  for (const stored of questions) {
    const { id } = stored.question;
    for (const [channel, destination] of [
      ["peer", "eric"],
      ["pager", "mara"],
    ] as const) {
      const posts = messages(peer.messages, destination, `${id}/post/`);
      const failed = events.some(
        (event) =>
          event.kind === "question.post-failed" && event.question === id && event.data.channel === channel,
      );
      const copy = copies.get(id)?.find((each) => each.destination === destination);
      const [post] = posts;
      if (posts.length > 1) wrong.push(`${id} was posted ${posts.length} times to ${destination}`);
      // A question that was decided before its post went out needs none.
      if (!post && !failed && isOpen(stored.state)) wrong.push(`${id} was never posted to ${destination}`);
      // A post whose reply died with the process, and that was not tried again since the question was decided meanwhile.
      const orphan = disturbed && post !== undefined && copy === undefined && !isOpen(stored.state);
      if (copy?.ref !== post?.ref && !orphan)
        wrong.push(`${destination} has ${post?.ref} for ${id}, the store ${copy?.ref}`);
      if (!post || !copy) continue;
      if (isOpen(stored.state)) continue;
      if (copy.revision !== stored.revision) {
        wrong.push(`${destination} shows revision ${copy.revision} of ${id}, it has ${stored.revision}`);
      }
      if (channel === "peer" && post.versions.at(-1)?.body === post.versions[0]?.body) {
        wrong.push(`the message of ${id} at ${destination} still looks open`);
      }
      const followUps = messages(peer.messages, destination, `${id}/edit/`);
      if (channel === "pager" && followUps.length === 0) {
        wrong.push(`${destination} was not told how ${id} ended`);
      }
    }
  }
  return wrong;
}

function inspectNotices({ peer, events }: Night): string[] {
  const wrong: string[] = [];
  const queued = events.filter((event) => event.kind === "notice.queued").length;
  const failed = events.filter((event) => event.kind === "notice.failed").length;
  const sent =
    messages(peer.messages, "eric", "notice/").length + messages(peer.messages, "mara", "notice/").length;
  if (sent + failed !== queued * 2)
    wrong.push(`${queued} notices to two places: ${sent} sent, ${failed} failed`);
  return wrong;
}

function inspectReplies({ peer, inbox }: Night): string[] {
  const wrong: string[] = [];
  for (const update of peer.updates) {
    const stored = inbox.has(`peer ${update.id}`);
    if (!stored && update.id < peer.confirmedBelow()) wrong.push(`the reply ${update.name} is lost`);
    if (!stored) wrong.push(`the reply ${update.name} never came in`);
  }
  for (const receipt of peer.receipts) {
    const ack = inbox.get(`peer ${receipt.key}`);
    if (!ack) wrong.push(`a receipt for the reply ${receipt.key}, which is not stored`);
    else if (ack.accepted !== receipt.accepted || ack.text !== receipt.text) {
      wrong.push(`an untrue receipt for the reply ${receipt.key}: ${receipt.text}`);
    }
  }
  const keys = peer.receipts.map((receipt) => receipt.key);
  for (const key of new Set(keys)) {
    if (keys.filter((each) => each === key).length > 1) wrong.push(`two receipts for the reply ${key}`);
  }
  return wrong;
}

function messages(all: readonly PeerMessage[], destination: string, prefix: string): PeerMessage[] {
  return all.filter((each) => each.destination === destination && each.key.startsWith(prefix));
}
