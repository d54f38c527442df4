import type { LocalCommand } from "../app/api.ts";
import type { Config } from "../app/config.ts";
import type { Ack } from "../domain/command.ts";
import { withOwlpost } from "./open.ts";
import { palette, plain, printJson } from "./print.ts";
import { ackShape } from "./shapes.ts";
import { type Call, type Exit, isAgent } from "./verb.ts";

/** Runs one decision of the owner. An agent decides nothing. */
export async function decide(
  call: Call,
  command: LocalCommand | ((config: Config) => LocalCommand),
): Promise<Exit> {
  if (isAgent(call.io)) return printAck(call, agentRefused);
  return withOwlpost(call, async (owlpost, config) => {
    const local = typeof command === "function" ? command(config) : command;
    return printAck(call, await owlpost.decide(local, "cli"));
  });
}

export const agentRefused: Ack = {
  accepted: false,
  reason: "not-allowed",
  text: "An agent (OWLPOST_AS=agent) may ask, and may not decide: leave this to the owner.",
};

/** The receipt: exit 0 when it counted, 3 when it changed nothing. */
export async function printAck(call: Call, ack: Ack): Promise<Exit> {
  if (call.json) await printJson(call, ackShape(ack));
  else {
    const colors = palette(call.io, "stderr");
    const lead = ack.accepted ? colors.green("✓") : colors.red(`owlpost: ${ack.reason}:`);
    await call.io.stderr.write(`${lead} ${ack.text.split("\n").map(plain).join("\n")}\n`);
  }
  return ack.accepted ? 0 : 3;
}
