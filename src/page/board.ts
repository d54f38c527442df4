import type { InboxState, QuestionCard } from "../app/inbox-state.ts";
import { type Card, openCard, type Surroundings } from "./card.ts";
import { announce, el, owl } from "./dom.ts";
import { tick } from "./question.ts";
import { openTasks } from "./tasks.ts";

/** For how long a tap does not count after cards have moved: it was meant for what lay there before. */
const unsteadyMs = 400;

export type Board = {
  readonly element: HTMLElement;
  update(state: InboxState): void;
};

type Section = {
  readonly place: QuestionCard["place"];
  readonly element: HTMLElement;
  readonly list: HTMLElement;
};

/** All questions, each card in the section where it belongs. */
export function openBoard(signedOut: (message: string) => void): Board {
  const cards = new Map<string, Card>();
  let shown: readonly QuestionCard[] | undefined;
  let movedAt = Number.NEGATIVE_INFINITY;
  const quiet = emptyNest();
  const sections: readonly Section[] = [
    section("open", "Open questions"),
    section("late", "No answer in time"),
    section("decided", "Answered"),
    section("closed", "Recent"),
  ];
  sections[0]?.element.append(quiet);
  const tasks = openTasks();

  const around: Surroundings = {
    // A press of a key has no detail: there the focus says what is meant.
    steady: (event) =>
      !(event instanceof UIEvent) || event.detail === 0 || event.timeStamp - movedAt > unsteadyMs,
    moved() {
      movedAt = performance.now();
    },
    replace: () => place(),
    signedOut,
  };

  const place = (): void => {
    const active = document.activeElement;
    let changed = false;
    for (const { place: name, element, list } of sections) {
      const wanted = (shown ?? []).map((each) => cards.get(each.id)).filter((card) => card?.place() === name);
      let at = list.firstElementChild;
      for (const card of wanted) {
        if (!card) continue;
        if (card.element === at) at = at.nextElementSibling;
        else {
          list.insertBefore(card.element, at);
          changed = true;
        }
      }
      element.hidden = wanted.length === 0 && name !== "open";
      if (name === "open") {
        quiet.hidden = wanted.length > 0;
        // Whoever has cards below knows how it works, and looks for the receipt.
        quiet.classList.toggle("nest-brief", (shown ?? []).length > 0);
      }
      const count = element.querySelector(".count");
      const number = (shown ?? []).filter((each) => each.place === name).length;
      if (count) count.textContent = number > 0 ? String(number) : "";
    }
    if (changed) around.moved();
    if (active instanceof HTMLElement && active !== document.body && document.activeElement !== active) {
      if (active.isConnected) active.focus({ preventScroll: true });
    }
  };

  setInterval(() => tick(document, Date.now()), 15_000);

  return {
    // What is over comes last.
    element: el(
      "div",
      { class: "board" },
      ...sections.slice(0, -1).map((each) => each.element),
      tasks.element,
      ...sections.slice(-1).map((each) => each.element),
    ),
    update(state) {
      tasks.update(state);
      const isFirst = shown === undefined;
      shown = state.cards;
      const fresh: QuestionCard[] = [];
      for (const question of state.cards) {
        const card = cards.get(question.id);
        if (card) card.update(question);
        else {
          cards.set(question.id, openCard(question, around));
          fresh.push(question);
        }
      }
      const known = new Set(state.cards.map((each) => each.id));
      for (const [id, card] of cards) {
        if (known.has(id)) continue;
        card.element.remove();
        cards.delete(id);
        around.moved();
      }
      place();
      const asked = fresh.filter(({ place: name, night }) => name === "open" && night?.form !== "held");
      if (!isFirst && asked.length > 0)
        announce(`New question: ${asked.map((each) => each.title).join("; ")}`);
    },
  };
}

function section(place: QuestionCard["place"], heading: string): Section {
  const list = el("div", { class: `cards cards-${place}` });
  const element = el(
    "section",
    { class: `section section-${place}`, "aria-labelledby": `${place}-heading` },
    el("h2", { id: `${place}-heading` }, heading, " ", el("span", { class: "count" })),
    list,
  );
  return { place, element, list };
}

function emptyNest(): HTMLElement {
  return el(
    "div",
    { class: "nest" },
    owl("owl owl-large"),
    el("p", { class: "nest-words" }, "All quiet. Nothing waits for an answer."),
    el("p", {}, "A loop asks with this, and the question appears here by itself:"),
    el("p", {}, el("code", {}, "owlpost ask question.yaml")),
  );
}
