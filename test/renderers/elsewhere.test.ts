import { describe, expect, test } from "vitest";
import { matrix } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { elsewhereOf } from "../../src/app/route.ts";
import type { AskedView } from "../../src/domain/view.ts";
import { aConfig } from "../builders.ts";
import { caseView } from "./cases.ts";
import { nightViews } from "./night-cases.ts";

/** The last line of a message on a channel that hears nothing, where questions go to these. */
function lastLine(view: AskedView, ...deliver: string[]): string {
  const elsewhere = elsewhereOf(aConfig({ deliver }));
  return (
    render({ ...view, elsewhere }, matrix.feishu)
      .plain.split("\n")
      .at(-1) ?? ""
  );
}
const asked = caseView("seed-example");
const night = (name: string): AskedView => nightViews[name] as AskedView;

describe("a channel that hears nothing says where a question is answered", () => {
  test.each([
    [["feishu", "telegram", "inbox"], "Answer on telegram or in the inbox: q-a3f2-012-1 1 (or 2) · /skip q-"],
    [
      ["telegram", "github", "email"],
      "Answer on telegram, github or email, or in the inbox: q-a3f2-012-1 1 (or 2) · /skip q-",
    ],
    // Where only buttons count, what is typed counts nowhere.
    [["telegram", "ntfy"], "Answer on telegram or in the inbox: q-a3f2-012-1 1 (or 2) · /skip q-"],
    // Slack swallows every slash; the other mark is understood everywhere.
    [["telegram", "slack"], "Answer on telegram or slack, or in the inbox: q-a3f2-012-1 1 (or 2) · !skip q-"],
    [
      ["feishu", "webhook", "inbox"],
      "Answer in the inbox or on the command line: owlpost answer q-a3f2-012-1 1 (or 2) · owlpost skip q-",
    ],
  ])("%j", (deliver, line) => {
    expect(lastLine(asked, ...deliver)).toContain(line);
  });

  test("at night, too", () => {
    expect(lastLine(night("consent"), "telegram")).toBe(
      "Answer on telegram or in the inbox: q-a3f2-012-1 go · /skip q-a3f2-012-1",
    );
    expect(lastLine(night("consent"), "inbox")).toBe(
      "Answer in the inbox or on the command line: owlpost answer q-a3f2-012-1 go · owlpost skip q-a3f2-012-1",
    );
    expect(lastLine(night("held"), "slack")).toMatch(/^Works now on slack or in the inbox: !skip q-a3f2-/);
  });

  test("and one that hears something does not send anybody elsewhere", () => {
    const elsewhere = elsewhereOf(aConfig({ deliver: ["slack", "ntfy"] }));
    for (const row of [matrix.telegram, matrix.slack, matrix.github, matrix.inbox]) {
      expect(render({ ...asked, elsewhere }, row)).toEqual(render(asked, row));
    }
  });

  test("one on which only buttons count says where words do", () => {
    const line = (...deliver: string[]) =>
      render({ ...asked, elsewhere: elsewhereOf(aConfig({ deliver })) }, matrix.ntfy)
        .plain.split("\n")
        .at(-1);
    expect(line("slack", "ntfy")).toMatch(
      /^Or answer on slack or in the inbox: q-a3f2-012-1 1 \(or 2\) · !skip/,
    );
    expect(line("ntfy")).toMatch(
      /^Or answer in the inbox or on the command line: owlpost answer q-a3f2-012-1 1/,
    );
  });
});
