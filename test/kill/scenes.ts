import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { QuestionId } from "../../src/domain/ids.ts";
import { aDocument } from "../builders.ts";
import { abort } from "./abort-scene.ts";
import { agents } from "./agents-scene.ts";
import { board } from "./board-scene.ts";
import { github } from "./github-scene.ts";
import { hooks } from "./hooks-scene.ts";
import { mail } from "./mail-scene.ts";
import { ntfy } from "./ntfy-scene.ts";
import { parking } from "./parking-scene.ts";
import { pairing, words } from "./people-scenes.ts";
import type { Scene } from "./scene.ts";
import { slack } from "./slack-scene.ts";
import { telegram } from "./telegram-scene.ts";

/** Asked by several programs, answered on the phone, taken by the loop with its own claim. */
const phone: Scene = {
  endings: {
    alpha: { state: "resolved", outcome: "answered", option: "1", result: "done" },
    bravo: { state: "resolved", outcome: "skipped", result: "skipped" },
    charlie: { state: "resolved", outcome: "answered", option: "2", result: "failed" },
    delta: { state: "applied", outcome: "retried" },
    echo: { state: "cancelled", outcome: "cancelled" },
    foxtrot: { state: "posted" },
  },
  async play(play) {
    const alpha = await play.ask("alpha", { key: "key-alpha" });
    const bravo = await play.ask("bravo", {});
    const [charlie, delta, echo] = await Promise.all([
      play.ask("charlie", { key: "key-charlie" }),
      play.ask("delta", { key: "key-delta" }),
      play.ask("echo", {}),
    ]);
    await play.settle();
    for (const id of [alpha, bravo, charlie, delta, echo]) {
      await play.until(`${id} is posted`, async () => (await play.state(id)) !== "pending");
    }
    await play.press("a stranger", alpha, "2", "stranger");
    await play.press("a wrong key", charlie, "9");
    await play.press("the first", alpha, "1");
    await play.press("too late", alpha, "2", "mara");
    await play.press("the same again", alpha, "1", "mara");
    await play.press("a skip", bravo, "skip");
    await play.press("a choice", charlie, "2");
    await play.press("a retry", delta, "retry");
    await play.cancel(echo, "the task was edited");
    const { given } = await play.take("all", "claim-phone");
    assert.equal(given.length, 4);
    await play.confirm("claim-phone");
    assert.equal((await play.take("nothing left", "claim-phone-2")).given.length, 0);
    await play.resolve(alpha, "done");
    await play.resolve(bravo, "skipped");
    await play.resolve(charlie, "failed");
    await play.ask("foxtrot", { key: "key-foxtrot" });
  },
};

/** Answered at the machine; the first claim is lost, lapses, and another loop takes. */
const desk: Scene = {
  endings: {
    golf: { state: "resolved", outcome: "overridden", option: "2", result: "done" },
    hotel: { state: "resolved", outcome: "answered", result: "done" },
    india: { state: "applied", outcome: "skipped" },
    juliett: { state: "answered", outcome: "retried" },
  },
  notes: ["look at the lock file", "prefer small commits", "stop before lunch"],
  async play(play) {
    const golf = await play.ask("golf", { key: "key-golf" });
    const hotel = await play.ask("hotel", {});
    const india = await play.ask("india", { key: "key-india" });
    const juliett = await play.ask("juliett", {});
    const first = await play.decide("golf first", { verb: "choose", question: golf, key: "1" });
    assert.equal(first.accepted, true);
    const second = await play.decide("golf late", { verb: "choose", question: golf, key: "2" }, "inbox");
    assert.equal(second.accepted, false);
    await play.decide("golf steer", { verb: "steer", target: golf, text: "look at the lock file" });
    await play.decide(
      "task steer",
      { verb: "steer", target: "hotel", text: "prefer small commits" },
      "inbox",
    );
    await play.decide("run steer", { verb: "steer", target: "run:a3f2", text: "stop before lunch" });
    const override = await play.decide("golf override", { verb: "override", question: golf, key: "2" });
    assert.equal(override.accepted, true);
    await play.decide("hotel words", { verb: "answer", question: hotel, text: "neither: ask again in May" });
    await play.decide("india skip", { verb: "skip", question: india }, "inbox");
    await play.settle();

    assert.equal((await play.take("golf lost", "claim-lost", "golf")).given.length, 1);
    const late = await play.decide("golf too late", { verb: "override", question: golf, key: "1" });
    assert.equal(late.accepted, false);
    assert.equal((await play.take("golf held", "claim-other", "golf")).given.length, 0);
    await play.advance("the lease is over", 11);
    assert.equal((await play.take("everything", "claim-desk")).given.length, 3);
    assert.deepEqual(await play.confirm("claim-lost"), []);
    assert.equal((await play.confirm("claim-desk")).length, 3);
    await play.resolve(golf, "done");
    await play.resolve(hotel, "done");
    await play.decide("juliett retry", { verb: "retry", question: juliett });
    await play.advance("nothing lapses", 11);
  },
};

/** Nobody answers in time, or just in time, or too late. */
const deadline: Scene = {
  endings: {
    kilo: { state: "resolved", outcome: "defaulted", result: "skipped" },
    lima: { state: "resolved", outcome: "defaulted", result: "done" },
    mike: { state: "expired", outcome: "expired" },
    november: { state: "resolved", outcome: "overridden", option: "2", result: "done" },
    oscar: { state: "resolved", outcome: "answered", option: "1", result: "done" },
    papa: { state: "applied", outcome: "overridden", option: "1" },
  },
  async play(play) {
    const soon = (action: string, more: Record<string, unknown> = {}) => ({
      more: { default: { action, at: "30m" }, ...more },
    });
    const kilo = await play.ask("kilo", soon("skip_spec"));
    const lima = await play.ask("lima", soon("take_recommended", { auto_default: true }));
    await play.ask("mike", soon("stay_parked"));
    const november = await play.ask("november", soon("skip_spec"));
    const oscar = await play.ask("oscar", soon("skip_spec"));
    const papa = await play.ask("papa", soon("skip_spec"));
    await play.settle();

    // The service is away while the button is pressed, and comes back after the deadline.
    await play.close();
    await play.press("just in time", oscar, "1");
    await play.advance("the deadlines pass", 31);
    await play.open();
    await play.until("everything is swept", async () => (await play.state(kilo)) !== "posted");
    await play.until("the press came first", async () => (await play.state(oscar)) !== "posted");
    await play.press("too late, but not taken", november, "2");

    const lost = await play.take("lost", "claim-lost");
    assert.equal(lost.given.length, 5);
    await play.advance("the lease is over", 11);
    await play.until("the claim has lapsed", async () => (await play.state(papa)) !== "default_applied");
    await play.press("after the lapse", papa, "1");
    const again = await play.take("again", "claim-again");
    assert.equal(again.given.length, 5);
    await play.confirm("claim-again");
    await play.resolve(kilo, "skipped");
    for (const id of [lima, november, oscar]) await play.resolve(id, "done");
    await play.press("after everything", kilo, "1");
  },
};

/** Engines that know files only, in the home's airlock and in a repository's. */
const files: Scene = {
  endings: {
    quebec: { state: "applied", outcome: "answered", option: "1" },
    romeo: { state: "applied", outcome: "answered" },
    sierra: { state: "applied", outcome: "skipped" },
    tango: { state: "default_applied", outcome: "defaulted" },
  },
  notes: ["mind the gap", "``` and no further ```"],
  async play(play) {
    const own = join(play.home, "airlocks", "default");
    const repo = join(play.repository, ".owlpost");
    const quebec = await play.ask("quebec", { key: "key-quebec" });
    const romeo = await play.ask("romeo", { project: "repo" });
    const tango = await play.ask("tango", { project: "repo", more: { default: soonest } });
    await play.settle();
    const dropped = join(repo, "questions", "sierra-question.yaml");
    await play.step("drop sierra", () =>
      play.write(
        dropped,
        stringify(
          aDocument({
            task: "sierra",
            title: "What about sierra?",
            default: { action: "skip_spec", at: "8h" },
          }),
        ),
      ),
    );
    await play.decide("quebec 1", { verb: "choose", question: quebec, key: "1" });
    await play.decide("romeo words", { verb: "answer", question: romeo, text: "as in\n```\nthe plan\n```" });
    await play.decide("gap", { verb: "steer", target: quebec, text: "mind the gap" });
    await play.decide("fence", { verb: "steer", target: romeo, text: "``` and no further ```" });
    await play.takeByFile(own, "quebec", quebec);
    await play.takeByFile(repo, "romeo", romeo);
    await play.advance("the deadline of tango", 31);
    await play.takeByFile(repo, "tango", tango);
    const sierra = "q-a3f2-sierra-1" as QuestionId;
    await play.until("sierra is asked", async () => (await play.state(sierra)) !== undefined);
    await play.decide("sierra skip", { verb: "skip", question: sierra });
    await play.takeByFile(repo, "sierra", sierra);
    await play.until("the dropped file is a ticket", async () =>
      readFileSync(dropped, "utf8").includes(sierra),
    );
  },
};
const soonest = { action: "skip_spec", at: "30m" };

/** The platform swallows, refuses and breaks; a notice goes out all the same. */
const weather: Scene = {
  endings: {
    uniform: { state: "answered", outcome: "answered", option: "1" },
    victor: { state: "posted" },
    whiskey: { state: "answered", outcome: "answered", option: "2" },
  },
  async play(play) {
    await play.fault("a post is swallowed", { on: "post", how: "swallow", times: 1, destination: "eric" });
    await play.fault("the pager is blocked", { on: "post", how: "forbidden", times: 1, destination: "mara" });
    const uniform = await play.ask("uniform", { key: "key-uniform" });
    await play.until("the pager was refused", async () => (await play.state(uniform)) !== "pending");
    await play.fault("the peer is busy", { on: "post", how: "busy", times: 1, destination: "eric" });
    await play.ask("victor", {});
    await play.notify("first", "run-complete");
    const refused = await play.step("ask nothing", () =>
      play.service().owlpost.ask({ document: { title: "no more than a title" } }),
    );
    assert.equal(refused.ok, false);
    await play.advance("the pause is over", 1);
    const whiskey = await play.ask("whiskey", { key: "key-whiskey" });
    await play.until("whiskey is posted", async () => (await play.state(whiskey)) !== "pending");
    await play.fault("an edit breaks", { on: "edit", how: "broken", times: 1 });
    await play.fault("a toast is swallowed", { on: "receipts", how: "swallow", times: 1 });
    await play.press("the swallowed post", uniform, "1");
    await play.press("whiskey", whiskey, "2");
    await play.advance("the second pause is over", 1);
    await play.notify("second", "stalled");
    await play.settle();
  },
};

export const scenes: Readonly<Record<string, Scene>> = {
  phone,
  desk,
  deadline,
  files,
  weather,
  telegram,
  ntfy,
  slack,
  github,
  pairing,
  words,
  abort,
  board,
  parking,
  agents,
  hooks,
  mail,
};
