import type { ClaimOutcome } from "../../app/board/api.ts";
import { fail, printJson, printResult, say } from "../print.ts";
import { type Call, type Exit, textOption, type Verb } from "../verb.ts";
import { projectOption, refuse, withBoard } from "./board.ts";
import { choosing, chosen } from "./next.ts";
import { beginLines, claimShape, leaseWords, taskShape } from "./words.ts";

export const verb: Verb = {
  usage: "[task]",
  description:
    "Begin a task, or the next one: it is In Progress and nobody else gets it, as long as the claim is kept alive (owlpost task heartbeat). Prints the claim, under which everything else is done.",
  options: [
    {
      flags: "--claim <token>",
      text: "a token of your own, a new one for each task: the same token again is the same claim",
    },
    { flags: "--by <name>", text: "who works on it, for people to read (default: this account)" },
    { flags: "--lease <duration>", text: "how long it stands without a heartbeat (default: lease, 10m)" },
    { flags: "--executor <name>", text: "who carries it out, where the task does not say so yet" },
    ...choosing,
    projectOption,
  ],
  examples: [
    ["owlpost task claim --json --for claude-code", "begin the next one; exit 4 when there is none"],
    ["owlpost task claim 012-fix-auth --lease 30m", "begin this one"],
  ],
  async run(call) {
    const token = textOption(call, "claim");
    if (token !== undefined && (token === "" || token.length > 200))
      return fail(call, 2, "bad-usage", "--claim needs 1 to 200 characters");
    const lease = textOption(call, "lease");
    const leaseMs = lease === undefined ? undefined : (await import("../../app/wait.ts")).waitMs(lease);
    if (lease !== undefined && !leaseMs)
      return fail(call, 2, "bad-usage", "--lease needs a duration such as 90s, 10m or 2h");
    const id = call.args[0];
    const [by, executor] = ["by", "executor"].map((name) => textOption(call, name) || undefined);
    return withBoard(
      call,
      async (board, { zone }) => {
        const outcome = await board.claim({
          ...chosen(call),
          ...(id === undefined ? {} : { id }),
          ...(token === undefined ? {} : { token }),
          ...(by === undefined ? {} : { by }),
          ...(executor === undefined ? {} : { executor }),
          ...(leaseMs === undefined ? {} : { leaseMs }),
        });
        return outcome.ok ? printClaimed(call, outcome, zone) : refuse(call, outcome);
      },
      { brief: true },
    );
  },
};

async function printClaimed(
  call: Call,
  { task, claim, repeated, passedOver }: Extract<ClaimOutcome, { ok: true }>,
  zone: string,
): Promise<Exit> {
  if (call.json) {
    await printJson(call, {
      task: taskShape(task),
      claim: claimShape(claim),
      repeated,
      ...(passedOver.length > 0
        ? { passed_over: passedOver.map(({ task: { id }, findings }) => ({ id, findings })) }
        : {}),
    });
    return 0;
  }
  const lines = [...beginLines(task), `  ${"claim".padEnd(9)} ${claim.token}, ${leaseWords(claim, zone)}`];
  await printResult(call, lines.join("\n"));
  if (passedOver.length > 0) {
    const how = passedOver.length === 1 ? "One Ready task" : `${passedOver.length} Ready tasks`;
    await say(call, `${how} before it cannot be begun here: owlpost task next --all says why.`);
  }
  return 0;
}
