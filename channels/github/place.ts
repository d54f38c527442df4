import { ChannelError } from "../../src/domain/channel.ts";
import type { Me } from "./comment.ts";
import { type Call, Unchanged } from "./line.ts";
import type { Account, Comment } from "./rest.ts";

/** Where comments go, as GitHub's routes name it. */
export type Issue = { readonly owner: string; readonly repo: string; readonly issue_number: number };

export type Page = {
  readonly comments: readonly Comment[];
  readonly isLast: boolean;
  readonly etag?: string;
  /** How long GitHub asks to be left alone before the next poll. */
  readonly pollMs: number;
};

export const perPage = 100;
/** A timer of Node's that is asked for more than 24 days does not wait at all. */
const mostPollSeconds = 3_600;

/** One page of the issue's comments that were written or changed since; undefined where nothing is new since the ETag. */
export async function pageOf(
  call: Call,
  issue: Issue,
  ask: { readonly since: number; readonly page: number; readonly etag?: string | undefined },
  signal: AbortSignal,
): Promise<Page | undefined> {
  const headers = ask.etag === undefined ? {} : { "if-none-match": ask.etag };
  const since = new Date(ask.since).toISOString().replace(/\.\d+Z$/, "Z");
  try {
    const { data, headers: told } = await call(signal, (api, until) =>
      api.request<readonly Comment[]>("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", {
        ...issue,
        since,
        per_page: perPage,
        page: ask.page,
        headers,
        ...until,
      }),
    );
    return {
      // A server that knows no `since` gives all.
      comments: data.filter(({ updated_at }) => Date.parse(updated_at) >= Date.parse(since)),
      isLast: !/rel="next"/.test(told.link ?? ""),
      pollMs: Math.min(Number(told["x-poll-interval"]) || 0, mostPollSeconds) * 1_000,
      ...(told.etag === undefined ? {} : { etag: told.etag }),
    };
  } catch (error) {
    if (error instanceof Unchanged) return undefined;
    throw error;
  }
}

/** A comment of that issue, by its number or by that of a line in it; undefined where it is gone. */
export async function commentOf(call: Call, issue: Issue, id: string, signal: AbortSignal) {
  try {
    const { owner, repo } = issue;
    const { data } = await call(signal, (api, until) =>
      api.request<Comment>("GET /repos/{owner}/{repo}/issues/comments/{comment_id}", {
        owner,
        repo,
        comment_id: Number.parseInt(id, 10),
        ...until,
      }),
    );
    return data;
  } catch (error) {
    if (error instanceof ChannelError && ["not-found", "gone"].includes(error.reason)) return undefined;
    throw error;
  }
}

/** Whose token it is: a person's or a bot's account, and not an app without one. */
export async function accountOf(call: Call, signal: AbortSignal): Promise<Me> {
  try {
    const { data } = await call(signal, (api, until) => api.request<Account>("GET /user", { ...until }));
    return { id: String(data.id), login: data.login };
  } catch (error) {
    if (!(error instanceof ChannelError && error.reason === "no-access")) throw error;
    const text =
      "GitHub: the token belongs to an app and to no account: make a personal access token, of an account for owlpost";
    throw new ChannelError("no-account", text, { delivered: "no" });
  }
}
