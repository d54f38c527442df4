import type { ChannelStatus, StatusReport } from "../app/api.ts";
import { factLines, linkLines } from "../app/inbox-facts.ts";
import type { Abort } from "../domain/abort.ts";
import { type Answer, type Copy, type Question, type StoredQuestion, titleLine } from "../domain/question.ts";
import { localTime } from "./local-time.ts";
import { plain } from "./print.ts";
import { isCurrent } from "./shapes.ts";

/** `q-a3f2-012-1  posted    until 2026-12-01 06:00 → spec skipped  Which store?`, in the zone of the report. */
export function questionLine(stored: StoredQuestion, status: StatusReport): string {
  const { question, state } = stored;
  const when =
    state === "pending" || state === "posted"
      ? `until ${localTime(stored.deadlineAt, status.zone)} → ${defaultName(stored)}`
      : (stored.outcome ?? "");
  return [
    question.id,
    state.replace("_", " ").padEnd(8),
    when,
    nightWords(stored, status),
    plain(titleLine(question)),
  ]
    .filter((part) => part !== "")
    .join("  ");
}

/** What it takes at night, in a few words; empty by day. */
function nightWords({ question }: StoredQuestion, { forms, wake, zone }: StatusReport): string {
  const form = forms.get(question.id);
  if (form === undefined) return "";
  if (form === "consent") return "takes go or skip";
  const morningAt = wake.quietHours?.changeAt;
  return morningAt === undefined ? "held" : `held until ${localTime(morningAt, zone)}`;
}

/** What happens when nobody answers, in two words. */
function defaultName({ question, defaultAction: action }: StoredQuestion): string {
  if (question.source === "permission") return "no answer, so not allowed";
  if (action === "skip_spec") return "spec skipped";
  return action === "stay_parked" ? "stays parked" : "recommended option taken";
}

/** `  on telegram 42 since 2026-12-01 02:14`. */
function copyLine(copy: Copy, stored: StoredQuestion, zone: string): string {
  const behind = isCurrent(copy, stored) ? "" : ", its newest state is on the way";
  return `  on ${copy.channel} ${plain(copy.destination)} since ${localTime(copy.postedAt, zone)}${behind}`;
}

function openLines(status: StatusReport): string[] {
  return status.open.flatMap((stored) => [
    questionLine(stored, status),
    ...(status.copies.get(stored.question.id) ?? []).map((copy) => copyLine(copy, stored, status.zone)),
  ]);
}

/** `run a3f2  by eric at 2026-12-01 23:00, its loop has not come by yet`. */
function abortLine({ run, sender, at, claim }: Abort, zone: string): string {
  const told = claim
    ? `its loop was told at ${localTime(claim.takenAt, zone)} and has not confirmed it`
    : "its loop has not come by yet";
  return `run ${run}  ${plain(sender.by === undefined ? `from ${place(sender)}` : `by ${sender.by}`)} at ${localTime(at, zone)}, ${told}`;
}

export function channelLine(channel: ChannelStatus): string {
  const detail = channel.detail ? `  ${plain(channel.detail)}` : "";
  return `${channel.channel}  ${channel.up ? "up" : "down"}  ${channel.rings ? "rings" : "does not ring"}${detail}`;
}

/** The whole status as people read it. */
export function statusLines(status: StatusReport): string[] {
  const { service, decided, aborts, channels } = status;
  const pid = service.pid === undefined ? "" : ` (pid ${service.pid})`;
  const inbox = service.inbox === undefined ? "" : `, inbox at ${service.inbox}`;
  return [
    `Service: ${service.running ? `running${pid}${inbox}` : "not running; start it with owlpost serve"}`,
    `Zone: ${status.zone}`,
    ...section("Open", openLines(status)),
    ...section(
      "Decided",
      decided.map((stored) => questionLine(stored, status)),
    ),
    ...(aborts.length > 0
      ? section(
          "To stop",
          aborts.map((each) => abortLine(each, status.zone)),
        )
      : []),
    ...section("Channels", channels.map(channelLine)),
    "",
    "What can still wake somebody",
    ...status.wakeLines.map((line) => `  ${line}`),
  ];
}

/** One question in full, as people read it. */
export function questionLines(
  stored: StoredQuestion,
  copies: readonly Copy[],
  askedAgainAs?: string,
): string[] {
  const { question, answer, claim, zone } = stored;
  const at = (instant: number): string => localTime(instant, zone);
  const lines = [
    `${question.id}  ${stored.state}${stored.outcome ? ` (${stored.outcome})` : ""}`,
    plain(question.title),
    ...question.context.split("\n").map((line) => `  ${plain(line)}`),
    ...(question.tried === undefined
      ? []
      : ["Tried:", ...question.tried.split("\n").map((line) => `  ${plain(line)}`)]),
    ...evidenceLines(question),
    ...question.options.map(
      (option) =>
        `  ${option.key}) ${plain(option.label)}${option.recommended ? " (recommended)" : ""} — ${plain(option.consequence)}`,
    ),
    `Deadline ${at(stored.deadlineAt)} ${zone} → ${defaultName(stored)}`,
  ];
  if (stored.heldUntilAt !== undefined) lines.push(`Held until ${at(stored.heldUntilAt)}`);
  if (question.again !== undefined) lines.push(`Asks again what ${question.again} asked`);
  if (askedAgainAs !== undefined) lines.push(`Asked again as ${askedAgainAs}`);
  lines.push(...copies.map((copy) => copyLine(copy, stored, zone)));
  if (answer) {
    const label = question.options.find((option) => option.key === answer.option)?.label;
    const choice = label === undefined ? answer.option : `${answer.option} — ${plain(label)}`;
    const what = choice ?? (answer.text === undefined ? stored.outcome : plain(answer.text));
    const who = answer.by ?? place(answer);
    lines.push(`Answer: ${what} — from ${plain(who)} at ${at(answer.at)}`);
    if (choice !== undefined && answer.text !== undefined)
      lines.push(...answer.text.split("\n").map((line) => `  ${plain(line)}`));
  }
  if (claim) {
    lines.push(
      `Taken${claim.run ? ` by run ${claim.run}` : ""} at ${at(claim.takenAt)}${claim.confirmedAt || stored.state === "resolved" ? "" : `, to be confirmed until ${at(claim.leaseUntilAt)}`}`,
    );
  }
  if (stored.result) lines.push(`Closed: ${stored.result}`);
  if (stored.why) lines.push(`Cancelled: ${plain(stored.why)}`);
  return lines;
}

/** What the engine measured, and where more is, whole: messages send whoever misses something of it here. */
function evidenceLines({ facts = {}, links = {} }: Question): string[] {
  const { command, exitCode, outputTail, diffStat, branch, nextTask, others } = factLines(facts);
  const exit = exitCode === undefined ? "" : ` → exit ${exitCode}`;
  const line = (name: string, value: string | undefined): string[] =>
    value === undefined || value === "" ? [] : [`  ${plain(name)}: ${plain(value)}`];
  const lines = [
    ...line("command", command && `${command}${exit}`),
    ...(outputTail?.split("\n").map((each) => `    ${plain(each)}`) ?? []),
    ...line("diff", diffStat),
    ...line("branch", branch),
    ...line("next task", nextTask),
    ...others.flatMap(({ name, value }) => line(name, value)),
    ...linkLines(links).flatMap(({ name, text }) => line(name, text)),
  ];
  return lines.length === 0 ? [] : ["Facts:", ...lines];
}

function place({ via, host }: Pick<Answer, "via" | "host">): string {
  const where = host === undefined ? "" : ` on ${host}`;
  if (via === "cli") return `the command line${where}`;
  return via === "inbox" ? `the local inbox${where}` : via;
}

function section(name: string, lines: readonly string[]): string[] {
  const count = lines.filter((line) => !line.startsWith(" ")).length;
  return ["", `${name} (${count})`, ...lines.map((line) => `  ${line}`)];
}
