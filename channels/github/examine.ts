import { ChannelError, type Check } from "../../src/domain/channel.ts";
import { publicText } from "./audience.ts";
import { type Access, type Call, connect } from "./line.ts";
import { accountOf, type Issue } from "./place.ts";
import type { Account, IssueAsTold, Limits, Repository } from "./rest.ts";
import { type Permission, permissionOf, permissions } from "./trust.ts";

export type Examined = Access & {
  readonly allow: readonly (number | string)[];
  readonly public: boolean;
  readonly least_permission?: Permission | undefined;
};

const withinMs = 40_000;
/** Accounts that are looked up by name. */
const mostNamed = 20;
const soonMs = 7 * 86_400_000;
const nobodyText =
  "nobody may answer: pair somebody (owlpost pair --name NAME --role owner --channel github --address LOGIN), or put the numbers of owners' accounts into channels.github.allow";

type Found = Omit<Check, "name" | "ok">;

/** Everything that GitHub tells about these settings; nothing is written there. */
export async function examine(given: Examined, issue: Issue): Promise<readonly Check[]> {
  const line = await connect(given, Date.now);
  const signal = AbortSignal.timeout(withinMs);
  const found: Check[] = [];
  const check = async (name: string, look: () => Promise<Found>): Promise<boolean> => {
    try {
      found.push({ name, ok: true, ...(await look()) });
      return true;
    } catch (error) {
      const text = error instanceof ChannelError ? error.message : "an unexpected error";
      found.push({ name, ok: false, text });
      return false;
    }
  };
  const { call } = line;
  try {
    let own = "";
    const known = await check("token", async () => {
      const { told, account } = await tokenOf(call, given.token, line.now(), signal);
      own = account.id;
      const aheadMs = line.aheadMs();
      return { ...told, ...(aheadMs === undefined ? {} : { aheadMs }) };
    });
    if (!known) return found;
    const reached = await check("repository", () => repositoryOf(call, given, issue, signal));
    if (reached) {
      await check("issue", () => issueStands(call, issue, signal));
      await check("answers", () => whoAnswers(call, given, issue, own, signal));
    }
    await check("limit", () => limitOf(call, line.now(), signal));
    return found;
  } finally {
    line.close();
  }
}

const bad = (text: string): ChannelError => new ChannelError("wrong-setting", text);

async function tokenOf(call: Call, token: string, now: number, signal: AbortSignal) {
  const account = await accountOf(call, signal);
  const { headers } = await call(signal, (api, until) => api.request<Account>("GET /user", { ...until }));
  const expires = Date.parse(
    String(headers["github-authentication-token-expiration"] ?? "").replace(" UTC", "Z"),
  );
  const scopes = String(headers["x-oauth-scopes"] ?? "");
  const isFine = token.startsWith("github_pat_");
  const kind = isFine ? "a fine-grained token" : scopes === "" ? "a token" : `a classic token (${scopes})`;
  const until = Number.isNaN(expires) ? "" : `, until ${new Date(expires).toISOString().slice(0, 10)}`;
  const text = `${kind} of ${account.login}${until}`;
  const classic = scopes.split(/,\s*/).filter((scope) => scope !== "");
  if (!isFine && classic.length > 0 && !classic.some((scope) => ["repo", "public_repo"].includes(scope))) {
    throw bad(`${text}: it may not write comments. Give it the scope repo, or make a fine-grained one`);
  }
  const told: Found =
    expires - now < soonMs ? { warn: true, text: `${text}: make a new one before that` } : { text };
  return { told, account };
}

async function repositoryOf(
  call: Call,
  { public: mayBePublic }: Examined,
  { owner, repo }: Issue,
  signal: AbortSignal,
): Promise<Found> {
  const { data } = await call(signal, (api, until) =>
    api.request<Repository>("GET /repos/{owner}/{repo}", { owner, repo, ...until }),
  );
  const {
    full_name: name,
    private: isPrivate,
    visibility,
    archived,
    has_issues: hasIssues,
    permissions: may,
  } = data;
  if (archived) throw bad(`${name} is archived and takes no comments: name another repository`);
  if (!hasIssues) throw bad(`issues are turned off in ${name}: turn them on in its settings`);
  if (!isPrivate && !mayBePublic) throw bad(publicText(name));
  const rights = may ? `; the token's account may ${roleOf(may)} there` : "";
  if (name.toLowerCase() !== `${owner}/${repo}`.toLowerCase()) {
    return { warn: true, text: `is called ${name} now: write that into channels.github.repository` };
  }
  if (!isPrivate) {
    return { warn: true, text: `${name} is public, as configured: everybody reads what is asked${rights}` };
  }
  const readers = visibility === "internal" ? "internal: everybody of the enterprise reads it" : "private";
  return { text: `${name} is ${readers}${rights}` };
}

function roleOf({ admin, maintain, push, triage }: NonNullable<Repository["permissions"]>): Permission {
  return admin ? "admin" : maintain ? "maintain" : push ? "write" : triage ? "triage" : "read";
}

async function issueStands(call: Call, issue: Issue, signal: AbortSignal): Promise<Found> {
  const { data } = await call(signal, (api, until) =>
    api.request<IssueAsTold>("GET /repos/{owner}/{repo}/issues/{issue_number}", { ...issue, ...until }),
  );
  const text = `${data.html_url}, “${oneLine(data.title).slice(0, 80)}”`;
  if (data.locked) {
    return { warn: true, text: `${text} is locked: only who may write to the repository can comment there` };
  }
  if (data.state !== "open")
    return { warn: true, text: `${text} is closed: comments still work; open it again` };
  return { text: `${text} is open` };
}

/** Who may answer, by the names that their accounts have now, and what they may do on the repository. */
async function whoAnswers(
  call: Call,
  { allow, least_permission: least }: Examined,
  issue: Issue,
  own: string,
  signal: AbortSignal,
): Promise<Found> {
  if (allow.length === 0) throw bad(nobodyText);
  const wrong: string[] = [];
  const names: string[] = [];
  for (const account of allow.slice(0, mostNamed)) {
    const login = await loginOf(call, Number(account), signal);
    if (login === undefined) {
      wrong.push(`there is no account ${account} any more`);
      continue;
    }
    // Who asks must be allowed to ask; where the token may not and need not, the rest is said all the same.
    const may = await permissionOf(call, issue, login, signal).catch((error: unknown) => {
      if (least !== undefined && error instanceof ChannelError && error.reason === "may-not-look")
        throw error;
      return undefined;
    });
    names.push(`${login} (${account}${may === undefined ? "" : `, ${may}`})`);
    if (may === "none") wrong.push(`${login} has no access to the repository any more`);
    else if (may !== undefined && least && permissions.indexOf(may) < permissions.indexOf(least)) {
      wrong.push(`${login} may only ${may} there, and least_permission asks for ${least}`);
    }
    if (String(account) === own) {
      wrong.push(
        `the token is of ${login}'s own account, and GitHub tells nobody of their own comments: give owlpost an account of its own`,
      );
    }
  }
  const rest = allow.length > mostNamed ? ` and ${allow.length - mostNamed} more` : "";
  const text = `${names.join(", ")}${rest} may answer`;
  return wrong.length === 0
    ? { text }
    : { warn: true, text: [names.length > 0 ? text : "", ...wrong].filter(Boolean).join("; ") };
}

async function loginOf(call: Call, id: number, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { data } = await call(signal, (api, until) =>
      api.request<Account>("GET /user/{account_id}", { account_id: id, ...until }),
    );
    return data.login;
  } catch (error) {
    if (error instanceof ChannelError && error.reason === "not-found") return undefined;
    throw error;
  }
}

async function limitOf(call: Call, now: number, signal: AbortSignal): Promise<Found> {
  const { data } = await call(signal, (api, until) => api.request<Limits>("GET /rate_limit", { ...until }));
  const { limit, remaining, reset } = data.resources.core;
  const minutes = Math.max(0, Math.ceil((reset * 1_000 - now) / 60_000));
  const text = `${remaining} of ${limit} calls left, all of them again in ${minutes} min`;
  return remaining < limit / 10 ? { warn: true, text } : { text };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
