import type { ChannelStatus, StatusReport } from "../app/api.ts";
import type { Answer, Copy, DefaultAction, StoredQuestion } from "../domain/question.ts";
import { localTime } from "./local-time.ts";
import { plain } from "./print.ts";
import { isCurrent } from "./shapes.ts";

/** `q-a3f2-012-1  posted  until 2026-12-01 06:00 → skip_spec  Which store?` */
export function questionLine(stored: StoredQuestion): string {
  const { question, state, zone } = stored;
  const when =
    state === "pending" || state === "posted"
      ? `until ${localTime(stored.deadlineAt, zone)} → ${defaultName(stored.defaultAction)}`
      : (stored.outcome ?? "");
  return [question.id, state.replace("_", " ").padEnd(8), when, plain(question.title)]
    .filter((part) => part !== "")
    .join("  ");
}

/** What happens when nobody answers, in two words. */
function defaultName(action: DefaultAction): string {
  if (action === "skip_spec") return "spec skipped";
  return action === "stay_parked" ? "stays parked" : "recommended option taken";
}

/** `  on telegram 42 since 2026-12-01 02:14`. */
function copyLine(copy: Copy, stored: StoredQuestion): string {
  const behind = isCurrent(copy, stored) ? "" : ", its newest state is on the way";
  return `  on ${copy.channel} ${plain(copy.destination)} since ${localTime(copy.postedAt, stored.zone)}${behind}`;
}

function openLines(status: StatusReport): string[] {
  return status.open.flatMap((stored) => [
    questionLine(stored),
    ...(status.copies.get(stored.question.id) ?? []).map((copy) => copyLine(copy, stored)),
  ]);
}

export function channelLine(channel: ChannelStatus): string {
  const detail = channel.detail ? `  ${plain(channel.detail)}` : "";
  return `${channel.channel}  ${channel.up ? "up" : "down"}  ${channel.rings ? "rings" : "does not ring"}${detail}`;
}

/** The whole status as people read it. */
export function statusLines(status: StatusReport): string[] {
  const { service, decided, channels } = status;
  const pid = service.pid === undefined ? "" : ` (pid ${service.pid})`;
  const inbox = service.inbox === undefined ? "" : `, inbox at ${service.inbox}`;
  return [
    `Service: ${service.running ? `running${pid}${inbox}` : "not running; start it with owlpost serve"}`,
    `Zone: ${status.zone}`,
    ...section("Open", openLines(status)),
    ...section("Decided", decided.map(questionLine)),
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
    ...question.options.map(
      (option) =>
        `  ${option.key}) ${plain(option.label)}${option.recommended ? " (recommended)" : ""} — ${plain(option.consequence)}`,
    ),
    `Deadline ${at(stored.deadlineAt)} ${zone} → ${defaultName(stored.defaultAction)}`,
  ];
  if (stored.heldUntilAt !== undefined) lines.push(`Held until ${at(stored.heldUntilAt)}`);
  if (question.again !== undefined) lines.push(`Asks again what ${question.again} asked`);
  if (askedAgainAs !== undefined) lines.push(`Asked again as ${askedAgainAs}`);
  lines.push(...copies.map((copy) => copyLine(copy, stored)));
  if (answer) {
    const label = question.options.find((option) => option.key === answer.option)?.label;
    const choice = label === undefined ? answer.option : `${answer.option} — ${plain(label)}`;
    const what = choice ?? (answer.text === undefined ? stored.outcome : plain(answer.text));
    const who = answer.by ?? place(answer);
    lines.push(`Answer: ${what} — from ${plain(who)} at ${at(answer.at)}`);
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

function place({ via, host }: Answer): string {
  const where = host === undefined ? "" : ` on ${host}`;
  if (via === "cli") return `the command line${where}`;
  return via === "inbox" ? `the local inbox${where}` : via;
}

function section(name: string, lines: readonly string[]): string[] {
  const count = lines.filter((line) => !line.startsWith(" ")).length;
  return ["", `${name} (${count})`, ...lines.map((line) => `  ${line}`)];
}
