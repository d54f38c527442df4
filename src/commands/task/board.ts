import type { Board } from "../../app/board/api.ts";
import type { Config } from "../../app/config.ts";
import { projectFor } from "../../app/project.ts";
import type { BoardReason, BoardRefusal } from "../../domain/board.ts";
import { isProjectName } from "../../domain/ids.ts";
import { projectUsage } from "../names.ts";
import { withOwlpost } from "../open.ts";
import { fail, plain } from "../print.ts";
import { type Call, type Exit, isAgent, textOption, type VerbOption } from "../verb.ts";

export const projectOption: VerbOption = {
  flags: "--project <name>",
  text: "whose board; else that of the configured airlock that holds the current folder",
};
export const claimOption: VerbOption = {
  flags: "--claim <token>",
  text: "the claim under which you work (default: OWLPOST_TASK_CLAIM)",
};

/**
 * Opens the board of the project in which the command runs. `brief`: nothing that it does can end a question, so the files
 * of the airlock are left to the next command or the service.
 */
export async function withBoard(
  call: Call,
  use: (board: Board, config: Config) => Promise<Exit>,
  { brief = false }: { readonly brief?: boolean } = {},
): Promise<Exit> {
  const flag = textOption(call, "project");
  if (flag !== undefined && !isProjectName(flag)) return fail(call, 2, "bad-usage", projectUsage);
  return withOwlpost(
    call,
    async (owlpost, config) => {
      const { actorName, issuerOf } = await import("../../app/board/identity.ts");
      const board = await owlpost.board({
        board: projectFor({ flag, cwd: call.io.cwd, config }),
        actor: { kind: isAgent(call.io) ? "agent" : "person", name: actorName(call.io.env) },
        issuer: issuerOf(call.io.env),
      });
      return use(board, config);
    },
    { brief },
  );
}

/** The claim of the command line, else that of the environment; undefined where neither gives one. */
export function claimGiven(call: Call): string | undefined {
  return textOption(call, "claim") ?? (call.io.env.OWLPOST_TASK_CLAIM || undefined);
}

/** Wrong as it is written, whatever stands on the board. */
const usage: readonly BoardReason[] = ["field-invalid", "unknown-issuer"];

/** A refusal of the board: its reason, its sentence, and every check that did not hold. */
export async function refuse(call: Call, refusal: BoardRefusal): Promise<Exit> {
  const { reason, message, findings } = refusal;
  const exit = usage.includes(reason) ? 2 : reason === "nothing-ready" ? 4 : 3;
  return fail(call, exit, reason, call.json ? message : plain(message), findings ? { findings } : {});
}
