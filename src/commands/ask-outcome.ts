import type { Asked, AskOutcome } from "../app/api.ts";
import type { BrokenRule } from "../domain/command.ts";
import { questionFields } from "../domain/question.ts";
import { localTime } from "./local-time.ts";
import { fail, palette, plain, printJson, printResult, say } from "./print.ts";
import { askedShape } from "./shapes.ts";
import type { Call, Exit } from "./verb.ts";

/** The receipt of an ask: its id, or why there is none. */
export async function printOutcome(call: Call, outcome: AskOutcome): Promise<Exit> {
  if (outcome.ok) {
    if (call.json) await printJson(call, askedShape(outcome));
    else {
      await printResult(call, outcome.id);
      await sayAsked(call, outcome);
    }
    return 0;
  }
  if (outcome.error === "id-conflict") {
    return fail(call, 3, outcome.error, outcome.message, { id: outcome.id });
  }
  if (outcome.error === "unreadable") return fail(call, 2, outcome.error, outcome.message);
  const { error, broken, dropped } = outcome;
  if (call.json) await printJson(call, { error, broken, ...(dropped ? { dropped } : {}) });
  else {
    await call.io.stderr.write(rejectionText(call, broken));
    if (dropped) await say(call, await droppedLine(dropped));
  }
  return 2;
}

/** What an asker should know beside the id. */
export async function sayAsked(call: Call, asked: Asked): Promise<void> {
  const colors = palette(call.io, "stderr");
  const until = `${localTime(asked.deadlineAt, asked.zone)} (${asked.zone})`;
  const why = asked.why === undefined ? "" : `: ${plain(asked.why)}`;
  const lines = [
    asked.repeated
      ? `${asked.id} was asked before and is ${asked.state.replace("_", " ")}${why}; nothing was stored twice.`
      : asked.state === "cancelled"
        ? `${asked.id} is stored and cancelled${why}; it goes to nobody.`
        : `${colors.green("✓")} ${asked.id} is stored and open until ${until}; it goes to: ${asked.channels.join(", ")}.`,
  ];
  if (asked.heldUntilAt !== undefined) {
    lines.push(
      asked.heldUntilAt < asked.deadlineAt
        ? `Held for the morning: it goes out at ${localTime(asked.heldUntilAt, asked.zone)}.`
        : "Held: quiet hours last until its deadline, so nobody is shown it before. To see and answer it: owlpost inbox.",
    );
  }
  if (asked.defaultChanged) {
    lines.push(
      "Its default is skip_spec: there is nothing recommended to take, or config.yaml does not say auto_default: true.",
    );
  }
  if (asked.redacted)
    lines.push(`A credential became [redacted] in: ${asked.redacted.map(plain).join(", ")}.`);
  if (asked.dropped) lines.push(await droppedLine(asked.dropped));
  await say(call, lines.join("\n"));
}

/** `Not kept: treid (did you mean tried?), run.` */
async function droppedLine(dropped: readonly string[]): Promise<string> {
  const { nearestKey } = await import("../app/nearest-key.ts");
  const names = dropped.map((name) => {
    const nearest = questionFields.includes(name) ? undefined : nearestKey(name, questionFields);
    return plain(nearest === undefined ? name : `${name} (did you mean ${nearest}?)`);
  });
  return `Not kept: ${names.join(", ")}.`;
}

function rejectionText(call: Call, broken: readonly BrokenRule[]): string {
  const colors = palette(call.io, "stderr");
  const count = broken.length === 1 ? "1 rule is" : `${broken.length} rules are`;
  const blocks = broken.map(({ rule, field, found, mend }) =>
    [
      `  ${colors.bold(rule)}`,
      `    field  ${plain(field)}`,
      `    found  ${plain(found)}`,
      `    mend   ${plain(mend)}`,
    ].join("\n"),
  );
  const lead = `${colors.red("owlpost:")} the question was not asked: ${count} broken.`;
  return `${[lead, ...blocks].join("\n\n")}\n`;
}
