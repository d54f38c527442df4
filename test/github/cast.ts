import type { GitHub } from "./server.ts";

export const token = "github_pat_TESTonly0not1a2token";
export const repository = "nightjar-labs/nightjar";
export const issue = 12;
export const bot = { login: "owlpost-bot", id: 900_001 };
export const eric = { login: "eric-gh", id: 583_231 };
export const mara = { login: "mara", id: 583_232 };
export const stranger = { login: "passer-by", id: 666_001 };

/** A private repository, its issue, an account for owlpost, and people. */
export function furnish(api: GitHub): void {
  for (const { login, id } of [bot, eric, mara, stranger]) api.addAccount(login, id);
  api.addAccount("nightjar-labs", 700_001, "Organization");
  api.addAccount("build-bot", 700_002, "Bot");
  api.addToken(token, { login: bot.login, kind: "fine" });
  api.addRepository(repository, { [bot.login]: "write", [eric.login]: "admin", [mara.login]: "write" });
  api.addIssue(repository, issue, "What the agents ask");
}

/** What stands on the page: without the hidden lines. */
export const shown = (body: string): string => body.replace(/^(?:<!--.*?-->\r?\n)+/, "");
