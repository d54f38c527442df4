import { el } from "./dom.ts";

export type Form = {
  readonly element: HTMLElement;
  focus(): void;
  /** It was sent: the field is empty again. */
  done(): void;
};

type FormWords = {
  readonly label: string;
  readonly hint: string;
  readonly button: string;
  send(text: string): void;
};

/** A text field with its button. The element stays the same for the life of a card, so what is typed is never lost. */
export function openForm(id: string, name: string, words: FormWords): Form {
  const fieldId = `${id}-${name}`;
  const field = el("textarea", {
    id: fieldId,
    rows: 3,
    dir: "auto",
    maxlength: 20_000,
    "data-focus": `${name}-field`,
    "aria-describedby": `${fieldId}-hint`,
  });
  const element = el(
    "form",
    { class: "words" },
    el("label", { for: fieldId }, words.label),
    field,
    el("p", { class: "hint", id: `${fieldId}-hint` }, words.hint),
    el("button", { class: "send", type: "submit", "data-focus": `${name}-send` }, words.button),
  );
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value;
    if (text.trim() === "") return field.focus();
    words.send(text);
  });
  return {
    element,
    focus: () => field.focus(),
    done: () => {
      field.value = "";
    },
  };
}
