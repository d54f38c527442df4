import type { StoredQuestion } from "../domain/question.ts";
import type { QuestionView } from "../domain/view.ts";
import { awayLine } from "./outage.ts";
import { mayBeAnswered, questionView } from "./view.ts";

const dayMs = 24 * 3_600_000;

/**
 * The longest forms that the message of a new question takes while it can be answered: as it is posted and, where `edits`
 * change it, under the word of an outage, before and after its deadline. The forms of the night, and what was decided, need
 * less: no option stands there, or the recommended one alone.
 */
export function longestViews(asked: StoredQuestion, edits: boolean): readonly QuestionView[] {
  const posted = questionView(asked, asked.askedAt);
  if (!edits) return [posted];
  const { askedAt: at, zone, deadlineAt } = asked;
  // Weeks later, so that each time stands there with its day.
  const away = awayLine({ from: at, to: at }, zone, at + 30 * dayMs);
  const missed: StoredQuestion = { ...asked, state: "expired", outcome: "expired" };
  const views = mayBeAnswered(missed) ? [posted, questionView(missed, deadlineAt + dayMs)] : [posted];
  return views.map((view) => ({ ...view, standing: `${away}\n${view.standing ?? view.deadline}` }));
}
