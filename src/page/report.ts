import type { ReportPage } from "../app/report-page.ts";
import { announce, el, told } from "./dom.ts";
import { authorization } from "./session.ts";
import { build } from "./tree.ts";

export type Report = {
  /** Stands beside the questions: how to get at it. */
  readonly panel: HTMLElement;
  /** Takes the place of the questions while it is read. */
  readonly view: HTMLElement;
};

/** The morning report. It is fetched when somebody asks for it, and stays as it is until they ask again. */
export function openReport(board: HTMLElement, signedOut: (message: string) => void): Report {
  const read = button("Read the report", "report-read");
  const save = button("Save as a file");
  const back = button("← Back to the questions");
  const fresh = button("Refresh");
  const trouble = el("p", { class: "report-trouble", role: "alert" });
  const place = el("div", { class: "report-place", tabindex: "-1" });
  const view = el(
    "div",
    { class: "report-view", hidden: true },
    el("p", { class: "report-tools" }, back, " ", fresh),
    place,
  );
  const panel = el(
    "section",
    { class: "panel", "aria-labelledby": "report-panel-heading" },
    el("h2", { id: "report-panel-heading" }, "Morning report"),
    el(
      "p",
      { class: "hint" },
      "What was asked in the night, what was decided by whom, and what still waits.",
    ),
    el("p", { class: "report-buttons" }, read, " ", save),
    trouble,
  );

  const get = async (path: string): Promise<Response | undefined> => {
    trouble.replaceChildren();
    try {
      const response = await fetch(path, { headers: authorization(), cache: "no-store" });
      if (response.ok) return response;
      const body: unknown = await response.json().catch(() => undefined);
      const message = messageIn(body) ?? "The report could not be read.";
      if (response.status === 401) signedOut(message);
      else trouble.append(told("span", {}, message));
    } catch {
      trouble.append("owlpost does not answer: start it with `owlpost serve`.");
    }
    return undefined;
  };

  /** What is still open is answered on its own card, with its own buttons. */
  const offerAnswer = (entry: HTMLElement): void => {
    const card = document.getElementById(entry.dataset.question ?? "");
    if (!entry.closest(".report-again, .report-waiting") || !card) return;
    const go = button("Answer it");
    go.addEventListener("click", () => {
      leave();
      card.focus({ preventScroll: true });
      card.scrollIntoView({ block: "start" });
    });
    entry.append(el("p", { class: "report-buttons" }, go));
  };

  const leave = (): void => {
    view.hidden = true;
    board.hidden = false;
  };

  const show = async (): Promise<void> => {
    const response = await get("/api/report");
    if (!response) return;
    const { tree } = (await response.json()) as ReportPage;
    place.replaceChildren(build(tree));
    for (const entry of place.querySelectorAll<HTMLElement>("[data-question]")) offerAnswer(entry);
    view.hidden = false;
    board.hidden = true;
    place.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    announce("The morning report is shown.");
  };

  const download = async (): Promise<void> => {
    const response = await get("/api/report.html");
    if (!response) return;
    const address = URL.createObjectURL(await response.blob());
    el("a", { href: address, download: "owlpost-report.html" }).click();
    // The browser takes it up in a moment of its own.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };

  read.addEventListener("click", () => void show());
  fresh.addEventListener("click", () => void show());
  save.addEventListener("click", () => void download());
  back.addEventListener("click", () => {
    leave();
    read.focus();
  });
  return { panel, view };
}

function button(words: string, name = ""): HTMLButtonElement {
  return el("button", { type: "button", class: `report-button ${name}`.trim() }, words);
}

function messageIn(body: unknown): string | undefined {
  const message = typeof body === "object" && body !== null ? Reflect.get(body, "message") : undefined;
  return typeof message === "string" ? message : undefined;
}
