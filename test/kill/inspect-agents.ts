import type { StoredQuestion } from "../../src/domain/question.ts";
import type { Told } from "./agent-line.ts";
import type { GivenEntry } from "./ledger.ts";
import type { Remains } from "./remains.ts";

/**
 * What agents were told. Every answer of a person comes to the agent that asked, and as news no oftener than a claim was lost
 * on the way; and whatever allows something was allowed by a person, in time.
 */
export function inspectAgents({ ledger, questions, events }: Remains): string[] {
  const told = ledger
    .filter(({ name }) => name.startsWith("told "))
    .map(({ name, value }) => ({ name, ...(value as Told) }));
  if (told.length === 0) return [];
  const wrong: string[] = [];
  const taken = ledger.filter(({ name }) => name.startsWith("take ")).map(({ value }) => value as GivenEntry);
  for (const stored of questions) {
    const { id, source } = stored.question;
    const times = told.filter(({ news }) => news.includes(id)).length;
    const lapses = events.filter((event) => event.question === id && event.kind === "question.lapsed").length;
    if (times > 1 + lapses) wrong.push(`${id} was told ${times} times, and ${lapses} claims were lost`);
    if (source === "permission" || !isAnswered(stored)) continue;
    if (times === 0) wrong.push(`${id} was answered, and nobody was told`);
    if (stored.claim?.confirmedAt === undefined) wrong.push(`${id} was told, and nobody confirmed it`);
  }
  for (const { name, text, news } of told) {
    if (!text.includes('"allow"')) continue;
    const asked = news.map((id) => questions.find(({ question }) => question.id === id));
    if (asked.length === 0) wrong.push(`${name}: allowed, and nothing was asked`);
    for (const stored of asked) {
      const isChosen = stored !== undefined && isAnswered(stored) && stored.answer?.late !== true;
      const may = stored?.question.source !== "permission" || stored.answer?.option === "1";
      if (!isChosen || !may) wrong.push(`${name}: allowed by ${JSON.stringify(stored?.answer ?? "silence")}`);
      if (
        !taken.some(({ given }) =>
          given.some((each) => each.id === stored?.question.id && each.outcome === "answered"),
        )
      )
        wrong.push(`${name}: allowed by an answer that was not taken`);
    }
  }
  return wrong;
}

function isAnswered({ answer }: StoredQuestion): boolean {
  return answer !== undefined && answer.via !== "deadline";
}
