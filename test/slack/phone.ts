import { aClock, afterwards } from "../homes.ts";
import { type SlackServer, startSlack } from "./slack-server.ts";
import { settle } from "./team.ts";

export * from "./team.ts";

/** A team with the app installed, three people, and a channel where all of them and the bot are. */
export async function aSlack(
  options: Omit<NonNullable<Parameters<typeof startSlack>[0]>, "now"> = {},
): Promise<{ readonly slack: SlackServer; readonly clock: ReturnType<typeof aClock> }> {
  const clock = aClock(Date.parse("2025-11-29T19:45:08Z"));
  const slack = await startSlack({ ...options, now: clock.now });
  afterwards(() => slack.close());
  settle(slack);
  return { slack, clock };
}
