import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { furnish, issue, repository, shown } from "../github/cast.ts";
import { type Fault, type GitHub, startGitHub } from "../github/server.ts";

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

  const door = createServer((request, response) => {
    const act = async (): Promise<unknown> => {
      const body = await bodyOf(request);
      switch (request.url) {
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
          throw new Error(`no door ${request.url}`);
      }
    };
    act().then(
      (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => door.listen(0, "127.0.0.1", listening));
  const { port } = door.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    api,
    said,
    async close() {
      door.closeAllConnections();
      await new Promise((closed) => door.close(closed));
      await api.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? undefined : JSON.parse(text);
}
