import type { Board, CalibrationOutcome, ReviewerReason, ReviewOutcome } from "../../app/board/api.ts";
import type { Review } from "../../domain/review.ts";
import { fail, plain, printJson, printResult, say } from "../print.ts";
import { readSource } from "../source.ts";
import { type Call, type Exit, textOption, textOptions, type Verb } from "../verb.ts";
import { projectOption, refuse, withBoard } from "./board.ts";
import { progress } from "./progress.ts";
import { taskShape } from "./words.ts";

const verdicts = { pass: "PASS", "needs-refinement": "NEEDS_REFINEMENT", reject: "REJECT" } as const;
const modes = ["live", "cache-only", "cache-aware"] as const;

export const verb: Verb = {
  usage: "[task]",
  description:
    "Judge whether a task says enough to be begun: a verdict of PASS lets it be Ready, and stands until the text is changed. A person judges with --verdict; without it the configured reviewer is asked, whose verdicts count once it was measured (docs/board.md).",
  options: [
    { flags: "--verdict <verdict>", text: "your own: pass, needs-refinement or reject (a person alone)" },
    {
      flags: "--gap <text>",
      text: "with --verdict: what is missing; may be given more than once",
      many: true,
    },
    {
      flags: "--fix <text>",
      text: "with --verdict: how to mend it; may be given more than once",
      many: true,
    },
    {
      flags: "--mode <mode>",
      text: "live: ask the reviewer anyway; cache-aware: only where no PASS stands; cache-only: never (default: reviewer.mode, cache-aware)",
    },
    { flags: "--advice", text: "hear the reviewer and store nothing" },
    { flags: "--confirm-line <n>", text: "adopt a line that a program has guessed (a person alone)" },
    {
      flags: "--calibrate <file>",
      text: "measure the reviewer on tasks that people have judged: JSON lines with a verdict each",
    },
    projectOption,
  ],
  examples: [
    ["owlpost task review 012-fix-auth --verdict pass", "a person's word"],
    ["owlpost task review 012-fix-auth", "the reviewer's, or the verdict that stands"],
    ["owlpost task review 012-fix-auth --confirm-line 1", "adopts the first guessed line"],
    ["owlpost task review --calibrate judged.jsonl", "may the reviewer's verdicts count?"],
  ],
  async run(call) {
    const wrong = checkFlags(call);
    if (wrong) return fail(call, 2, "bad-usage", wrong);
    const file = textOption(call, "calibrate");
    if (file !== undefined) return calibrate(call, file);
    const id = call.args[0] ?? "";
    const line = textOption(call, "confirmLine");
    return withBoard(call, async (board) => {
      if (line !== undefined) return confirmLine(call, board, id, Number(line));
      const mode = modes.find((each) => each === call.options.mode);
      const said = saidBy(call);
      const outcome = await board.review({
        id,
        env: call.io.env,
        ...(mode ? { mode } : {}),
        ...(said ? { said } : {}),
        ...(call.options.advice === true ? { advice: true } : {}),
      });
      return print(call, outcome);
    });
  },
};

function checkFlags(call: Call): string | undefined {
  const { verdict, mode, advice, confirmLine: line, calibrate: file, gap, fix } = call.options;
  const does = [verdict, advice, line, file].filter((each) => each !== undefined).length;
  if (does > 1) return "give one of --verdict, --advice, --confirm-line and --calibrate";
  if (file !== undefined)
    return call.args[0] === undefined ? undefined : "--calibrate is about no single task";
  if (call.args[0] === undefined) return "name the task, such as owlpost task review 012-fix-auth";
  if (typeof verdict === "string" && !Object.hasOwn(verdicts, verdict))
    return `--verdict is one of ${Object.keys(verdicts).join(", ")}`;
  if (verdict === undefined && (gap !== undefined || fix !== undefined))
    return "--gap and --fix go with --verdict";
  if (mode !== undefined && !modes.some((each) => each === mode))
    return `--mode is one of ${modes.join(", ")}`;
  if (typeof line === "string" && !/^[1-9]\d{0,4}$/.test(line))
    return "--confirm-line needs the number of a line; owlpost task show lists them";
  return undefined;
}

function saidBy(call: Call): Review | undefined {
  const verdict = textOption(call, "verdict");
  if (verdict === undefined) return undefined;
  return {
    verdict: verdicts[verdict as keyof typeof verdicts],
    gaps: textOptions(call, "gap"),
    fixes: textOptions(call, "fix"),
  };
}

/** 1: the reviewer itself failed; 2: it is not set up; 4: there is no verdict yet. */
const exits: Readonly<Record<ReviewerReason, Exit>> = {
  unreviewed: 4,
  "no-reviewer": 2,
  "reviewer-disabled": 2,
  "reviewer-failed": 1,
  "reviewer-timeout": 1,
  "reviewer-malformed": 1,
};

type Refused = Extract<ReviewOutcome | CalibrationOutcome, { ok: false }>;

function refused(call: Call, refusal: Refused): Promise<Exit> {
  const { reason, message } = refusal;
  return isReviewers(reason)
    ? fail(call, exits[reason], reason, call.json ? message : plain(message))
    : refuse(call, { ...refusal, reason });
}

function isReviewers(reason: Refused["reason"]): reason is ReviewerReason {
  return Object.hasOwn(exits, reason);
}

async function print(call: Call, outcome: ReviewOutcome): Promise<Exit> {
  if (!outcome.ok) return refused(call, outcome);
  const { id, how, review, line } = outcome;
  const { verdict, gaps, fixes } = review;
  if (call.json) {
    await printJson(call, { id, how, verdict, gaps, fixes, axes: review.axes, line });
    return 0;
  }
  const words = { stored: "", stood: ", as it was judged before", advice: ", as advice: nothing was stored" };
  const lines = [
    `${verdict}${words[how]}`,
    ...Object.entries(review.axes ?? {}).map(([axis, mark]) => `  ${mark}  ${axis.replace("_", " ")}`),
    ...(gaps.length > 0 ? ["Gaps:", ...gaps.map((gap) => `  - ${plain(gap)}`)] : []),
    ...(fixes.length > 0 ? ["Suggested fixes:", ...fixes.map((fix) => `  - ${plain(fix)}`)] : []),
  ];
  await printResult(call, lines.join("\n"));
  return 0;
}

async function confirmLine(call: Call, board: Board, id: string, line: number): Promise<Exit> {
  const confirmed = await board.confirmLine(id, line);
  if (!confirmed.ok) return refuse(call, confirmed);
  const { task } = confirmed;
  const left = board.inferred(task).length;
  if (call.json) await printJson(call, { task: taskShape(task), unconfirmed: left });
  else await say(call, `Line ${line} of ${task.id} is confirmed${left > 0 ? `; ${left} left` : ""}.`);
  return 0;
}

async function calibrate(call: Call, file: string): Promise<Exit> {
  const source = await readSource(file, call.io);
  if (!source.ok) return fail(call, 2, "unreadable", plain(source.message));
  return withBoard(call, async (board) => {
    const counter = progress(call, "Reviewed");
    const { text } = source;
    const request = { text, env: call.io.env, told: counter.count };
    const outcome = await board.calibrate(request).finally(counter.end);
    if (!outcome.ok) return refused(call, outcome);
    const { samples, agreed, agreement, enabled, why, disagreed } = outcome.calibration;
    if (call.json) {
      const shown = disagreed.map(({ id, expected, got }) => ({ id, expected, got: got ?? null }));
      await printJson(call, { samples, agreed, agreement, enabled, why, disagreed: shown });
      return enabled ? 0 : 3;
    }
    const lines = [
      `The reviewer agreed on ${agreed} of ${samples} (${Math.floor(agreement * 100)} %).`,
      ...disagreed.map(
        ({ id, expected, got }) => `  ${id}: people ${expected}, reviewer ${got ?? "nothing usable"}`,
      ),
      enabled ? "Its verdicts count from now on." : `Its verdicts do not count: ${why}.`,
    ];
    await printResult(call, lines.join("\n"));
    return enabled ? 0 : 3;
  });
}
