import { describe, expect, test } from "vitest";
import { pacing } from "../../channels/github/pace.ts";
import { checks, encode, pairing, settings } from "../../channels/github.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import { aQuestionId, aTools } from "../builders.ts";
import {
  aGitHub,
  aLine,
  aMessage,
  bot,
  eric,
  issue,
  mara,
  never,
  quick,
  repository,
  shown,
  someSettings,
  stranger,
  token,
} from "../github/desk.ts";
import { type GitHub, secondary, startGitHub, tooMany } from "../github/server.ts";
import { afterwards } from "../homes.ts";

const question = { question: aQuestionId, body: `<!-- owlpost:question:${aQuestionId} -->\n**Which way?**` };
const ours = (api: GitHub) => api.comments(repository, issue).filter(({ login }) => login === bot.login);
const count = (api: GitHub, kind: string): number => api.calls.filter((call) => call.kind === kind).length;

async function failure(work: Promise<unknown> | undefined): Promise<ChannelError> {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ChannelError)) throw new Error(`not a ChannelError: ${String(error)}`);
  return error;
}

test.each([
  [{ allow: ["eric"] }, "must be an account's number such as 583231; owlpost pair finds it by the login"],
  [{ allow: [-3] }, "must be an account's number such as 583231; owlpost pair finds it by the login"],
  [{ api_url: "ftp://github.example.org" }, "must be a URL such as https://github.example.org/api/v3"],
])("%o is refused in words that mend it", (changes, words) => {
  const { error } = settings.safeParse({ token, repository, issue, ...changes });
  expect(error?.issues.map(({ message }) => message)).toEqual([words]);
});

describe("what is sent", () => {
  test("a hidden mark first, which is the same for every attempt and different in every home", () => {
    const { body } = encode("default", aMessage(question), aTools(), "q-1/post/7");
    expect(body).toMatch(/^<!-- owlpost:q-1\/post\/7:[a-z2-7]{26} -->\n<!-- owlpost:question:/);
    expect(
      encode("default", aMessage({ body: "other words" }), aTools(), "q-1/post/7").body.split("\n")[0],
    ).toBe(body.split("\n")[0]);
    const other = aTools({ sign: () => "b".repeat(26) });
    expect(encode("default", aMessage(question), other, "q-1/post/7").body).not.toContain(
      body.split("\n")[0],
    );
    expect(encode("default", aMessage(), aTools(), "--> <b>").body).toMatch(
      /^<!-- owlpost:--___b_:\w{26} -->\n/,
    );
  });

  test("an edit keeps a mark of ours, and changes that comment alone", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const ref = await line.post("default", aMessage(question), "k1", never);
    await line.edit?.("default", ref, aMessage({ ...question, body: "**Done**" }), never);
    expect(ours(api).map(({ body }) => shown(body))).toEqual(["**Done**"]);
    expect(ours(api)[0]?.body).toMatch(/^<!-- owlpost:q-a3f2-012-fix-auth-1\/edit:/);
  });

  test("a receipt links to what it answers and calls nobody; a follow-up links to the question", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const theirs = api.say(repository, issue, eric.login, "2");
    await line.post("default", aMessage({ body: "Answered: 2", replyTo: String(theirs) }), "k1", never);
    const ref = await line.post("default", aMessage(question), "k2", never);
    await line.post("default", aMessage({ body: "⏰ No answer", follows: ref }), "k3", never);
    const place = `https://github.test/${repository}/issues/${issue}`;
    expect(ours(api).map(({ body }) => shown(body))).toEqual([
      `[↪ eric-gh](${place}#issuecomment-${theirs})\n\nAnswered: 2`,
      "**Which way?**",
      `[↪ the question](${place}#issuecomment-${ref})\n\n⏰ No answer`,
    ]);
    expect(
      ours(api)
        .map(({ body }) => body)
        .join(),
    ).not.toContain("@");
  });

  test("a repository that was renamed is followed, with the same method", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    api.renameRepository(repository, "nightingale");
    const ref = await line.post("default", aMessage(), "k1", never);
    await line.edit?.("default", ref, aMessage({ body: "b" }), never);
    expect(api.comments("nightjar-labs/nightingale", issue)).toMatchObject([{ versions: { length: 2 } }]);
    await line.poll?.(undefined, never);
  });
});

describe("nothing stands twice", () => {
  test("the same message again is one comment, whatever came of the first attempt", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const first = await line.post("default", aMessage(), "k1", never);
    expect(await line.post("default", aMessage({ body: "rendered anew" }), "k1", never)).toBe(first);
    api.fail({ on: "post", how: "swallow", times: 2 });
    await failure(line.post("default", aMessage(), "k2", never));
    const second = await line.post("default", aMessage(), "k2", never);
    expect(ours(api).map(({ id }) => String(id))).toEqual([first, second]);
  });

  test("after a restart what an earlier process has sent is found, and looked up once", async () => {
    const { api, clock } = await aGitHub();
    const early = await aLine(api, clock);
    const first = await early.post("default", aMessage(), "k1", never);
    api.fail({ on: "post", how: "swallow", times: 1 });
    await failure(early.post("default", aMessage(), "k2", never));
    for (let n = 0; n < 205; n += 1) api.say(repository, issue, mara.login, `chatter ${n}`);
    await early.post("default", aMessage(), "k3", never);
    await early.close();
    clock.advance(8 * 3_600_000);
    const late = await aLine(api, clock);
    const before = count(api, "list");
    expect(await late.post("default", aMessage(), "k1", never)).toBe(first);
    await late.post("default", aMessage(), "k2", never);
    await late.post("default", aMessage(), "k3", never);
    expect(ours(api)).toHaveLength(3);
    expect(count(api, "list") - before).toBe(3);
    await late.post("default", aMessage(), "k4", never);
    expect(count(api, "list") - before).toBe(3);
  });

  test("a look back that fails half-way goes on where it was, and nothing is posted before it is done", async () => {
    const { api, clock } = await aGitHub();
    for (let n = 0; n < 150; n += 1) api.say(repository, issue, mara.login, `chatter ${n}`);
    const line = await aLine(api, clock);
    api.fail({ on: "list", how: { page: 502 }, times: 1 });
    await failure(line.post("default", aMessage(), "k1", never));
    expect(ours(api)).toHaveLength(0);
    await line.post("default", aMessage(), "k1", never);
    expect(ours(api)).toHaveLength(1);
  });

  test("a comment that turns up late in the list is waited for", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock, {}, { settleMs: 60 });
    await line.post("default", aMessage(), "k0", never);
    api.fail({ on: "post", how: "reset", times: 1 });
    await failure(line.post("default", aMessage(), "k1", never));
    const { body } = encode("default", aMessage(), aTools(), "k1");
    setTimeout(() => api.say(repository, issue, bot.login, body), 20);
    await line.post("default", aMessage(), "k1", never);
    expect(ours(api)).toHaveLength(2);
  });

  test("somebody else's comment with our mark is not ours", async () => {
    const { api, clock } = await aGitHub();
    const { body } = encode("default", aMessage(), aTools(), "k1");
    api.say(repository, issue, stranger.login, body);
    const line = await aLine(api, clock);
    await line.post("default", aMessage(), "k1", never);
    expect(ours(api)).toHaveLength(1);
  });

  test("a home that counts its messages alike swallows none of ours", async () => {
    const { api, clock } = await aGitHub();
    const one = await aLine(api, clock);
    await one.post("default", aMessage(), "notice/notice/1", never);
    const { open } = await import("../../channels/github.ts");
    const other = await open(
      someSettings(api),
      aTools({ now: clock.now, sign: () => "c".repeat(26) }),
      quick,
    );
    afterwards(() => other.close());
    await other.post("default", aMessage(), "notice/notice/1", never);
    expect(ours(api)).toHaveLength(2);
  });
});

describe("what GitHub says no to", () => {
  const permanent = (reason: string, closed: boolean) => ({
    reason,
    permanent: true,
    closed,
    delivered: "no",
  });
  test.each([
    [
      { status: 401, message: "Bad credentials" },
      { reason: "token-refused", permanent: false, delivered: "no" },
    ],
    [
      { status: 403, message: "Unable to create comment because issue is locked." },
      permanent("locked", true),
    ],
    [{ status: 403, message: "Repository was archived so is read-only." }, permanent("archived", true)],
    [
      { status: 403, message: "Resource not accessible by personal access token" },
      permanent("no-access", true),
    ],
    [{ status: 404, message: "Not Found" }, permanent("not-found", true)],
    [{ status: 410, message: "This issue was deleted" }, permanent("gone", true)],
    [{ status: 422, message: "Validation Failed" }, permanent("refused", false)],
    [{ status: 451, message: "Unavailable" }, permanent("refused", false)],
    [tooMany(7), { reason: "rate-limited", permanent: false, delivered: "no", retryAfterMs: 7_000 }],
    [secondary(90), { reason: "rate-limited", permanent: false, delivered: "no", retryAfterMs: 90_000 }],
    [secondary(), { reason: "rate-limited", permanent: false, delivered: "no", retryAfterMs: 60_000 }],
    [
      { status: 503, message: "Sorry" },
      { reason: "unavailable", permanent: false, delivered: "unknown" },
    ],
    [{ page: 200 }, { reason: "unavailable", permanent: false, delivered: "unknown" }],
    [{ page: 403 }, { reason: "unavailable", permanent: false, delivered: "unknown" }],
  ] as const)("a comment: %j", async (how, wanted) => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    api.fail({ on: "post", how, times: 1 });
    const error = await failure(line.post("default", aMessage(), "k1", never));
    expect(error).toMatchObject(wanted);
    expect(error.message).toMatch(/^GitHub: /);
    expect(error.message).not.toContain(token);
  });

  test.each([
    [{ status: 404, message: "Not Found" }, permanent("not-editable", false)],
    [{ status: 410, message: "Gone" }, permanent("not-editable", false)],
    [{ status: 403, message: "Must have admin rights to Repository." }, permanent("not-editable", false)],
    [{ status: 403, message: "Repository was archived so is read-only." }, permanent("archived", true)],
    [secondary(), { reason: "rate-limited", permanent: false, retryAfterMs: 60_000 }],
  ] as const)("an edit: %j", async (how, wanted) => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const ref = await line.post("default", aMessage(), "k1", never);
    api.fail({ on: "edit", how, times: 1 });
    expect(await failure(line.edit?.("default", ref, aMessage(), never))).toMatchObject(wanted);
  });

  test("the primary limit ends at the time that GitHub names, by its own clock", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, { now: () => clock.now() + 3 * 3_600_000 });
    const headers = {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(clock.now() / 1_000 + 900),
    };
    api.fail({ on: "post", how: { status: 403, message: "API rate limit exceeded", headers }, times: 1 });
    const { retryAfterMs } = await failure(line.post("default", aMessage(), "k1", never));
    expect(retryAfterMs).toBe(900_000);
  });

  test("the real limit of comments is met by a pause, and the service itself stays below it", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    for (let n = 0; n < 60; n += 1) await line.post("default", aMessage(), `k${n}`, never);
    expect(await failure(line.post("default", aMessage(), "k60", never))).toMatchObject({
      reason: "paced",
      permanent: false,
      delivered: "no",
    });
    expect(ours(api)).toHaveLength(60);
  });

  test("nobody answers: the call ends, and nobody claims to know", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock, {}, { callMs: 150 });
    await line.post("default", aMessage(), "k0", never);
    api.fail({ on: "post", how: "hang", times: 1 });
    expect(await failure(line.post("default", aMessage(), "k1", never))).toMatchObject({
      reason: "no-answer",
      permanent: false,
      delivered: "unknown",
    });
    await line.post("default", aMessage(), "k1", never);
    expect(ours(api)).toHaveLength(2);
  });

  test("nobody is there", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock, { api_url: "http://127.0.0.1:9" });
    expect(await failure(line.post("default", aMessage(), "k1", never))).toMatchObject({
      reason: "unreachable",
      message: "GitHub cannot be reached (ECONNREFUSED)",
      delivered: "no",
    });
  });

  test("a token without an account is named as such", async () => {
    const { api, clock } = await aGitHub();
    api.addToken("ghs_ofAnAppOnly", { login: bot.login, kind: "app" });
    const line = await aLine(api, clock, { token: "ghs_ofAnAppOnly" });
    expect(await failure(line.poll?.(undefined, never))).toMatchObject({
      reason: "no-account",
      permanent: false,
    });
  });
});

describe("a public repository", () => {
  test("gets nothing that the configuration does not allow, neither a comment nor an edit", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    const ref = await line.post("default", aMessage(), "k1", never);
    api.repository(repository).private = false;
    const refused = {
      reason: "public-repository",
      permanent: true,
      closed: true,
      delivered: "no",
      message: expect.stringMatching(/nightjar-labs\/nightjar is public.* Make it private.*public: true/),
    };
    expect(await failure(line.post("default", aMessage(), "k2", never))).toMatchObject(refused);
    expect(await failure(line.edit?.("default", ref, aMessage({ body: "secret" }), never))).toMatchObject(
      refused,
    );
    expect(ours(api)).toMatchObject([{ versions: { length: 1 } }]);
    api.repository(repository).private = true;
    await line.post("default", aMessage(), "k2", never);
    expect(ours(api)).toHaveLength(2);
  });

  test("is looked up again, for nothing while it is private; and not at all where it may be public", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    for (const key of ["k1", "k2", "k3"]) await line.post("default", aMessage(), key, never);
    const looks = api.calls.filter(({ kind }) => kind === "repository").map(({ status }) => status);
    expect(looks).toEqual([200, 304, 304]);
    api.repository(repository).private = false;
    const open = await aLine(api, clock, { public: true });
    await open.post("default", aMessage(), "k4", never);
    expect(count(api, "repository")).toBe(3);
  });

  test("a look that fails lets nothing through", async () => {
    const { api, clock } = await aGitHub();
    const line = await aLine(api, clock);
    api.fail({ on: "repository", how: { page: 502 }, times: 1 });
    expect(await failure(line.post("default", aMessage(), "k1", never))).toMatchObject({ permanent: false });
    expect(ours(api)).toHaveLength(0);
  });
});

describe("pacing", () => {
  const take = (pace: ReturnType<typeof pacing>, now: number): number => {
    const turn = pace.take(now);
    return "at" in turn ? turn.at : -turn.againInMs;
  };

  test("writes stand apart, and those that are asked for at once queue up", () => {
    const pace = pacing(1_000);
    expect([0, 0, 100, 100, 10_000].map((now) => take(pace, now))).toEqual([0, 1_000, 2_000, 3_000, 10_000]);
  });

  test("never more than 60 in any minute and 450 in any hour, however they are asked for", () => {
    const pace = pacing(0);
    const at: number[] = [];
    for (let now = 0; now < 2 * 3_600_000; now += 500) {
      const turn = take(pace, now);
      if (turn >= 0) at.push(turn);
    }
    expect(at.length).toBeGreaterThan(800);
    for (const [withinMs, most] of [
      [60_000, 60],
      [3_600_000, 450],
    ] as const) {
      at.forEach((time, index) => {
        const first = at[index - most];
        if (first !== undefined) expect(time - first).toBeGreaterThanOrEqual(withinMs);
      });
    }
  });
});

describe("who is paired", () => {
  const resolve = (api: GitHub, login: string) => pairing.resolve(someSettings(api), login);

  test("a login is resolved to the number of its account, however it is typed", async () => {
    const { api } = await aGitHub();
    for (const login of ["eric-gh", "Eric-GH", "@eric-gh", " eric-gh "]) {
      expect(await resolve(api, login)).toEqual({ address: "583231", login: "eric-gh" });
    }
  });

  test.each([
    ["nobody-here", "no-such-login", "there is no account nobody-here"],
    ["nightjar-labs", "not-a-person", "nightjar-labs is an organization"],
    ["build-bot", "not-a-person", "build-bot is a bot"],
    ["dependabot[bot]", "bad-login", "that is no login"],
    ["583231", "bad-login", "looks like an account's number"],
    ["../repos/x/y", "bad-login", "that is no login"],
    ["", "bad-login", "that is no login"],
  ])("%s is refused for good: %s", async (login, reason, words) => {
    const { api } = await aGitHub();
    const error = await failure(resolve(api, login));
    expect(error).toMatchObject({ reason, permanent: true, message: expect.stringContaining(words) });
  });

  test("what may pass is no refusal", async () => {
    const { api } = await aGitHub();
    api.fail({ on: "user", how: { page: 502 }, times: 1 });
    expect(await failure(resolve(api, "eric-gh"))).toMatchObject({ reason: "unavailable", permanent: false });
  });
});

describe("checks", () => {
  const found = async (api: GitHub, changes: Parameters<typeof someSettings>[1] = {}) =>
    (await checks(someSettings(api, changes))).map(({ name, ok, warn, text }) => [
      name,
      ok ? (warn ? "warn" : "ok") : "fail",
      text,
    ]);
  const one = async (api: GitHub, name: string, changes: Parameters<typeof someSettings>[1] = {}) =>
    (await found(api, changes)).find(([about]) => about === name)?.slice(1);

  test("all is well: what is so, with nothing sent and no secret told", async () => {
    const { api } = await aGitHub();
    expect(await found(api)).toEqual([
      ["token", "ok", "a fine-grained token of owlpost-bot"],
      ["repository", "ok", "nightjar-labs/nightjar is private; the token's account may write there"],
      ["issue", "ok", `https://github.test/${repository}/issues/12, “What the agents ask” is open`],
      ["answers", "ok", "eric-gh (583231, admin) may answer"],
      ["limit", "ok", expect.stringMatching(/^49\d\d of 5000 calls left, all of them again in \d+ min$/)],
    ]);
    expect(api.calls.every(({ method }) => method === "GET")).toBe(true);
  });

  test("how far the clocks are apart", async () => {
    const api = await startGitHub({ now: () => Date.now() + 3_600_000 });
    afterwards(() => api.close());
    api.addAccount(bot.login, bot.id);
    api.addToken(token, { login: bot.login, kind: "fine" });
    const [first] = await checks(someSettings(api));
    expect(first).toMatchObject({ name: "token", ok: true });
    expect(Math.abs((first?.aheadMs ?? 0) - 3_600_000)).toBeLessThan(2_500);
  });

  test("a token that is wrong, of an app, without a scope, or ends soon", async () => {
    const { api, clock } = await aGitHub();
    api.addToken("ghs_ofAnAppOnly", { login: bot.login, kind: "app" });
    api.addToken("ghp_oldWithoutScope", { login: bot.login, kind: "classic", scopes: "gist, read:org" });
    api.addToken("ghp_ofOld", { login: bot.login, kind: "classic", scopes: "repo" });
    const ends = new Date(clock.now() + 3 * 86_400_000)
      .toISOString()
      .replace("T", " ")
      .replace(/\.\d+Z/, " UTC");
    api.addToken("github_pat_endsSoon", { login: bot.login, kind: "fine", expires: ends });
    expect(await found(api, { token: "ghp_wrongwrong" })).toEqual([
      ["token", "fail", expect.stringContaining("not valid")],
    ]);
    expect(await one(api, "token", { token: "ghs_ofAnAppOnly" })).toEqual([
      "fail",
      expect.stringContaining("personal access token"),
    ]);
    expect(await one(api, "token", { token: "ghp_oldWithoutScope" })).toEqual([
      "fail",
      expect.stringContaining("scope repo"),
    ]);
    expect(await one(api, "token", { token: "ghp_ofOld" })).toEqual([
      "ok",
      "a classic token (repo) of owlpost-bot",
    ]);
    expect(await one(api, "token", { token: "github_pat_endsSoon" })).toEqual([
      "warn",
      expect.stringMatching(/until 2026-12-02: make a new one/),
    ]);
  });

  test("a repository that is public, archived, renamed, without issues or not there", async () => {
    const { api } = await aGitHub();
    const there = api.repository(repository);
    there.private = false;
    expect(await one(api, "repository")).toEqual(["fail", expect.stringContaining("public: true")]);
    expect(await one(api, "repository", { public: true })).toEqual([
      "warn",
      expect.stringContaining("public, as configured"),
    ]);
    there.private = true;
    there.archived = true;
    expect(await one(api, "repository")).toEqual(["fail", expect.stringContaining("archived")]);
    there.archived = false;
    there.issuesOff = true;
    expect(await one(api, "repository")).toEqual(["fail", expect.stringContaining("issues are turned off")]);
    there.issuesOff = false;
    api.renameRepository(repository, "nightingale");
    expect(await one(api, "repository")).toEqual([
      "warn",
      expect.stringContaining("is called nightjar-labs/nightingale"),
    ]);
    expect(await one(api, "repository", { repository: "nobody/nothing" })).toEqual([
      "fail",
      expect.stringContaining("there is no such repository"),
    ]);
  });

  test("an issue that is locked, closed or not there", async () => {
    const { api } = await aGitHub();
    const there = api.issue(repository, issue);
    there.locked = true;
    expect(await one(api, "issue")).toEqual(["warn", expect.stringContaining("locked")]);
    there.locked = false;
    there.state = "closed";
    expect(await one(api, "issue")).toEqual(["warn", expect.stringContaining("closed")]);
    expect(await one(api, "issue", { issue: 99 })).toEqual([
      "fail",
      expect.stringContaining("no such repository or issue"),
    ]);
  });

  test("who may answer: nobody, who is gone, who has no access, who may too little, and who is owlpost itself", async () => {
    const { api } = await aGitHub();
    expect(await one(api, "answers", { allow: [] })).toEqual([
      "fail",
      expect.stringContaining("owlpost pair"),
    ]);
    const [level, text] =
      (await one(api, "answers", {
        allow: [eric.id, mara.id, stranger.id, bot.id, 12_345],
        least_permission: "maintain",
      })) ?? [];
    expect(level).toBe("warn");
    for (const words of [
      "eric-gh (583231, admin), mara (583232, write)",
      "passer-by has no access to the repository any more",
      "mara may only write there, and least_permission asks for maintain",
      "the token is of owlpost-bot's own account",
      "there is no account 12345 any more",
    ]) {
      expect(text).toContain(words);
    }
  });

  test("an account that may not look up what people may do cannot keep to least_permission: both places say so", async () => {
    const { api, clock } = await aGitHub();
    api.repository(repository).rights.set(bot.login, "triage");
    expect(await one(api, "answers")).toEqual(["ok", "eric-gh (583231) may answer"]);
    const words = expect.stringContaining("take channels.github.least_permission out");
    const strict = { least_permission: "write" } as const;
    expect(await one(api, "answers", strict)).toEqual(["fail", words]);
    const line = await aLine(api, clock, strict);
    api.say(repository, issue, eric.login, "@owlpost-bot status");
    await expect(line.poll?.(undefined, never)).rejects.toMatchObject({ message: words });
  });

  test("few calls are left", async () => {
    const { api } = await aGitHub();
    api.spend(4_700);
    expect(await one(api, "limit")).toEqual(["warn", expect.stringMatching(/^2\d\d of 5000 calls left/)]);
  });
});
