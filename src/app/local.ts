import type { Store } from "../domain/store.ts";
import type { Owlpost } from "./api.ts";
import type { Config } from "./config.ts";
import { openOwlpost } from "./owlpost.ts";
import { nudgeService } from "./service-client.ts";

export type Local = {
  readonly owlpost: Owlpost & { readonly store: Store };
  /**
   * Closes the home. Where no service has heard of a commit, the airlock's files are brought up to date here: what is stored
   * counts, so a fault of theirs is only told.
   */
  close(tell: (text: string) => void): Promise<void>;
  /** Resolves once the running service has heard of the latest commit, or does not. */
  heard(): Promise<boolean | undefined>;
};

/** Opens a home in this process, beside the service where one runs: it is nudged after each commit. */
export async function openLocal(home: string, config: Config): Promise<Local> {
  let heard: Promise<boolean> | undefined;
  const owlpost = await openOwlpost({
    home,
    config,
    onCommit: () => {
      heard = nudgeService(home);
    },
  });
  return {
    owlpost,
    heard: async () => heard,
    async close(tell) {
      if ((await heard) === false) await mirror(home, owlpost, config, tell);
      await owlpost.close();
    },
  };
}

async function mirror(
  home: string,
  owlpost: Owlpost & { readonly store: Store },
  config: Config,
  tell: (text: string) => void,
): Promise<void> {
  const { passAirlocks } = await import("./airlock/airlock.ts");
  try {
    const told = (_fields: object, text: string): void => tell(`${text}.`);
    const log = { info: () => undefined, warn: told, error: told };
    await passAirlocks({ owlpost, store: owlpost.store, config, home, log });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    tell(`The files of the airlock could not be brought up to date: ${why}`);
  }
}
