import { furnish, issue, repository, shown } from "../github/cast.ts";
import { type Fault, type GitHub, startGitHub } from "../github/server.ts";
import { openDoor } from "./door.ts";

/** What somebody comments. */
export type Commented = {
  /** The same name again is the same comment. */
  readonly name: string;
  readonly login: string;
  readonly text: string;
};

export type GitHubDesk = {
  readonly url: string;
  readonly api: GitHub;
  /** Everything that people commented, with the id that it got. */
  readonly said: ReadonlyMap<string, { readonly said: Commented; readonly id: number }>;
  close(): Promise<void>;
};

/**
 * GitHub and the people on it, in the process that survives every kill: the strict server with a clock that the scene
 * moves, and a door through which the child plays the people.
 */
export async function startGitHubDesk(): Promise<GitHubDesk> {
  let aheadMs = 0;
  const api = await startGitHub({ now: () => Date.now() + aheadMs });
  furnish(api);
  const said = new Map<string, { readonly said: Commented; readonly id: number }>();

  function comment(what: Commented): { readonly id: number } {
    const known = said.get(what.name);
    if (known) return { id: known.id };
    const id = api.say(repository, issue, what.login, what.text);
    said.set(what.name, { said: what, id });
    return { id };
  }

  const door = await openDoor((path, body) => {
    switch (path) {
      case "/person/comment":
        return comment(body as Commented);
      case "/person/fault":
        return api.fail(body as Fault);
      case "/person/clock":
        aheadMs = (body as { ms: number }).ms;
        return {};
      case "/api":
        return { url: api.url };
      case "/told":
        return { told: api.isTold() };
      case "/texts":
        return api.comments(repository, issue).map(({ body }) => shown(body));
      default:
        throw new Error(`no door ${path}`);
    }
  });

  return {
    url: door.url,
    api,
    said,
    async close() {
      await door.close();
      await api.close();
    },
  };
}
