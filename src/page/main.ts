import type { InboxState } from "../app/inbox-state.ts";
import { openBoard } from "./board.ts";
import { byId, el, owl, told } from "./dom.ts";
import { openReport } from "./report.ts";
import { forgetSession, linkToken, session, signIn } from "./session.ts";
import { openSide } from "./side.ts";
import { type Connection, follow } from "./stream.ts";

const connectionWords: Readonly<Record<Connection, string>> = {
  live: "live",
  reconnecting: "reconnecting…",
  gone: "not running",
};

function showConnection(connection: Connection): void {
  const element = byId("connection");
  if (element.dataset.state === connection) return;
  element.dataset.state = connection;
  element.textContent = connectionWords[connection];
  const gone = byId("gone");
  gone.hidden = connection !== "gone";
  gone.replaceChildren(
    ...(connection === "gone"
      ? [
          "owlpost does not answer. What stands here may be old, and nothing can be sent. Start it again with ",
          el("code", {}, "owlpost serve"),
          "; this page comes back by itself.",
        ]
      : []),
  );
}

function showSignedOut(message: string): void {
  forgetSession();
  document.title = "owlpost";
  const connection = byId("connection");
  connection.dataset.state = "out";
  connection.textContent = "not signed in";
  byId("gone").hidden = true;
  byId("side").replaceChildren();
  byId("main").replaceChildren(
    el(
      "section",
      { class: "nest", role: "alert" },
      owl("owl owl-large"),
      el("h2", {}, "This page needs a fresh link"),
      told("p", {}, message),
      el("p", {}, el("code", { class: "big" }, "owlpost inbox")),
      el(
        "p",
        { class: "hint" },
        "A link works once, for 10 minutes; this browser then stays signed in for 30 days.",
      ),
    ),
  );
}

function run(): void {
  const main = byId("main");
  const board = openBoard(showSignedOut);
  const report = openReport(board.element, showSignedOut);
  const side = openSide(showSignedOut, report.panel);
  let begun = false;
  void follow({
    state(state: InboxState) {
      if (!begun) main.replaceChildren(board.element, report.view);
      begun = true;
      const open = state.cards.filter((card) => card.place === "open").length;
      document.title = open > 0 ? `(${open}) owlpost` : "owlpost";
      board.update(state);
      side.update(state);
    },
    connection: showConnection,
    signedOut: showSignedOut,
  });
}

async function start(): Promise<void> {
  const token = linkToken();
  if (token !== undefined) {
    try {
      const signedIn = await signIn(token);
      // An old link in a browser that is signed in already is no reason to turn anybody away.
      if (!signedIn.ok && session() === undefined) return showSignedOut(signedIn.message);
    } catch {
      if (session() === undefined) {
        return showSignedOut(
          "owlpost did not answer. Start it with `owlpost serve`, then open a fresh link.",
        );
      }
    }
  }
  if (session() === undefined) return showSignedOut("Open the link that owlpost printed.");
  run();
}

// A second link opened in this tab changes the fragment only.
window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) location.reload();
});

void start();
