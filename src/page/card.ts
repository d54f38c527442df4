import type { LocalCommand, QuestionCard, Verdict } from "../app/inbox-state.ts";
import { announce, type Child, el, told } from "./dom.ts";
import { type Form, openForm } from "./form.ts";
import { press } from "./press.ts";
import { evidence, optionContent, tick, whereLine } from "./question.ts";
import { verdictBlock } from "./verdict.ts";
import { type Controls, waiting } from "./waiting.ts";

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
  let line = "";
  let busy: string | undefined;
  let receipt: Receipt | undefined;
  let lingers: QuestionCard["place"] | undefined;
  let open: "answer" | "note" | "change" | undefined;
  /** A night form that is looked at in full. */
  let inFull = false;
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

  /** A held question takes a choice only after it was shown in full. */
  const confirmed = (): { confirmed?: "in-full" } =>
    card.night?.form === "held" && inFull ? { confirmed: "in-full" } : {};

  const forms: Record<"answer" | "note", Form> = {
    answer: openForm(first.id, "answer", {
      label: "Your answer, in your own words",
      hint: first.permission
        ? "The call does not run, and the agent is told these words."
        : "It reaches the agent as it stands, at the next iteration.",
      button: "Send answer",
      send: (text) => void act({ verb: "answer", question: card.id, text, ...confirmed() }, "send-answer"),
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

  const chosen = (verb: "choose" | "override", key: string): LocalCommand =>
    verb === "choose" ? { verb, question: card.id, key, ...confirmed() } : { verb, question: card.id, key };

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
            (event) => void act(chosen(verb, option.key), `option-${option.key}`, event),
            ...optionContent(option),
          ),
        ),
    );

  const unfold = (name: "answer" | "note" | "change", label: string): HTMLElement => {
    const made = button(name, "quiet", () => toggle(name), label);
    made.setAttribute("aria-expanded", String(open === name));
    return made;
  };

  const controls = (): Controls => ({
    card,
    inFull,
    open,
    title: () => title("h3"),
    evidence: () => evidence(card, (name) => unfolded.has(name)),
    choices: () => choices("choose"),
    press: (name, className, command, words) =>
      button(name, className, (event) => void act(command, name, event), words),
    full(className, words) {
      const made = button("in-full", className, showInFull, words);
      made.setAttribute("aria-expanded", String(inFull));
      return made;
    },
    unfold,
    form: (name) => forms[name].element,
  });

  const showInFull = (event: Event): void => {
    if (busy !== undefined || !around.steady(event)) return;
    inFull = !inFull;
    draw();
  };

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
    const children = verdict ? decided(verdict) : waiting(controls());
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
  line = JSON.stringify(first);
  return {
    element,
    place: () => lingers ?? card.place,
    update(next) {
      const said = JSON.stringify(next);
      if (said === line) return;
      line = said;
      const moved = next.revision !== card.revision;
      // Somebody else decided, or the loop took it: an old receipt would say what is true no more.
      if (moved && busy === undefined && lingers === undefined) receipt = undefined;
      if (moved && open === "change") open = undefined;
      // The next night begins small again.
      if (next.night?.form !== card.night?.form) inFull = false;
      card = next;
      draw();
    },
  };
}
