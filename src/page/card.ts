import type { LocalCommand, QuestionCard, Verdict } from "../app/inbox-state.ts";
import { announce, type Child, el, told } from "./dom.ts";
import { type Form, openForm } from "./form.ts";
import { press } from "./press.ts";
import { deadlineLine, evidence, optionContent, tick, whereLine } from "./question.ts";
import { lateLine, verdictBlock } from "./verdict.ts";

/** How long an answered card stays where it was, so that its receipt is seen. */
const lingerMs = 2_500;

export type Surroundings = {
  /** May a tap count? Not in the moment after cards have moved under the finger. */
  steady(event: Event): boolean;
  /** The card has another height now: what lies below it has moved. */
  moved(): void;
  /** The card wants to be placed again. */
  replace(): void;
  signedOut(message: string): void;
};

export type Card = {
  readonly element: HTMLElement;
  readonly place: () => QuestionCard["place"];
  update(card: QuestionCard): void;
};

type Receipt = { readonly accepted: boolean; readonly sure: boolean; readonly text: string };

/** One question on the page, from its asking to its end. What is typed into it outlives every update. */
export function openCard(first: QuestionCard, around: Surroundings): Card {
  let card = first;
  let shown = "";
  let busy: string | undefined;
  let receipt: Receipt | undefined;
  let lingers: QuestionCard["place"] | undefined;
  let open: "answer" | "note" | "change" | undefined;
  const unfolded = new Set<string>();

  const content = el("div", { class: "content" });
  const status = el("p", { class: "receipt", role: "status" });
  status.hidden = true;
  const element = el(
    "article",
    { class: "card", id: first.id, tabindex: -1, "aria-labelledby": `${first.id}-title` },
    content,
    status,
  );

  const act = async (command: LocalCommand, name: string, event?: Event): Promise<void> => {
    if (busy !== undefined || (event && !around.steady(event))) return;
    busy = name;
    receipt = undefined;
    draw();
    announce("Sending…");
    await press(command, (report) => {
      if (report.type === "signed-out") {
        around.signedOut(report.text);
        return;
      }
      receipt = {
        accepted: report.type === "told" && report.accepted,
        sure: report.type === "told",
        text: report.text,
      };
      if (receipt.accepted) {
        forms[command.verb === "steer" ? "note" : "answer"].done();
        open = undefined;
        if (command.verb !== "steer") linger();
      }
      announce("");
      draw();
    });
    busy = undefined;
    draw();
  };

  const linger = (): void => {
    const from = card.place;
    lingers = from;
    setTimeout(() => {
      lingers = undefined;
      around.replace();
    }, lingerMs);
  };

  const forms: Record<"answer" | "note", Form> = {
    answer: openForm(first.id, "answer", {
      label: "Your answer, in your own words",
      hint: "It reaches the agent as it stands, at the next iteration.",
      button: "Send answer",
      send: (text) => void act({ verb: "answer", question: card.id, text }, "send-answer"),
    }),
    note: openForm(first.id, "note", {
      label: "A note for the next iteration",
      hint: "It steers the agent and does not answer the question.",
      button: "Leave note",
      send: (text) => void act({ verb: "steer", target: card.id, text }, "send-note"),
    }),
  };

  const toggle = (name: NonNullable<typeof open>): void => {
    open = open === name ? undefined : name;
    draw();
    if (open === "answer" || open === "note") forms[open].focus();
  };

  const button = (
    name: string,
    className: string,
    run: (event: Event) => void,
    ...inside: Child[]
  ): HTMLElement => {
    const made = el(
      "button",
      {
        type: "button",
        class: className,
        "data-focus": name,
        "aria-disabled": busy !== undefined,
        "aria-busy": busy === name,
      },
      ...inside,
    );
    made.addEventListener("click", run);
    return made;
  };

  const choices = (verb: "choose" | "override", without?: string): HTMLElement =>
    el(
      "div",
      { class: "options", role: "group", "aria-label": verb === "choose" ? "Options" : "Other options" },
      ...card.options
        .filter((option) => option.key !== without)
        .map((option) =>
          button(
            `option-${option.key}`,
            option.recommended ? "option is-recommended" : "option",
            (event) => void act({ verb, question: card.id, key: option.key }, `option-${option.key}`, event),
            ...optionContent(option),
          ),
        ),
    );

  const unfold = (name: "answer" | "note" | "change", label: string): HTMLElement => {
    const made = button(name, "quiet", () => toggle(name), label);
    made.setAttribute("aria-expanded", String(open === name));
    return made;
  };

  const waiting = (): Child[] => [
    whereLine(card),
    title("h3"),
    card.heldUntil !== undefined &&
      el(
        "p",
        { class: "held" },
        `Held until ${card.heldUntil.text}: it rings nobody before that. It can be answered here.`,
      ),
    evidence(card, (name) => unfolded.has(name)),
    card.place === "late" && card.verdict ? lateLine(card.verdict) : deadlineLine(card),
    choices("choose"),
    el(
      "div",
      { class: "actions" },
      button(
        "skip",
        "plain-button",
        (event) => void act({ verb: "skip", question: card.id }, "skip", event),
        "Skip",
      ),
      button(
        "retry",
        "plain-button",
        (event) => void act({ verb: "retry", question: card.id }, "retry", event),
        "Run again",
      ),
    ),
    el(
      "div",
      { class: "actions-quiet" },
      unfold("answer", "Answer in your own words"),
      unfold("note", "Leave a note"),
    ),
    open === "answer" && forms.answer.element,
    open === "note" && forms.note.element,
  ];

  const decided = (verdict: Verdict): Child[] => [
    whereLine(card),
    title("h3"),
    verdictBlock(verdict, receipt?.accepted === true),
    card.place === "decided" &&
      el("div", { class: "actions-quiet" }, unfold("change", "Change"), unfold("note", "Leave a note")),
    card.place === "decided" && open === "change" && choices("override", verdict.option),
    card.place === "decided" && open === "note" && forms.note.element,
    el(
      "details",
      { "data-name": "question", open: unfolded.has("question") },
      el("summary", {}, "The question"),
      evidence(card, (name) => unfolded.has(name)),
      el(
        "ul",
        { class: "was-offered" },
        ...card.options.map((option) => el("li", {}, ...optionContent(option))),
      ),
    ),
  ];

  const title = (level: "h3"): HTMLElement =>
    told(level, { class: "title", id: `${card.id}-title` }, card.title);

  const draw = (): void => {
    const focused = content.contains(document.activeElement) ? document.activeElement : undefined;
    const name = focused instanceof HTMLElement ? focused.dataset.focus : undefined;
    element.dataset.place = card.place;
    const verdict = card.place === "open" || card.place === "late" ? undefined : card.verdict;
    const children = verdict ? decided(verdict) : waiting();
    content.replaceChildren(...children.filter((child): child is Node => child instanceof Node));
    for (const details of content.querySelectorAll("details")) {
      details.addEventListener("toggle", () => {
        const detail = details.dataset.name ?? "";
        if (details.open) unfolded.add(detail);
        else unfolded.delete(detail);
      });
    }
    tick(content, Date.now());
    status.hidden = receipt === undefined;
    status.className = `receipt ${receipt?.accepted ? "is-accepted" : receipt?.sure === false ? "is-unsure" : "is-refused"}`;
    const said = receipt?.text ?? "";
    if (status.dataset.said !== said) {
      status.dataset.said = said;
      status.replaceChildren(...(said === "" ? [] : [told("span", {}, said)]));
    }
    if (focused) refocus(focused, name);
    around.moved();
  };

  const refocus = (focused: Element, name: string | undefined): void => {
    const kept = focused.isConnected && focused instanceof HTMLElement ? focused : undefined;
    const again =
      name === undefined ? null : content.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]`);
    (kept ?? again ?? element).focus({ preventScroll: true });
  };

  draw();
  shown = JSON.stringify(first);
  return {
    element,
    place: () => lingers ?? card.place,
    update(next) {
      const line = JSON.stringify(next);
      if (line === shown) return;
      shown = line;
      const moved = next.revision !== card.revision;
      // Somebody else decided, or the loop took it: an old receipt would say what is true no more.
      if (moved && busy === undefined && lingers === undefined) receipt = undefined;
      if (moved && open === "change") open = undefined;
      card = next;
      draw();
    },
  };
}
