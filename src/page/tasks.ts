import type { BoardLines, InboxState, TaskLine } from "../app/inbox-state.ts";
import { type Child, el, told } from "./dom.ts";

export type Tasks = {
  readonly element: HTMLElement;
  update(state: InboxState): void;
};

/** The tasks of every board that are not finished, as a plain list; nothing is changed here. */
export function openTasks(): Tasks {
  const place = el("div", { class: "task-boards" });
  const count = el("span", { class: "count" });
  const element = el(
    "section",
    { class: "section section-tasks", "aria-labelledby": "tasks-heading", hidden: true },
    el("h2", { id: "tasks-heading" }, "Tasks ", count),
    place,
  );
  let shown = "";
  return {
    element,
    update({ boards }) {
      const line = JSON.stringify(boards);
      if (shown === line) return;
      shown = line;
      element.hidden = boards.length === 0;
      const all = boards.reduce((sum, { tasks }) => sum + tasks.length, 0);
      count.textContent = boards.some(({ more }) => more) ? `${all}+` : String(all);
      place.replaceChildren(...boards.map((board) => boardList(board, boards.length > 1)));
    },
  };
}

function boardList({ board, tasks, more }: BoardLines, isNamed: boolean): HTMLElement {
  return el(
    "div",
    { class: "task-board" },
    isNamed && told("h3", { class: "task-board-name" }, board),
    el("ul", { class: "tasks", "aria-label": `Tasks of ${board}` }, ...tasks.map(item)),
    more &&
      el("p", { class: "hint" }, "There are more: ", el("code", {}, "owlpost task list"), " shows them all."),
  );
}

function item(task: TaskLine): HTMLElement {
  return el(
    "li",
    { class: "task-line", "data-task": task.id },
    el("span", { class: `task-status task-${task.status.toLowerCase().replace(" ", "-")}` }, task.status),
    el(
      "div",
      { class: "task-words" },
      told("p", { class: "task-title" }, task.title),
      el("p", { class: "task-more" }, told("code", {}, task.id), ...joined(notes(task))),
      task.why !== undefined && el("p", { class: "task-why" }, ...why(task, task.why)),
    ),
  );
}

function notes({ priority, due, executor, held, blockers, parts }: TaskLine): readonly Child[] {
  return [
    priority,
    due !== undefined && `due ${due}`,
    executor !== undefined && told("span", {}, executor),
    held && told("span", {}, `held by ${held.by} since ${held.since.text}`),
    blockers > 0 && `waits for ${blockers} other ${blockers === 1 ? "task" : "tasks"}`,
    parts && `${parts.done} of ${parts.all} parts done`,
  ].filter((each) => each !== undefined && each !== false);
}

function joined(parts: readonly Child[]): Child[] {
  return parts.flatMap((part) => [" · ", part]);
}

/** A question that stands on this page is a step away. */
function why({ question }: TaskLine, text: string): Child[] {
  const at = question === undefined ? -1 : text.indexOf(question);
  if (question === undefined || at < 0) return [told("span", {}, text)];
  const go = el("a", { href: `#${question}` }, question);
  go.addEventListener("click", (event) => {
    // The address of the page stays as it is.
    event.preventDefault();
    const card = document.getElementById(question);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "start" });
  });
  return [told("span", {}, text.slice(0, at)), go, told("span", {}, text.slice(at + question.length))];
}
