import { ChannelError } from "../../src/domain/channel.ts";
import { type Call, Unchanged } from "./line.ts";
import type { Issue } from "./place.ts";
import type { Repository } from "./rest.ts";

export const publicText = (name: string): string =>
  `${name} is public: everybody could read what is asked there. Make it private, name a private repository in channels.github.repository, or write public: true into channels.github`;

/**
 * Nothing goes to a repository that everybody reads, unless the configuration says so: looked up before a message, and again
 * once what is known is older than `believedMs`. Rejects with a `ChannelError`.
 */
export function audience(call: Call, issue: Issue, mayBePublic: boolean, believedMs: number) {
  const { owner, repo } = issue;
  let privateAt = Number.NEGATIVE_INFINITY;
  let etag: string | undefined;
  return async (signal: AbortSignal): Promise<void> => {
    if (mayBePublic || performance.now() - privateAt < believedMs) return;
    const headers = etag === undefined ? {} : { "if-none-match": etag };
    try {
      const { data, headers: told } = await call(
        signal,
        (api, until) =>
          api.request<Repository>("GET /repos/{owner}/{repo}", { owner, repo, headers, ...until }),
        "post",
      );
      if (!data.private) {
        etag = undefined;
        throw new ChannelError("public-repository", `GitHub: ${publicText(data.full_name)}`, {
          closed: true,
          delivered: "no",
        });
      }
      etag = told.etag;
    } catch (error) {
      // Only what was private is asked for like this.
      if (!(error instanceof Unchanged)) throw error;
    }
    privateAt = performance.now();
  };
}
