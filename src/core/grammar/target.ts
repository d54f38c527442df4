import { type QuestionId, questionId } from "../../domain/ids.ts";
import { type Attempt, type Known, type Reading, refuse, type Said, type World } from "./reading.ts";

/** The question that a reply means; never guessed. */
export type Target =
  | { readonly ok: true; readonly known: Known; readonly conflict?: QuestionId }
  | { readonly ok: false; readonly reading: Reading };

/** Does a word name a question, be it one that does not exist or an id that was cut short? */
export function looksLikeId(word: string): boolean {
  return questionId(word) !== undefined || /^q-[a-z0-9]{1,8}-(?=[a-z-]*[0-9])[a-z0-9-]{1,200}$/.test(word);
}

/** The question that an id in the text names. It beats the thread. */
export function named(typed: string, said: Said, world: World): Target {
  const id = questionId(typed);
  if (typeof said.token === "string" && id !== said.token) return otherToken(said.token);
  const known = id === undefined ? undefined : find(id, world);
  if (!known) return { ok: false, reading: refuse({ code: "no-such-id", typed }) };
  const conflict = said.thread !== undefined && said.thread !== id;
  return { ok: true, known, ...(conflict ? { conflict: said.thread } : {}) };
}

/** The question of the thread, of the reply address, or the only one that is open. */
export function meant(attempt: Attempt, said: Said, world: World): Target {
  const { token } = said;
  const here = said.thread ?? (token === null ? undefined : token);
  if (here !== undefined) {
    if (typeof token === "string" && token !== here) return otherToken(token);
    const known = find(here, world);
    return known ? { ok: true, known } : { ok: false, reading: refuse({ code: "no-such-id", typed: here }) };
  }
  const [only, ...others] = world.open;
  if (!only) return { ok: false, reading: refuse({ code: "nothing-open", attempt }) };
  if (others.length > 0 || only.askedLater) {
    return { ok: false, reading: refuse({ code: "several-open", attempt, open: world.open }) };
  }
  return { ok: true, known: only };
}

function otherToken(question: QuestionId): Target {
  return { ok: false, reading: refuse({ code: "other-token", question }) };
}

export function find(id: QuestionId, world: World): Known | undefined {
  return world.question(id) ?? world.open.find((known) => known.question.id === id);
}
