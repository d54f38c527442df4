import type { MadeCode } from "../app/inbox-state.ts";
import { el, told } from "./dom.ts";

const namespace = "http://www.w3.org/2000/svg";

/** A fresh code: what to scan, to open, or to type. Nothing of it is kept when it is put away. */
export function codeBlock(made: MadeCode, away: () => void): HTMLElement {
  const done = el("button", { type: "button", class: "plain-button", "data-focus": "code-done" }, "Done");
  done.addEventListener("click", away);
  const bot = made.bot === undefined ? "the bot" : `@${made.bot}`;
  return el(
    "div",
    { class: "made", tabindex: -1, role: "group", "aria-labelledby": "made-title" },
    el(
      "h3",
      { id: "made-title" },
      "A code for ",
      told("span", {}, made.name),
      ` (${made.role}) on ${made.channel}`,
    ),
    made.qr && picture(made.qr, made),
    made.link !== undefined &&
      el(
        "p",
        {},
        "Scan it with the phone, or open ",
        el("a", { href: made.link, rel: "noreferrer", target: "_blank" }, "the link"),
        " there, and press Start.",
      ),
    made.noLink !== undefined && told("p", { class: "hint" }, `There is no link. ${made.noLink}`),
    made.mailedTo === undefined
      ? el(
          "p",
          {},
          made.link === undefined ? `Send this to ${bot}, ` : `Or send this to ${bot}, `,
          "in a private chat:",
        )
      : told("p", {}, `A mail goes to ${made.mailedTo}. Reply to it with this alone on the first line:`),
    el("p", {}, el("code", { class: "say" }, made.say)),
    el(
      "p",
      { class: "hint" },
      `It works once, until ${made.until.text}, and is shown only here. Whoever has it becomes that person on ${made.channel}.`,
    ),
    done,
  );
}

function picture({ size, path }: NonNullable<MadeCode["qr"]>, made: MadeCode): SVGSVGElement {
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("class", "qr");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `QR code of the link that pairs ${made.name} on ${made.channel}`);
  svg.setAttribute("shape-rendering", "crispEdges");
  const modules = document.createElementNS(namespace, "path");
  modules.setAttribute("d", path);
  svg.append(modules);
  return svg;
}
