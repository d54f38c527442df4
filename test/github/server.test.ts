import { describe, expect, test } from "vitest";
import { aGitHub, bot, eric, issue, mara, repository, stranger, token } from "./desk.ts";

async function aServer() {
  const { api, clock } = await aGitHub();
  api.addToken("of-mara-mara", { login: mara.login, kind: "classic" });
  api.addToken("of-stranger", { login: stranger.login, kind: "classic" });
  api.addToken("reads-only-1", { login: bot.login, kind: "reads" });
  async function call(
    path: string,
    more: {
      method?: string;
      body?: unknown;
      raw?: string;
      as?: string | null;
      headers?: Record<string, string>;
    } = {},
  ) {
    const { as = token, body, raw } = more;
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${api.url}${path}`, {
      method: more.method ?? (text === undefined ? "GET" : "POST"),
      headers: { ...(as === null ? {} : { authorization: `token ${as}` }), ...more.headers },
      redirect: "manual",
      ...(text === undefined ? {} : { body: text }),
    });
    const said = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      data: said === "" ? undefined : JSON.parse(said),
    };
  }
  const comments = `/repos/${repository}/issues/${issue}/comments`;
  return { api, clock, call, comments };
}

describe("the server says no where GitHub does", () => {
  test("to whoever is nobody, and to whoever may not see the repository", async () => {
    const { call, comments } = await aServer();
    expect((await call(comments, { as: null })).status).toBe(401);
    expect((await call(comments, { as: "wrong-wrong" })).data.message).toBe("Bad credentials");
    expect((await call(comments, { as: "of-stranger" })).status).toBe(404);
    expect((await call(comments, { headers: { "user-agent": "" } })).status).toBe(403);
    expect((await call("/repos/x/y")).status).toBe(404);
    expect((await call("/no/such/route")).status).toBe(404);
  });

  test("to comments that are none", async () => {
    const { call, comments } = await aServer();
    expect((await call(comments, { raw: "{" })).status).toBe(400);
    for (const body of [{}, { body: 5 }, { body: " " }, { body: "a".repeat(65_537) }]) {
      expect((await call(comments, { body })).status).toBe(422);
    }
    expect((await call(comments, { body: { body: "a".repeat(65_536) } })).status).toBe(201);
  });

  test("to whoever may not write", async () => {
    const { api, call, comments } = await aServer();
    const write = async (as = token) => (await call(comments, { body: { body: "a" }, as })).data.message;
    expect(await write("reads-only-1")).toBe("Resource not accessible by personal access token");
    api.issue(repository, issue).locked = true;
    expect((await call(comments, { body: { body: "a" } })).status).toBe(201);
    api.repository(repository).rights.set(bot.login, "triage");
    expect(await write()).toBe("Unable to create comment because issue is locked.");
    api.repository(repository).archived = true;
    expect(await write()).toBe("Repository was archived so is read-only.");
    api.repository(repository).archived = false;
    const theirs = api.say(repository, issue, eric.login, "b");
    const one = `/repos/${repository}/issues/comments/${theirs}`;
    expect((await call(one, { method: "PATCH", body: { body: "c" } })).status).toBe(403);
    expect((await call(one, { method: "PATCH", body: { body: "c" }, as: "of-mara-mara" })).status).toBe(200);
    expect(api.comment(theirs)).toMatchObject({ body: "c", editor: mara.login });
  });

  test("to more than 80 comments a minute", async () => {
    const { api, clock, call, comments } = await aServer();
    for (let n = 0; n < 80; n += 1) await call(comments, { body: { body: `${n}` } });
    expect((await call(comments, { body: { body: "one more" } })).data.message).toContain(
      "secondary rate limit",
    );
    clock.advance(60_001);
    expect((await call(comments, { body: { body: "later" } })).status).toBe(201);
    expect(api.comments(repository, issue)).toHaveLength(81);
  });
});

describe("the list", () => {
  test("is in pages, with links, and only what was changed since", async () => {
    const { api, clock, call, comments } = await aServer();
    for (let n = 0; n < 5; n += 1) {
      api.say(repository, issue, eric.login, `${n}`);
      clock.advance(60_000);
    }
    const first = await call(`${comments}?per_page=2`);
    expect(first.data.map(({ body }: { body: string }) => body)).toEqual(["0", "1"]);
    expect(first.headers.get("link")).toMatch(/page=2>; rel="next".*page=3>; rel="last"/);
    expect((await call(`${comments}?per_page=2&page=3`)).headers.get("link")).toBeNull();
    api.edit(first.data[0].id, "changed");
    const since = await call(`${comments}?since=2026-11-29T19:49:00Z`);
    expect(since.data.map(({ body }: { body: string }) => body)).toEqual(["changed", "4"]);
  });

  test("costs nothing while it stays, and its ETag is that of its address", async () => {
    const { api, call, comments } = await aServer();
    const { headers } = await call(comments);
    const etag = headers.get("etag") ?? "";
    const again = { headers: { "if-none-match": etag } };
    const kept = await call(comments, again);
    expect([kept.status, kept.headers.get("x-ratelimit-remaining")]).toEqual([
      304,
      headers.get("x-ratelimit-remaining"),
    ]);
    expect((await call(`${comments}?per_page=2`, again)).status).toBe(200);
    api.say(repository, issue, eric.login, "new");
    expect((await call(comments, again)).status).toBe(200);
  });

  test("says who wrote and how they belong there, and a renamed repository says where it is", async () => {
    const { api, call, comments } = await aServer();
    api.say(repository, issue, eric.login, "a", { app: "some-app" });
    api.repository(repository).private = false;
    api.say(repository, issue, stranger.login, "b");
    expect((await call(comments)).data).toMatchObject([
      {
        author_association: "COLLABORATOR",
        performed_via_github_app: { slug: "some-app" },
        user: { id: eric.id },
      },
      { author_association: "NONE", performed_via_github_app: null, user: { type: "User" } },
    ]);
    api.renameRepository(repository, "nightingale");
    const moved = await call(comments);
    expect([moved.status, moved.headers.get("location")]).toEqual([
      301,
      `${api.url}/repositories/900/issues/12/comments`,
    ]);
  });
});
