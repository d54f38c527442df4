import type { Web } from "./web.ts";

const goodMs = 60 * 60_000;
/** One who could not be looked up is not asked for again and again. */
const badMs = 10 * 60_000;
const mostNames = 1_000;

export type Names = {
  /** What Slack shows for that person, where it is known already. */
  known(user: string): string | undefined;
  /** Looks them up. Never rejects. */
  look(user: string): Promise<void>;
};

type Profile = { readonly display_name?: string; readonly real_name?: string };
type Person = { readonly name?: string; readonly real_name?: string; readonly profile?: Profile };

/** Display names are for showing alone, so they may be old, and may be missing. */
export function openNames(web: Pick<Web, "call">, signal: AbortSignal, withinMs: number): Names {
  const found = new Map<string, { readonly name: string | undefined; readonly untilMs: number }>();
  const asking = new Map<string, Promise<void>>();

  async function ask(user: string): Promise<void> {
    let name: string | undefined;
    try {
      const { user: person = {} } = await web.call<{ user?: Person }>(
        "users.info",
        { user },
        { signal, withinMs },
      );
      const { profile = {} } = person;
      name = [profile.display_name, profile.real_name, person.real_name, person.name].find(
        (each) => each !== undefined && each.trim() !== "",
      );
    } catch {
      name = found.get(user)?.name;
    }
    if (found.size >= mostNames) found.clear();
    found.set(user, { name, untilMs: performance.now() + (name === undefined ? badMs : goodMs) });
    asking.delete(user);
  }

  return {
    known: (user) => found.get(user)?.name,
    async look(user) {
      const before = found.get(user);
      if (before && performance.now() < before.untilMs) return;
      const asked = asking.get(user) ?? ask(user);
      asking.set(user, asked);
      await asked;
    },
  };
}
