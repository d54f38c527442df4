import type { Verdict } from "../app/inbox-state.ts";
import { el, told } from "./dom.ts";

/** An expired question that can still be answered. */
export function lateLine(verdict: Verdict): HTMLElement {
  return el(
    "p",
    { class: "deadline is-late" },
    told("span", {}, verdict.words),
    verdict.next !== undefined && el("span", { class: "still" }, verdict.next),
  );
}

const marks: Readonly<Record<Verdict["mark"], string>> = {
  answered: "✅",
  skipped: "⏭️",
  retried: "🔁",
  deadline: "",
  cancelled: "✖️",
};

/** What came of a question. A receipt beside it says what comes next, so that is left out then. */
export function verdictBlock(verdict: Verdict, hasReceipt: boolean): HTMLElement {
  const mark = marks[verdict.mark];
  return el(
    "div",
    { class: `verdict is-${verdict.mark}` },
    el(
      "p",
      { class: "verdict-words" },
      mark !== "" && el("span", { "aria-hidden": "true" }, `${mark} `),
      told("span", {}, verdict.words),
    ),
    verdict.text !== undefined && told("blockquote", {}, verdict.text),
    verdict.source !== undefined &&
      el(
        "p",
        { class: "source" },
        told("span", {}, verdict.source),
        verdict.at && " · ",
        verdict.at && el("time", { datetime: verdict.at.iso }, verdict.at.text),
      ),
    verdict.taken && el("p", { class: "taken" }, told("span", {}, verdict.taken.words)),
    verdict.result !== undefined && el("p", { class: "source" }, verdict.result),
    verdict.next !== undefined && !hasReceipt && told("p", { class: "source" }, verdict.next),
  );
}
