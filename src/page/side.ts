import type { ChannelLine, InboxState, NoticeLine } from "../app/inbox-state.ts";
import { byId, type Child, el, told } from "./dom.ts";
import { openPeople } from "./people.ts";

const place = "owlpost.dismissed";
const kept = 200;

export type Side = {
  update(state: InboxState): void;
};

/** Notices, people and health, beside the questions or below them. */
export function openSide(signedOut: (message: string) => void, report: HTMLElement): Side {
  const people = openPeople(signedOut);
  const above = el("div", { class: "slot" });
  const below = el("div", { class: "slot" });
  let shown = "";
  return {
    update(state) {
      const side = byId("side");
      if (!side.contains(people.element)) side.replaceChildren(above, report, people.element, below);
      people.update(state);
      const line = JSON.stringify([state.notices, state.service, state.channels, state.zone]);
      if (shown === line) return;
      shown = line;
      above.replaceChildren(...[notices(state)].filter((each) => each !== undefined));
      below.replaceChildren(health(state));
    },
  };
}

function notices(state: InboxState): HTMLElement | undefined {
  const gone = dismissed();
  const shown = state.notices.filter((notice) => !gone.includes(notice.seq));
  if (shown.length === 0) return undefined;
  const list = el("ul", { class: "notices" });
  const element = el(
    "section",
    { class: "panel", "aria-labelledby": "notices-heading" },
    el("h2", { id: "notices-heading" }, "Notices"),
    list,
  );
  for (const notice of shown) {
    list.append(
      noticeItem(notice, () => {
        dismiss(notice.seq);
        if (list.childElementCount === 0) element.remove();
      }),
    );
  }
  return element;
}

const noticeWords: Readonly<Record<string, string>> = {
  "run-complete": "Run complete",
  stalled: "Stalled",
  blocked: "Blocked",
  pairing: "Pairing",
  morning: "Morning report",
};

function noticeItem(notice: NoticeLine, gone: () => void): HTMLElement {
  const button = el("button", { type: "button", class: "dismiss", "aria-label": "Dismiss this notice" }, "×");
  const item = el(
    "li",
    { class: `notice notice-${notice.kind}` },
    el(
      "p",
      { class: "notice-head" },
      told("strong", {}, noticeWords[notice.kind] ?? notice.kind),
      " · ",
      el("time", { datetime: notice.at.iso }, notice.at.text),
    ),
    told("p", { class: "notice-text" }, notice.text),
    button,
  );
  button.addEventListener("click", () => {
    item.remove();
    gone();
  });
  return item;
}

function health(state: InboxState): HTMLElement {
  const { service, channels } = state;
  const rings = channels.some((channel) => channel.rings);
  const since = service.since === undefined ? "" : ` since ${service.since.text}`;
  return el(
    "section",
    { class: "panel", "aria-labelledby": "health-heading" },
    el("h2", { id: "health-heading" }, "Health"),
    el(
      "ul",
      { class: "health" },
      healthItem(
        service.running,
        "Service",
        service.running ? `running${since}` : "not running: start it with `owlpost serve`",
      ),
      ...channels.map(channelItem),
    ),
    el(
      "p",
      { class: "hint" },
      rings
        ? "The inbox itself does not ring."
        : "The inbox does not ring: as long as no other channel is set up, a question waits here in silence.",
    ),
    el("p", { class: "hint" }, `Times are in ${state.zone}.`),
  );
}

function channelItem(channel: ChannelLine): HTMLElement {
  const parts = [
    `${channel.up ? "up" : "down"}${channel.since ? ` since ${channel.since.text}` : ""}`,
    channel.lastReceived && `last heard ${channel.lastReceived.text}`,
    channel.rings && "rings",
  ].filter(Boolean);
  return healthItem(
    channel.up,
    channel.id,
    parts.join(" · "),
    channel.detail !== undefined && told("span", { class: "detail" }, channel.detail),
  );
}

function healthItem(up: boolean, name: string, words: string, ...more: Child[]): HTMLElement {
  return el(
    "li",
    {},
    el("span", { class: up ? "dot is-up" : "dot is-down", "aria-hidden": "true" }),
    el("span", {}, told("strong", {}, name), ` ${words}`, ...more),
  );
}

function dismissed(): readonly number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? "[]");
    return Array.isArray(stored) ? stored.filter((each) => typeof each === "number") : [];
  } catch {
    return [];
  }
}

function dismiss(seq: number): void {
  try {
    localStorage.setItem(place, JSON.stringify([...dismissed(), seq].slice(-kept)));
  } catch {
    // Storage is full or off: the notice comes back with the next load.
  }
}
