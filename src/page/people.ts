import type { InboxState, MadeCode, PairedHere, PeopleLines } from "../app/inbox-state.ts";
import { codeBlock } from "./code.ts";
import { announce, type Child, el, told } from "./dom.ts";
import { openPairForm, type PairWords } from "./pair-form.ts";
import { post } from "./post.ts";

/** A second press within this time is the first one's bounce, and after the other one it was forgotten. */
const bounceMs = 500;
const armedMs = 6_000;

export type People = {
  readonly element: HTMLElement;
  update(state: InboxState): void;
};

/** Who may speak on the channels: looking, pairing, revoking. */
export function openPeople(signedOut: (message: string) => void): People {
  let lines: PeopleLines | undefined;
  let shown = "";
  let armed: { readonly id: number; readonly at: number } | undefined;
  let busy: number | undefined;
  let made: { readonly code: MadeCode; seen: boolean } | undefined;
  let unfolded = false;

  const list = el("div", { class: "people-list" });
  const status = el("p", { class: "receipt", role: "status" });
  const place = el("div", { class: "made-place" });
  const form = openPairForm((words) => void pair(words));
  form.element.hidden = true;
  const unfold = el("button", { type: "button", class: "quiet", "aria-expanded": "false" }, "Pair somebody");
  unfold.addEventListener("click", () => open(!unfolded));
  const element = el(
    "section",
    { class: "panel people", "aria-labelledby": "people-heading" },
    el("h2", { id: "people-heading" }, "People"),
    list,
    status,
    place,
    el("div", { class: "actions-quiet" }, unfold),
    form.element,
  );
  element.hidden = true;

  const open = (wanted: boolean): void => {
    unfolded = wanted;
    form.element.hidden = !wanted;
    unfold.setAttribute("aria-expanded", String(wanted));
    if (wanted) form.focus();
  };

  const say = (accepted: boolean, text: string): void => {
    status.className = `receipt ${accepted ? "is-accepted" : "is-refused"}`;
    status.replaceChildren(...(text === "" ? [] : [told("span", {}, text)]));
  };

  const putAway = (): void => {
    const focused = place.contains(document.activeElement);
    made = undefined;
    place.replaceChildren();
    if (focused) unfold.focus({ preventScroll: true });
  };

  const pair = async (words: PairWords): Promise<void> => {
    say(true, "");
    form.busy(true);
    announce("One moment…");
    const posted = await post<MadeCode | PairedHere>("/api/pair", words);
    form.busy(false);
    announce("");
    if (posted.type === "signed-out") return signedOut(posted.text);
    if (posted.type !== "done") return say(false, posted.text);
    form.done();
    open(false);
    const { body } = posted;
    if ("paired" in body) {
      unfold.focus({ preventScroll: true });
      return say(true, body.paired);
    }
    const block = codeBlock(body, putAway);
    // The list is often faster than the answer.
    made = { code: body, seen: lines !== undefined && isListed(lines, body) };
    place.replaceChildren(block);
    block.focus({ preventScroll: true });
    block.scrollIntoView({ block: "nearest" });
  };

  const revoke = async (id: number, what: string): Promise<void> => {
    if (busy !== undefined) return;
    const since = armed?.id === id ? performance.now() - armed.at : undefined;
    if (since !== undefined && since < bounceMs) return;
    if (since === undefined) {
      arm(id);
      announce(`Press again to revoke ${what}.`);
      return;
    }
    armed = undefined;
    busy = id;
    draw();
    const posted = await post<{ text: string }>("/api/revoke", { id });
    busy = undefined;
    draw();
    if (posted.type === "signed-out") return signedOut(posted.text);
    if (posted.type === "done") say(true, posted.body.text);
    else say(false, posted.text);
  };

  const arm = (id: number): void => {
    const mine = { id, at: performance.now() };
    armed = mine;
    draw();
    setTimeout(() => {
      if (armed !== mine) return;
      armed = undefined;
      draw();
    }, armedMs);
  };

  const revokeButton = (id: number, what: string): HTMLElement => {
    const isArmed = armed?.id === id;
    const button = el(
      "button",
      {
        type: "button",
        class: isArmed ? "plain-button is-armed" : "plain-button",
        "data-focus": `revoke-${id}`,
        "aria-disabled": busy !== undefined,
        "aria-busy": busy === id,
        "aria-label": isArmed ? `Press again to revoke ${what}` : `Revoke ${what}`,
      },
      isArmed ? "Press again" : "Revoke",
    );
    button.addEventListener("click", () => void revoke(id, what));
    return button;
  };

  const row = (id: number | undefined, what: string, ...words: Child[]): HTMLElement =>
    el("li", {}, el("span", {}, ...words), id !== undefined && revokeButton(id, what));

  const draw = (): void => {
    if (!lines) return;
    const focused = list.contains(document.activeElement) ? document.activeElement : undefined;
    const name = focused instanceof HTMLElement ? focused.dataset.focus : undefined;
    const { people, allowed, codes } = lines;
    const rows = [
      ...people.flatMap((person) =>
        person.bindings.map(({ id, channel, address, since }) =>
          row(
            id,
            `${person.name} on ${channel}`,
            told("strong", {}, person.name),
            `, ${person.role}`,
            el("span", { class: "detail" }, `${channel} ${address} · since ${since.text}`),
          ),
        ),
      ),
      ...allowed.map(({ channel, address }) =>
        row(
          undefined,
          "",
          told("strong", {}, address),
          ", owner",
          el("span", { class: "detail" }, `${channel} · by the configuration`),
        ),
      ),
      ...codes.map(({ id, name: who, role, channel, until }) =>
        row(
          id,
          `the code for ${who} on ${channel}`,
          "A code waits for ",
          told("strong", {}, who),
          `, ${role}`,
          el("span", { class: "detail" }, `${channel} · until ${until.text}`),
        ),
      ),
    ];
    list.replaceChildren(
      rows.length > 0
        ? el("ul", { class: "health" }, ...rows)
        : el(
            "p",
            { class: "hint" },
            "Nobody is paired: answers come from this page and the command line alone.",
          ),
    );
    if (name !== undefined) {
      const again = list.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]`);
      (again ?? unfold).focus({ preventScroll: true });
    }
  };

  /** A code that was used, revoked or run out is taken off the page. */
  const follow = ({ people, codes }: PeopleLines): void => {
    if (!made) return;
    const { name, channel } = made.code;
    if (isListed({ codes }, made.code)) {
      made.seen = true;
      return;
    }
    if (!made.seen && Date.now() < Date.parse(made.code.until.iso)) return;
    const isPaired = people.some(
      (person) => person.name === name && person.bindings.some((each) => each.channel === channel),
    );
    putAway();
    say(isPaired, isPaired ? `${name} is paired on ${channel}.` : `The code for ${name} is no longer good.`);
  };

  return {
    element,
    update({ people }) {
      const line = JSON.stringify(people);
      if (line === shown) return;
      shown = line;
      lines = people;
      element.hidden = people.pairable.length + people.people.length + people.allowed.length === 0;
      unfold.hidden = people.pairable.length === 0;
      form.channels(people.pairable);
      draw();
      follow(people);
    },
  };
}

function isListed({ codes }: Pick<PeopleLines, "codes">, { name, channel }: MadeCode): boolean {
  return codes.some((each) => each.name === name && each.channel === channel);
}
