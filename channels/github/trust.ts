import { ChannelError } from "../../src/domain/channel.ts";
import { isEdited } from "./comment.ts";
import type { Call } from "./line.ts";
import type { Issue } from "./place.ts";
import type { Collaborator, Comment } from "./rest.ts";

export const permissions = ["read", "triage", "write", "maintain", "admin"] as const;
export type Permission = (typeof permissions)[number];

/** How long what somebody may do on the repository is believed, and that GraphQL has no word for us. */
const believedMs = 60_000;

type Writer = { readonly databaseId?: number };
type Version = {
  readonly node: {
    readonly body?: string;
    readonly author?: Writer | null;
    readonly editor?: Writer | null;
  } | null;
};

const query = `query ($id: ID!) {
  node(id: $id) { ... on IssueComment { body author { ... on User { databaseId } } editor { ... on User { databaseId } } } }
}`;

/**
 * Did its author write these words? Whoever may write to a repository may change the comments of others there, and the
 * changed words stand under the first author's name: only GraphQL tells who changed them. Where it does not, nobody knows.
 * What shows no change is believed all the same: one that was made within the second of the comment shows by its editor alone.
 */
export function authorship(call: Call) {
  let noWordUntil = Number.NEGATIVE_INFINITY;
  return async (comment: Comment, signal: AbortSignal): Promise<boolean> => {
    const { node_id: id, user, body = "" } = comment;
    const isChanged = isEdited(comment);
    if (id === undefined || !user) return !isChanged;
    if (!isChanged && performance.now() < noWordUntil) return true;
    try {
      const { node } = await call(signal, (api, until) => api.graphql<Version>(query, { id, ...until }));
      if (!isChanged) return !node?.editor || isOf(user, node.editor);
      // Other words: it was changed again, and that version is read on its own.
      return isOf(user, node?.author) && isOf(user, node?.editor) && same(node?.body, body);
    } catch (error) {
      if (signal.aborted || (isChanged && error instanceof ChannelError && mayPass(error))) throw error;
      // Where nobody tells, a whole page of comments does not wait for it.
      noWordUntil = performance.now() + believedMs;
      return !isChanged;
    }
  };
}

const isOf = (user: { readonly id: number }, who: Writer | null | undefined): boolean =>
  who?.databaseId !== undefined && String(who.databaseId) === String(user.id);

const same = (one: string | undefined, other: string): boolean =>
  (one ?? "").replace(/\r\n?/g, "\n").trim() === other.replace(/\r\n?/g, "\n").trim();

/** Asked again later it may be answered; anything else is an answer already. */
const mayPass = ({ reason }: ChannelError): boolean =>
  ["unavailable", "rate-limited", "no-answer", "unreachable", "stopped", "token-refused"].includes(reason);

const mayNotLook =
  "GitHub: least_permission asks what people may do on the repository, and the token's account may not look that up: give that account write access there, or take channels.github.least_permission out";

/** What a person may do on the repository: `none` where nothing. */
export async function permissionOf(
  call: Call,
  { owner, repo }: Pick<Issue, "owner" | "repo">,
  username: string,
  signal: AbortSignal,
): Promise<Permission | "none"> {
  try {
    const { data } = await call(signal, (api, until) =>
      api.request<Collaborator>("GET /repos/{owner}/{repo}/collaborators/{username}/permission", {
        owner,
        repo,
        username,
        ...until,
      }),
    );
    // The older field knows no triage and no maintain.
    return [data.role_name, data.permission].map(known).find((each) => each !== undefined) ?? "none";
  } catch (error) {
    if (error instanceof ChannelError && error.reason === "not-found") return "none";
    if (error instanceof ChannelError && error.reason === "no-access") {
      throw new ChannelError("may-not-look", mayNotLook, { delivered: "no" });
    }
    throw error;
  }
}

const known = (name: string | undefined): Permission | undefined => permissions.find((each) => each === name);

/** Beside the list of those who may answer, and never instead of it: who may do at least that on the repository? */
export function permitting(call: Call, issue: Issue, least: Permission | undefined) {
  const looked = new Map<string, { readonly at: number; readonly may: boolean }>();
  return async (login: string, signal: AbortSignal): Promise<boolean> => {
    if (least === undefined) return true;
    const now = performance.now();
    const before = looked.get(login);
    if (before && now - before.at < believedMs) return before.may;
    const has = await permissionOf(call, issue, login, signal);
    const may = has !== "none" && permissions.indexOf(has) >= permissions.indexOf(least);
    looked.set(login, { at: now, may });
    return may;
  };
}
