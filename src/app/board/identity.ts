import { userInfo } from "node:os";
import type { Environment } from "../home.ts";

/** Who makes a task: WAGGLE_USER_ID, else USER; undefined where neither says. */
export function issuerOf(env: Environment): string | undefined {
  const named = [env.WAGGLE_USER_ID, env.USER].find((each) => each !== undefined && each !== "");
  return named === "unknown" ? undefined : named;
}

/** Who acts, for the log: the same, else the account of this process. */
export function actorName(env: Environment): string {
  return issuerOf(env) ?? accountName() ?? "somebody";
}

function accountName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    // An account without a name.
    return undefined;
  }
}
