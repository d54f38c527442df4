import fc from "fast-check";
import { expect, test } from "vitest";
import { aHookDesk } from "./desk.ts";
import { askUserQuestion, auth, geminiAskUser, permissionRequest, storage } from "./events.ts";

const deeds = fc.constantFrom("answer", "say", "skip", "retry", "cancel", "nothing" as const);

/**
 * Two questions and a permission, headless or not, each of them left alone or dealt with, before or after the deadline: unless
 * a person answered each question in time there are no answers, and unless a person chose to allow nothing is allowed.
 */
test("field 80, R1: on no path silence allows or answers anything", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(deeds, deeds, deeds),
      fc.boolean(),
      fc.constantFrom("claude-code", "gemini-cli" as const),
      async ([first, second, third], headless, agent) => {
        const desk = await aHookDesk();
        const event =
          agent === "gemini-cli" ? geminiAskUser({ tool_input: both }) : askUserQuestion(both.questions);
        const waiting = [
          desk.hook(event, agent, { headless }),
          desk.hook(permissionRequest(), "claude-code", { headless }),
        ];
        const open = await desk.asked(3);
        const isPermission = (at: number) => open[at]?.question.source === "permission";
        const order = [0, 1, 2].sort((a, b) => Number(isPermission(a)) - Number(isPermission(b)));
        for (const [at, deed] of [first, second, third].entries()) {
          const id = String(open[order[at] ?? 0]?.question.id);
          if (deed === "answer") await desk.answer(id, "1");
          else if (deed === "say") await desk.say(id, "as before");
          else if (deed === "skip" || deed === "retry") await desk[deed](id);
          else if (deed === "cancel") await desk.owlpost.cancel(id, "no longer needed");
        }
        desk.pass();
        const [asked, permitted] = await Promise.all(waiting);
        const bySomebody = [first, second].every((deed) => deed === "answer" || deed === "say");
        const said = JSON.stringify(asked?.output ?? {});
        if (!bySomebody) expect(said).not.toMatch(/"allow"|"answers"/);
        const may = JSON.stringify(permitted?.output ?? {});
        expect(may.includes('"allow"')).toBe(third === "answer");
        if (first === "nothing" && second === "nothing") expect(said).not.toMatch(/was (answered|skipped)/);
        expect(`${said}${may}`).not.toMatch(/\b(the )?user\b/i);
        desk.gone.abort();
      },
    ),
    { numRuns: 25, seed: 20261130 },
  );
}, 60_000);

const both = { questions: [auth, storage].map((each) => ({ ...each, type: "choice" })) };
