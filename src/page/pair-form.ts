import type { PeopleLines } from "../app/inbox-state.ts";
import { el } from "./dom.ts";

export type PairForm = {
  readonly element: HTMLElement;
  /** The channels that can be chosen. */
  channels(ways: PeopleLines["pairable"]): void;
  busy(busy: boolean): void;
  focus(): void;
  /** It was made: the name is empty again. */
  done(): void;
};

export type PairWords = {
  readonly name: string;
  readonly role: string;
  readonly channel: string;
  readonly address?: string;
};

const roleWords = [
  ["owner", "owner: everything"],
  ["member", "member: answers and steers"],
  ["viewer", "viewer: looks on"],
] as const;

/** What a person is found by, where no code is sent to whoever comes. */
const addressWords = { code: "", login: "Login there", mail: "Mail address" } as const;

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
  const addressLabel = el("label", { for: "pair-address" });
  const address = el("input", {
    id: "pair-address",
    type: "text",
    maxlength: 200,
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
  });
  let ways: PeopleLines["pairable"] = [];
  const wayNow = () => ways.find((way) => way.channel === channel.value)?.by ?? "code";
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
    addressLabel,
    address,
    submit,
  );
  let isBusy = false;
  const draw = (): void => {
    const by = wayNow();
    addressLabel.textContent = addressWords[by];
    addressLabel.hidden = by === "code";
    address.hidden = by === "code";
    const making = by === "login" ? "Pairing…" : "Making a code…";
    submit.textContent = isBusy ? making : by === "login" ? "Pair" : "Make a code";
  };
  channel.addEventListener("change", draw);
  draw();
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    if (submit.getAttribute("aria-disabled") === "true") return;
    if (name.value.trim() === "") return name.focus();
    const asksWhom = wayNow() !== "code";
    if (asksWhom && address.value.trim() === "") return address.focus();
    send({
      name: name.value,
      role: role.value,
      channel: channel.value,
      ...(asksWhom ? { address: address.value } : {}),
    });
  });
  return {
    element,
    channels(given) {
      ways = given;
      const ids = given.map((way) => way.channel);
      if ([...channel.options].map(({ value }) => value).join() === ids.join()) return;
      const chosen = channel.value;
      channel.replaceChildren(...ids.map((id) => el("option", { value: id, selected: id === chosen }, id)));
      draw();
    },
    busy(busy) {
      submit.setAttribute("aria-disabled", String(busy));
      isBusy = busy;
      draw();
    },
    focus: () => name.focus(),
    done() {
      name.value = "";
      address.value = "";
    },
  };
}
