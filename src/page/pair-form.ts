import { el } from "./dom.ts";

export type PairForm = {
  readonly element: HTMLElement;
  /** The channels that can be chosen. */
  channels(ids: readonly string[]): void;
  busy(busy: boolean): void;
  focus(): void;
  /** It was made: the name is empty again. */
  done(): void;
};

export type PairWords = { readonly name: string; readonly role: string; readonly channel: string };

const roleWords = [
  ["owner", "owner: everything"],
  ["member", "member: answers and steers"],
  ["viewer", "viewer: looks on"],
] as const;

/** Name, role and channel. The elements stay the same, so what is typed outlives every update of the page. */
export function openPairForm(send: (words: PairWords) => void): PairForm {
  const name = el("input", {
    id: "pair-name",
    type: "text",
    required: true,
    maxlength: 40,
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    dir: "auto",
  });
  const role = el(
    "select",
    { id: "pair-role" },
    ...roleWords.map(([value, words]) => el("option", { value, selected: value === "member" }, words)),
  );
  const channel = el("select", { id: "pair-channel" });
  const submit = el("button", { class: "send", type: "submit" }, "Make a code");
  const element = el(
    "form",
    { class: "words pair-form" },
    el("label", { for: "pair-name" }, "Name"),
    name,
    el("label", { for: "pair-role" }, "Role"),
    role,
    el("label", { for: "pair-channel" }, "Channel"),
    channel,
    submit,
  );
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    if (submit.getAttribute("aria-disabled") === "true") return;
    if (name.value.trim() === "") return name.focus();
    send({ name: name.value, role: role.value, channel: channel.value });
  });
  return {
    element,
    channels(ids) {
      if ([...channel.options].map(({ value }) => value).join() === ids.join()) return;
      const chosen = channel.value;
      channel.replaceChildren(...ids.map((id) => el("option", { value: id, selected: id === chosen }, id)));
    },
    busy(busy) {
      submit.setAttribute("aria-disabled", String(busy));
      submit.textContent = busy ? "Making a code…" : "Make a code";
    },
    focus: () => name.focus(),
    done() {
      name.value = "";
    },
  };
}
