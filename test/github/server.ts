import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Account = {
  readonly id: number;
  readonly login: string;
  readonly type: "User" | "Bot" | "Organization";
};
/** `reads`: a fine-grained token that may read issues and not write them. */
export type Token = {
  readonly login: string;
  readonly kind: "fine" | "reads" | "classic" | "app";
  readonly scopes?: string;
  readonly expires?: string;
};
export type Right = "read" | "triage" | "write" | "maintain" | "admin";
export type Repository = {
  readonly id: number;
  owner: string;
  name: string;
  private: boolean;
  archived: boolean;
  issuesOff: boolean;
  readonly rights: Map<string, Right>;
  readonly issues: Map<number, Issue>;
};
type Issue = { readonly number: number; title: string; state: "open" | "closed"; locked: boolean };
export type StoredComment = {
  readonly id: number;
  readonly repository: number;
  readonly issue: number;
  readonly login: string;
  readonly created: number;
  readonly app?: string;
  body: string;
  updated: number;
  editor?: string;
  /** The words as they were written, then as each change left them. */
  readonly versions: string[];
};

export type Kind =
  | "list"
  | "comment"
  | "post"
  | "edit"
  | "user"
  | "repository"
  | "graphql"
  | "permission"
  | "other";
/**
 * The next calls of that kind fail. `swallow`: it is done, but its reply never arrives; `reset`: it is not even read; `hang`:
 * nothing comes back at all; `page`: somebody in between answers with that status and a page of its own.
 */
export type Fault = {
  readonly on: Kind;
  readonly how:
    | "swallow"
    | "reset"
    | "hang"
    | { readonly page: number }
    | {
        readonly status: number;
        readonly message?: string;
        readonly headers?: Readonly<Record<string, string>>;
      };
  times: number;
};
export type Call = {
  readonly kind: Kind;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: string;
  /** The id of the comment that was made or changed. */
  readonly comment?: number;
  readonly lost?: true;
};

type Answer = { readonly status: number; readonly data?: unknown; readonly headers?: Record<string, string> };
type Asked = {
  readonly kind: Kind;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
  readonly as: Token & { readonly account: Account };
};

const says = (status: number, message: string, more: Record<string, unknown> = {}): Answer => ({
  status,
  data: { message, documentation_url: "https://docs.github.com/rest", status: String(status), ...more },
});
const notFound = says(404, "Not Found");
const noAccess = says(403, "Resource not accessible by personal access token");
const mostCharacters = 65_536;
const rightsInOrder: readonly Right[] = ["read", "triage", "write", "maintain", "admin"];
const pageLimit = 100;

export const secondary = (seconds?: number): Extract<Fault["how"], { status: number }> => ({
  status: 403,
  message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
  ...(seconds === undefined ? {} : { headers: { "retry-after": String(seconds) } }),
});
export const tooMany = (seconds: number): Extract<Fault["how"], { status: number }> => ({
  status: 429,
  message: "Too many requests",
  headers: { "retry-after": String(seconds) },
});

export type GitHub = Awaited<ReturnType<typeof startGitHub>>;

/**
 * GitHub's REST API as far as comments need it, on loopback, in the process that survives every kill. It says no where
 * GitHub says no: without a token or a user agent, to whoever may not see or write, to what is locked, archived, too long
 * or too much. Its clock is `now`.
 */
export async function startGitHub(options: { readonly now?: () => number } = {}) {
  const { now = Date.now } = options;
  const accounts = new Map<string, Account>();
  const tokens = new Map<string, Token>();
  const repositories: Repository[] = [];
  /** Names that were given up, and the repository that had them. */
  const oldNames = new Map<string, number>();
  const comments: StoredComment[] = [];
  const calls: Call[] = [];
  const writes: number[] = [];
  let faults: Fault[] = [];
  let nextId = 2_000_000_001;
  let used = 0;
  let pollSeconds = 0;
  let knowsEditors = true;
  /** Counts every change of a comment; and how many of them the latest list left out, as nothing was new. */
  let changes = 0;
  let known = -1;

  const seconds = (at = now()): string =>
    new Date(Math.floor(at / 1_000) * 1_000).toISOString().replace(".000", "");
  const account = (login: string): Account => {
    const found = accounts.get(login.toLowerCase());
    if (!found) throw new Error(`no account ${login}`);
    return found;
  };
  const byId = (id: number): Repository | undefined => repositories.find((each) => each.id === id);
  const byName = (owner: string, name: string): Repository | undefined =>
    repositories.find(
      (each) =>
        each.owner.toLowerCase() === owner.toLowerCase() && each.name.toLowerCase() === name.toLowerCase(),
    );

  // ---- what is shown -------------------------------------------------------------------------------------------

  function shownUser({ id, login, type }: Account) {
    return { login, id, node_id: `U_${id}`, type, site_admin: false };
  }

  function associationOf(repository: Repository, login: string): string {
    if (login.toLowerCase() === repository.owner.toLowerCase()) return "OWNER";
    return repository.rights.has(login.toLowerCase()) ? "COLLABORATOR" : "NONE";
  }

  function shownComment(comment: StoredComment) {
    const repository = byId(comment.repository);
    if (!repository) throw new Error(`no repository ${comment.repository}`);
    const place = `${url}/repos/${repository.owner}/${repository.name}/issues`;
    return {
      id: comment.id,
      node_id: `IC_${comment.id}`,
      url: `${place}/comments/${comment.id}`,
      html_url: `https://github.test/${repository.owner}/${repository.name}/issues/${comment.issue}#issuecomment-${comment.id}`,
      issue_url: `${place}/${comment.issue}`,
      user: shownUser(account(comment.login)),
      created_at: seconds(comment.created),
      updated_at: seconds(comment.updated),
      author_association: associationOf(repository, comment.login),
      body: comment.body,
      performed_via_github_app: comment.app === undefined ? null : { id: 7, slug: comment.app },
    };
  }

  function rightOf(repository: Repository, login: string): Right | undefined {
    if (login.toLowerCase() === repository.owner.toLowerCase()) return "admin";
    return repository.rights.get(login.toLowerCase()) ?? (repository.private ? undefined : "read");
  }

  const atLeast = (right: Right | undefined, least: Right): boolean =>
    right !== undefined && rightsInOrder.indexOf(right) >= rightsInOrder.indexOf(least);

  function shownRepository(repository: Repository, login: string) {
    const right = rightOf(repository, login);
    return {
      id: repository.id,
      name: repository.name,
      full_name: `${repository.owner}/${repository.name}`,
      private: repository.private,
      visibility: repository.private ? "private" : "public",
      archived: repository.archived,
      has_issues: !repository.issuesOff,
      permissions: {
        admin: atLeast(right, "admin"),
        maintain: atLeast(right, "maintain"),
        push: atLeast(right, "write"),
        triage: atLeast(right, "triage"),
        pull: atLeast(right, "read"),
      },
    };
  }

  // ---- what is done --------------------------------------------------------------------------------------------

  function textOf(body: unknown): string | Answer {
    if (typeof body !== "object" || body === null) return says(400, "Body should be a JSON object");
    const { body: text } = body as { body?: unknown };
    if (text === undefined) {
      return says(422, 'Invalid request.\n\n"body" wasn\'t supplied.');
    }
    if (typeof text !== "string")
      return says(422, "Invalid request.\n\nFor 'properties/body', it is not a string.");
    const unprocessable = (message: string): Answer =>
      says(422, "Validation Failed", {
        errors: [{ resource: "IssueComment", code: "unprocessable", field: "data", message }],
      });
    if (text.trim() === "") return unprocessable("Body cannot be blank");
    if (text.length > mostCharacters) return unprocessable("Body is too long (maximum is 65536 characters)");
    return text;
  }

  /** A repository that the token may see; a name that was given up is sent on. */
  function seen(asked: Asked, owner: string, name: string): Repository | Answer {
    const old = oldNames.get(`${owner}/${name}`.toLowerCase());
    if (old !== undefined && !byName(owner, name)) {
      const rest = asked.path.replace(/^\/repos\/[^/]+\/[^/]+/, "");
      const query = asked.query.size > 0 ? `?${asked.query}` : "";
      const location = `${url}/repositories/${old}${rest}${query}`;
      return { status: 301, data: { message: "Moved Permanently", url: location }, headers: { location } };
    }
    return visible(asked, byName(owner, name));
  }

  function visible({ as }: Asked, found: Repository | undefined): Repository | Answer {
    if (!found || rightOf(found, as.login) === undefined) return notFound;
    return found;
  }

  /** Why nothing can be written there. */
  function shut(repository: Repository, issue: Issue, { as }: Asked): Answer | undefined {
    if (repository.archived) return says(403, "Repository was archived so is read-only.");
    if (as.kind === "reads") return noAccess;
    if (issue.locked && !atLeast(rightOf(repository, as.login), "write"))
      return says(403, "Unable to create comment because issue is locked.");
    return undefined;
  }

  /** Real limits of an account: 80 comments a minute, 500 an hour. */
  function isTooMuch(): boolean {
    const at = now();
    const within = (ms: number): number => writes.filter((each) => each > at - ms).length;
    return within(60_000) >= 80 || within(3_600_000) >= 500;
  }

  function issueIn(repository: Repository, number: number): Issue | Answer {
    if (repository.issuesOff) return says(410, "Issues are disabled for this repo");
    return repository.issues.get(number) ?? notFound;
  }

  function list(repository: Repository, number: number, { query }: Asked): Answer {
    const issue = issueIn(repository, number);
    if ("status" in issue) return issue;
    const since = query.get("since");
    if (since !== null && Number.isNaN(Date.parse(since))) return says(422, "since is no time");
    const perPage = Math.min(pageLimit, Math.max(1, Number(query.get("per_page") ?? 30)));
    const page = Math.max(1, Number(query.get("page") ?? 1));
    const all = comments
      .filter((each) => each.repository === repository.id && each.issue === number)
      .filter((each) => since === null || Date.parse(seconds(each.updated)) >= Date.parse(since))
      .sort((one, other) => one.id - other.id);
    const from = (page - 1) * perPage;
    const link = (to: number, rel: string): string => {
      const next = new URLSearchParams(query);
      next.set("page", String(to));
      return `<${url}/repositories/${repository.id}/issues/${number}/comments?${next}>; rel="${rel}"`;
    };
    const last = Math.max(1, Math.ceil(all.length / perPage));
    const links = [...(page < last ? [link(page + 1, "next"), link(last, "last")] : [])];
    return {
      status: 200,
      data: all.slice(from, from + perPage).map(shownComment),
      headers: {
        ...(links.length > 0 ? { link: links.join(", ") } : {}),
        ...(pollSeconds > 0 ? { "x-poll-interval": String(pollSeconds) } : {}),
      },
    };
  }

  function write(repository: Repository, number: number, asked: Asked): Answer {
    const issue = issueIn(repository, number);
    if ("status" in issue) return issue;
    const why = shut(repository, issue, asked);
    if (why) return why;
    if (isTooMuch()) return says(403, secondary().message ?? "", {});
    const text = textOf(asked.body);
    if (typeof text !== "string") return text;
    writes.push(now());
    const app = asked.as.kind === "app" ? { app: "owlpost-app" } : {};
    const made = add(repository, number, asked.as.login, text, app);
    return { status: 201, data: shownComment(made) };
  }

  function add(
    repository: Repository,
    issue: number,
    login: string,
    body: string,
    more: { readonly app?: string } = {},
  ): StoredComment {
    const comment: StoredComment = {
      id: nextId,
      repository: repository.id,
      issue,
      login,
      created: now(),
      updated: now(),
      body,
      versions: [body],
      ...more,
    };
    nextId += 1;
    changes += 1;
    comments.push(comment);
    return comment;
  }

  function change(comment: StoredComment, body: string, by: string): void {
    changes += 1;
    comment.body = body;
    comment.updated = now();
    comment.editor = by;
    comment.versions.push(body);
  }

  function oneComment(repository: Repository, id: number, asked: Asked): Answer {
    const comment = comments.find((each) => each.id === id && each.repository === repository.id);
    if (!comment) return notFound;
    if (asked.method === "GET") return { status: 200, data: shownComment(comment) };
    if (asked.method !== "PATCH") return notFound;
    if (repository.archived) return says(403, "Repository was archived so is read-only.");
    if (asked.as.kind === "reads") return noAccess;
    const mine = comment.login.toLowerCase() === asked.as.login.toLowerCase();
    if (!mine && !atLeast(rightOf(repository, asked.as.login), "write"))
      return says(403, "Must have admin rights to Repository.");
    const text = textOf(asked.body);
    if (typeof text !== "string") return text;
    writes.push(now());
    if (text !== comment.body) change(comment, text, asked.as.login);
    return { status: 200, data: shownComment(comment) };
  }

  function permission(repository: Repository, login: string, { as }: Asked): Answer {
    if (!atLeast(rightOf(repository, as.login), "write"))
      return says(403, "Must have push access to view collaborator permission.");
    const found = accounts.get(login.toLowerCase());
    if (!found) return notFound;
    const right = rightOf(repository, login);
    const old = { read: "read", triage: "read", write: "write", maintain: "write", admin: "admin" } as const;
    return {
      status: 200,
      data: {
        permission: right === undefined ? "none" : old[right],
        role_name: right ?? "none",
        user: shownUser(found),
      },
    };
  }

  function graphql({ body }: Asked): Answer {
    const { query = "", variables = {} } = body as { query?: string; variables?: { id?: string } };
    if (!knowsEditors || !/\bnode\(id: \$id\)/.test(query)) {
      return { status: 200, data: { errors: [{ type: "FORBIDDEN", message: "Resource not accessible" }] } };
    }
    const comment = comments.find((each) => `IC_${each.id}` === variables.id);
    const asUser = (login: string | undefined) =>
      login === undefined ? null : { databaseId: account(login).id };
    const node = comment && {
      body: comment.body,
      author: asUser(comment.login),
      editor: asUser(comment.editor),
    };
    return { status: 200, data: { data: { node: node ?? null } } };
  }

  // ---- routes --------------------------------------------------------------------------------------------------

  function user({ as }: Asked): Answer {
    if (as.kind === "app") return says(403, "Resource not accessible by integration");
    return {
      status: 200,
      data: shownUser(as.account),
      headers: {
        ...(as.kind === "classic" ? { "x-oauth-scopes": as.scopes ?? "repo" } : {}),
        ...(as.expires === undefined ? {} : { "github-authentication-token-expiration": as.expires }),
      },
    };
  }

  function named(found: Account | undefined): Answer {
    return found ? { status: 200, data: shownUser(found) } : notFound;
  }

  function route(asked: Asked): Answer {
    const { method, path } = asked;
    const is = (verb: string, pattern: RegExp): RegExpExecArray | null =>
      method === verb ? pattern.exec(path) : null;
    if (is("GET", /^\/user$/)) return user(asked);
    if (is("POST", /^\/graphql$/)) return graphql(asked);
    if (is("GET", /^\/rate_limit$/)) {
      const core = { limit: 5_000, remaining: 5_000 - used, reset: resetAt(), used };
      return { status: 200, data: { resources: { core }, rate: core } };
    }
    const byNumber = is("GET", /^\/user\/(\d+)$/);
    if (byNumber) return named([...accounts.values()].find(({ id }) => id === Number(byNumber[1])));
    const byLogin = is("GET", /^\/users\/([^/]+)$/);
    if (byLogin) return named(accounts.get(decodeURIComponent(byLogin[1] ?? "").toLowerCase()));
    const inside = /^\/(?:repos\/([^/]+)\/([^/]+)|repositories\/(\d+))(\/.*)?$/.exec(path);
    if (!inside) return notFound;
    const [, owner = "", name = "", number, rest = ""] = inside;
    const found = number === undefined ? seen(asked, owner, name) : visible(asked, byId(Number(number)));
    if ("status" in found) return found;
    return within(found, rest, asked);
  }

  function within(repository: Repository, rest: string, asked: Asked): Answer {
    const { method } = asked;
    if (rest === "" && method === "GET")
      return { status: 200, data: shownRepository(repository, asked.as.login) };
    const one = /^\/issues\/comments\/(\d+)$/.exec(rest);
    if (one) return oneComment(repository, Number(one[1]), asked);
    const of = /^\/issues\/(\d+)\/comments$/.exec(rest);
    if (of && method === "GET") return list(repository, Number(of[1]), asked);
    if (of && method === "POST") return write(repository, Number(of[1]), asked);
    const issue = /^\/issues\/(\d+)$/.exec(rest);
    if (issue && method === "GET") {
      const found = issueIn(repository, Number(issue[1]));
      if ("status" in found) return found;
      const html_url = `https://github.test/${repository.owner}/${repository.name}/issues/${found.number}`;
      return { status: 200, data: { ...found, html_url } };
    }
    const may = /^\/collaborators\/([^/]+)\/permission$/.exec(rest);
    if (may && method === "GET") return permission(repository, decodeURIComponent(may[1] ?? ""), asked);
    return notFound;
  }

  const resetAt = (): number => Math.ceil(now() / 3_600_000) * 3_600;

  function kindOf(method: string, path: string): Kind {
    if (path === "/graphql") return "graphql";
    if (/\/permission$/.test(path)) return "permission";
    if (/^\/users?(?:\/|$)/.test(path)) return "user";
    if (/\/issues\/comments\/\d+$/.test(path)) return method === "PATCH" ? "edit" : "comment";
    if (/\/issues\/\d+\/comments$/.test(path)) return method === "POST" ? "post" : "list";
    return /^\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)$/.test(path) ? "repository" : "other";
  }

  function faultFor(kind: Kind): Fault | undefined {
    const found = faults.find((each) => each.on === kind);
    if (!found) return undefined;
    found.times -= 1;
    if (found.times <= 0) faults = faults.filter((each) => each !== found);
    return found;
  }

  /** Who asks, or why nobody may ask like this. */
  function admitted(headers: IncomingMessage["headers"]): Token | Answer {
    if ((headers["user-agent"] ?? "") === "") {
      return { status: 403, data: "Request forbidden by administrative rules." };
    }
    const [, token] = /^(?:token|bearer) (.+)$/i.exec(headers.authorization ?? "") ?? [];
    if (token === undefined) return says(401, "Requires authentication");
    return tokens.get(token) ?? says(401, "Bad credentials");
  }

  function answerOf(kind: Kind, request: IncomingMessage, text: string, at: URL): Answer {
    const token = admitted(request.headers);
    if ("status" in token) return token;
    let body: unknown;
    try {
      body = text === "" ? undefined : JSON.parse(text);
    } catch {
      return says(400, "Problems parsing JSON");
    }
    const as = { ...token, account: account(token.login) };
    const { method = "GET", headers } = request;
    return route({ kind, method, path: at.pathname, query: at.searchParams, headers, body, as });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = new URL(request.url ?? "/", "http://x");
    const method = request.method ?? "GET";
    const kind = kindOf(method, at.pathname);
    const text = await bodyOf(request);
    const fault = faultFor(kind);
    const how = fault?.how;
    if (how === "hang") return;
    if (typeof how === "object" && "page" in how) {
      response.writeHead(how.page, { "content-type": "text/html" });
      response.end(`<html><title>${how.page}</title></html>`);
      return;
    }
    const path = `${at.pathname}${at.search}`;
    const note = (status: number, data?: unknown, lost?: true): void => {
      const comment = (data as { id?: number } | undefined)?.id;
      calls.push({
        kind,
        method,
        path,
        status,
        ...(text === "" ? {} : { body: text }),
        ...(comment !== undefined && status < 300 ? { comment } : {}),
        ...(lost ? { lost } : {}),
      });
    };
    if (how === "reset") {
      note(0, undefined, true);
      request.socket.destroy();
      return;
    }
    const answer: Answer =
      typeof how === "object"
        ? {
            ...says(how.status, how.message ?? "Server Error"),
            ...(how.headers ? { headers: { ...how.headers } } : {}),
          }
        : answerOf(kind, request, text, at);
    if (how === "swallow") {
      note(answer.status, answer.data, true);
      request.socket.destroy();
      return;
    }
    if (response.destroyed) return;
    const sent = JSON.stringify(answer.data);
    const etag = `W/"${createHash("sha256").update(`${path}\n${sent}`).digest("hex")}"`;
    const isRead = method === "GET" && answer.status === 200;
    const unchanged = isRead && request.headers["if-none-match"] === etag;
    if (kind === "list") known = unchanged ? changes : -1;
    // What has not changed costs nothing.
    if (!unchanged) used += 1;
    note(unchanged ? 304 : answer.status, answer.data);
    response.writeHead(unchanged ? 304 : answer.status, {
      date: new Date(now()).toUTCString(),
      "x-github-request-id": `0000:${calls.length}`,
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": String(5_000 - used),
      "x-ratelimit-reset": String(resetAt()),
      ...(isRead ? { etag } : {}),
      ...(unchanged ? {} : { "content-type": "application/json; charset=utf-8" }),
      ...answer.headers,
    });
    response.end(unchanged ? undefined : sent);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  function repository(name: string): Repository {
    const [owner = "", repo = ""] = name.split("/");
    const found = byName(owner, repo);
    if (!found) throw new Error(`no repository ${name}`);
    return found;
  }
  const commentAt = (id: number): StoredComment => {
    const found = comments.find((each) => each.id === id);
    if (!found) throw new Error(`no comment ${id}`);
    return found;
  };

  return {
    url,
    calls,
    addAccount(login: string, id: number, type: Account["type"] = "User"): void {
      accounts.set(login.toLowerCase(), { id, login, type });
    },
    /** The account is called otherwise now; its old name is free. */
    rename(from: string, to: string): void {
      const was = account(from);
      accounts.delete(from.toLowerCase());
      accounts.set(to.toLowerCase(), { ...was, login: to });
    },
    addToken: (token: string, given: Token): unknown => tokens.set(token, given),
    revoke: (token: string): boolean => tokens.delete(token),
    addRepository(name: string, rights: Readonly<Record<string, Right>> = {}): Repository {
      const [owner = "", repo = ""] = name.split("/");
      const made: Repository = {
        id: 900 + repositories.length,
        owner,
        name: repo,
        private: true,
        archived: false,
        issuesOff: false,
        rights: new Map(Object.entries(rights).map(([login, right]) => [login.toLowerCase(), right])),
        issues: new Map(),
      };
      repositories.push(made);
      return made;
    },
    addIssue(name: string, number: number, title: string): void {
      repository(name).issues.set(number, { number, title, state: "open", locked: false });
    },
    issue(name: string, number: number): Issue {
      const found = repository(name).issues.get(number);
      if (!found) throw new Error(`no issue ${number}`);
      return found;
    },
    renameRepository(name: string, to: string): void {
      const found = repository(name);
      oldNames.set(name.toLowerCase(), found.id);
      found.name = to;
    },
    repository,
    /** Somebody writes a comment; nobody but the bot speaks through the API. */
    say: (
      name: string,
      issue: number,
      login: string,
      body: string,
      more: { readonly app?: string } = {},
    ): number => add(repository(name), issue, account(login).login, body, more).id,
    /** Somebody changes a comment, their own or another's. */
    edit: (id: number, body: string, by?: string): void =>
      change(commentAt(id), body, by ?? commentAt(id).login),
    forget(id: number): void {
      changes += 1;
      comments.splice(comments.indexOf(commentAt(id)), 1);
    },
    comment: commentAt,
    comments: (name: string, issue: number): readonly StoredComment[] =>
      comments.filter((each) => each.repository === repository(name).id && each.issue === issue),
    /** Was the latest list asked for with the ETag of what stands there now? */
    isTold: (): boolean => known === changes,
    pollEvery(asked: number): void {
      pollSeconds = asked;
    },
    /** Does GraphQL tell who changed a comment? */
    hideEditors(): void {
      knowsEditors = false;
    },
    spend(count: number): void {
      used += count;
    },
    fail: (fault: Fault): number => faults.push(fault),
    heal(): void {
      faults = [];
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
