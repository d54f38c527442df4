import type { OptionLine, QuestionCard } from "../app/inbox-state.ts";
import { type Child, el, told } from "./dom.ts";

const kindWords: Readonly<Record<string, string>> = {
  decide: "Decision",
  blocked: "Blocked",
  stalled: "Stalled",
  approval: "Approval",
  fact: "Fact",
};

/** Which task, run and progress, above the title. */
export function whereLine(card: QuestionCard): HTMLElement {
  const parts = [
    told("span", { class: "task" }, card.task),
    el("span", {}, `run ${card.run}`),
    card.progress !== undefined && told("span", {}, card.progress),
    card.iteration !== undefined && el("span", {}, `iteration ${card.iteration}`),
    card.project !== "default" && el("span", {}, card.project),
  ];
  return el(
    "p",
    { class: "where" },
    el("span", { class: `kind kind-${card.kind}` }, kindWords[card.kind] ?? card.kind),
    ...parts,
  );
}

/** All that was asked but the options: context, what was tried, the engine's facts, links. */
export function evidence(card: QuestionCard, isOpen: (name: string) => boolean): HTMLElement {
  const { facts } = card;
  const output =
    facts.outputTail !== undefined &&
    el(
      "figure",
      { class: "output" },
      el("figcaption", {}, "Last lines"),
      told("pre", { tabindex: 0, "aria-label": "Last lines of the output" }, facts.outputTail),
    );
  return el(
    "div",
    { class: "evidence" },
    // An agent's own question comes with options of its own: only one that was made of its output has ours.
    card.lowFidelity &&
      output &&
      el("p", { class: "hint" }, "The agent gave no options of its own; these two are owlpost's."),
    card.lowFidelity && output,
    told("p", { class: "context" }, card.context),
    card.tried !== undefined &&
      el(
        "details",
        { "data-name": "tried", open: isOpen("tried") },
        el("summary", {}, "What was tried"),
        told("div", { class: "tried" }, card.tried),
      ),
    facts.command !== undefined && commandLine(facts.command, facts.exitCode),
    !card.lowFidelity && output,
    factList(card, isOpen),
  );
}

function commandLine(command: string, exitCode: string | undefined): HTMLElement {
  return el(
    "p",
    { class: "command" },
    told("code", {}, command),
    exitCode !== undefined &&
      el("span", { class: exitCode === "0" ? "exit exit-ok" : "exit" }, `exit ${exitCode}`),
  );
}

/** A longer one is folded: the options must stay within reach of a thumb. */
const mostFactShown = 400;

function factList(card: QuestionCard, isOpen: (name: string) => boolean): HTMLElement | undefined {
  const { facts } = card;
  const rows: Child[] = [];
  const row = (name: string, value: Child): void => {
    rows.push(el("div", {}, told("dt", {}, name), el("dd", {}, value)));
  };
  if (facts.diffStat !== undefined) row("diff", told("span", {}, facts.diffStat));
  if (facts.branch !== undefined) row("branch", told("code", {}, facts.branch));
  if (facts.nextTask !== undefined && !card.deadline.words.includes(facts.nextTask))
    row("next task", told("code", {}, facts.nextTask));
  for (const { name, value } of facts.others)
    row(name, value.length > mostFactShown ? folded(name, value, isOpen) : told("span", {}, value));
  for (const { name, text, href } of card.links) {
    if (name === "branch" && text === facts.branch) continue;
    row(
      name,
      href === undefined
        ? told("code", {}, text)
        : told("a", { href, target: "_blank", rel: "noopener noreferrer" }, text),
    );
  }
  return rows.length === 0 ? undefined : el("dl", { class: "facts" }, ...rows);
}

function folded(name: string, value: string, isOpen: (name: string) => boolean): HTMLElement {
  const key = `fact ${name}`;
  return el(
    "details",
    { "data-name": key, open: isOpen(key) },
    el("summary", {}, `${value.length.toLocaleString("en")} characters`),
    told("span", {}, value),
  );
}

export function optionContent(option: OptionLine): readonly HTMLElement[] {
  const marks = [
    option.recommended && el("span", { class: "mark recommended" }, "recommended"),
    option.reversible && el("span", { class: "mark" }, "can be undone"),
  ];
  return [
    el("span", { class: "key" }, option.key),
    el(
      "span",
      { class: "choice" },
      told("span", { class: "label" }, option.label),
      told("span", { class: "consequence" }, option.consequence),
      marks.some(Boolean) && el("span", { class: "marks" }, ...marks),
    ),
  ];
}

/** `⏰ No answer by 06:00 → …` with a quiet countdown beside it. */
export function deadlineLine(card: QuestionCard): HTMLElement {
  return el(
    "p",
    { class: "deadline" },
    told("span", {}, card.deadline.words),
    el("time", { class: "countdown", datetime: card.deadline.iso, "aria-hidden": "true" }),
  );
}

/** Fills every countdown below `root`. */
export function tick(root: ParentNode, now: number): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>("time.countdown")) {
    const left = Date.parse(element.dateTime) - now;
    const words = left <= 0 ? "the time is up" : `in ${durationWords(left)}`;
    if (element.textContent !== words) element.textContent = words;
  }
}

function durationWords(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}
