import { ChannelError } from "../../src/domain/channel.ts";
import type { Call } from "./line.ts";
import type { Issue } from "./place.ts";
import type { IssueAsTold, Repository } from "./rest.ts";

/** Does the issue take comments as things stand, as far as reading tells? False also where it cannot be read. */
export async function takesComments(
  call: Call,
  issue: Issue,
  mayBePublic: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { owner, repo } = issue;
  try {
    const { data: there } = await call(signal, (api, until) =>
      api.request<Repository>("GET /repos/{owner}/{repo}", { owner, repo, ...until }),
    );
    if (there.archived || !there.has_issues || !(there.private || mayBePublic)) return false;
    const { data } = await call(signal, (api, until) =>
      api.request<IssueAsTold>("GET /repos/{owner}/{repo}/issues/{issue_number}", { ...issue, ...until }),
    );
    return !data.locked || there.permissions?.push === true;
  } catch (error) {
    if (error instanceof ChannelError && ["not-found", "gone", "no-access"].includes(error.reason))
      return false;
    throw error;
  }
}
