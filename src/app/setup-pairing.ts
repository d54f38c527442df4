import type { Environment } from "./home.ts";
import type { Prompts } from "./setup-prompts.ts";

export type PairingRequest = {
  readonly home: string;
  /** The environment with the token in it, wherever it will live. */
  readonly env: Environment;
  readonly prompts: Prompts;
};

/** `later`: nothing was bound, and `say` tells how it is done. */
export type Pairing = { readonly done: boolean; readonly say: string };

/** The seam to pairing: binds the person at this terminal as the owner on Telegram. */
export async function pairOwner(_request: PairingRequest): Promise<Pairing> {
  return {
    done: false,
    say: "Nobody may answer yet: put the Telegram ids of the owners into channels.telegram.allow.",
  };
}
