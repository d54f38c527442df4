import { type QuestionId, questionId, type RunId } from "../domain/ids.ts";
import { choiceIn, isAttempt, isKeyShaped } from "./grammar/choice.ts";
import { bindingVerbs, readVerb } from "./grammar/commands.ts";
import { withComment } from "./grammar/letter.ts";
import { type Known, mayUse, type Reading, refuse, type Said, type World } from "./grammar/reading.ts";
import { cut, foldShort, type Spoken, scan } from "./grammar/scan.ts";
import { find, looksLikeId, meant, named } from "./grammar/target.ts";
import { isBlank } from "./text.ts";

export { sayAgain } from "./grammar/choice.ts";
export type { Attempt, Form, Known, Reading, Said, Verb, Why, World } from "./grammar/reading.ts";

/** Only the first words of a reply can name the question that it means. */
const leadingWords = 8;

/** The questions that a text may name: what must be gathered before it can be read. */
export function idsIn(text: string): readonly QuestionId[] {
  const found = new Set<QuestionId>();
  let rest = text;
  for (let count = 0; count < leadingWords; count += 1) {
    const next = cut(rest);
    // A mention may stand before it without any space.
    const id = questionId(next.word.split(/[>,:]/).at(-1) ?? "");
    if (id) found.add(id);
    rest = next.rest;
  }
  return [...found];
}

/** Those of the runs that a text may stop: what must be gathered before it is decided. */
export function runsIn(text: string, alive: readonly RunId[]): readonly RunId[] {
  const found = new Set<RunId>();
  let rest = alive.length === 0 ? "" : text;
  for (let count = 0; count < leadingWords && rest !== ""; count += 1) {
    const next = cut(rest);
    const run = alive.find((each) => each === next.word);
    if (run !== undefined) found.add(run);
    rest = next.rest;
  }
  return [...found];
}

/** What one reply means. Pure, total, and linear in the length of the text. */
export function readSaid(said: Said, world: World): Reading {
  if (said.role !== undefined) return withComment(readKnown(said, world), said, world);
  // A stranger learns nothing, and what no known person would be answered for is not even an attempt.
  const reading = readKnown({ ...said, role: "owner" }, world);
  if (reading.kind === "ignored" || reading.kind === "pair") return reading;
  const why = reading.kind === "refused" ? reading.why : undefined;
  // On a channel that knows nobody, everybody is told how to do it right.
  if (why?.code === "no-token") return reading;
  return {
    kind: "refused",
    reason: "unknown-sender",
    why: why?.code === "code-in-group" ? why : { code: "stranger" },
  };
}

function readKnown(said: Said, world: World): Reading {
  if (said.press) return readPress(said, said.press, world);
  if (isBlank(said.text)) return readBlank(said);
  const spoken = scan(said.text, said.mentions);
  const addressed = said.addressed || spoken.named || said.chat === "direct";
  const leaked = spoken.verb?.name === "pair" || (spoken.verb?.name === "start" && !isBlank(spoken.rest));
  if (!addressed && said.thread === undefined && (spoken.verb || spoken.other) && !leaked) {
    return { kind: "ignored" };
  }
  const silence: Reading = { kind: addressed ? "unmatched" : "ignored" };
  const { verb } = spoken;
  const isBinding = said.proven === true && verb?.name !== undefined && bindingVerbs.includes(verb.name);
  if (said.token === null && !isBinding) return refuse({ code: "no-token" });
  if (spoken.other) return silence;
  if (verb) return readVerb({ ...spoken, verb }, said, world);
  return readChoice(spoken, { ...said, addressed }, world) ?? silence;
}

/** Whoever sent a letter without a word wanted to say something. */
function readBlank({ comment, token }: Said): Reading {
  if (comment === undefined) return { kind: "ignored" };
  return token === null ? refuse({ code: "no-token" }) : { kind: "unmatched" };
}

/** A choice, after an id or without one; undefined for everything else that people say. */
function readChoice({ rest }: Spoken, said: Said, world: World): Reading | undefined {
  const first = cut(rest);
  const byId = looksLikeId(first.word);
  const text = byId ? first.rest : rest;
  const spelled = foldShort(text);
  if (spelled === "") return undefined;
  if (byId) {
    const target = named(first.word, said, world);
    // A sentence that begins with an id is an attempt only where it is said to us.
    if (!target.ok)
      return said.addressed || !spelled.includes(" ") ? forRole(said, target.reading) : undefined;
    return chosen(spelled, { ...target, afterId: true }, said);
  }
  if (said.thread === undefined && !said.addressed) return undefined;
  const here = said.thread ?? said.token ?? undefined;
  const near = here === undefined ? world.open : [find(here, world)].filter((known) => known !== undefined);
  const attempted =
    isAttempt(spelled, near, said.addressed) || near.some((known) => skips(spelled, known, said));
  if (!attempted || (near.length === 0 && !isKeyShaped(spelled))) return undefined;
  const target = meant({ verb: "choose", spelled }, said, world);
  if (!target.ok) return forRole(said, target.reading);
  return chosen(spelled, { ...target, afterId: false }, said);
}

type Aim = { readonly known: Known; readonly conflict?: QuestionId; readonly afterId: boolean };

function chosen(spelled: string, { known, conflict, afterId }: Aim, said: Said): Reading | undefined {
  const question = known.question.id;
  const over = conflict === undefined ? {} : { conflict };
  if (skips(spelled, known, said)) {
    return forRole(said, { kind: "command", command: { verb: "skip", question }, ...over });
  }
  const choice = choiceIn(spelled, known, { addressed: said.addressed, afterId });
  if (!choice) return undefined;
  return forRole(said, { kind: "command", command: { verb: "choose", question, ...choice }, ...over });
}

/** Where a channel shows no buttons, the second action of a consent question is a plain word. */
function skips(spelled: string, known: Known, said: Said): boolean {
  return spelled === "skip" && said.buttonless === true && known.form === "consent";
}

/** The role is looked at before anything that a question would tell. */
function forRole(said: Said, reading: Reading): Reading {
  if (said.role !== undefined && mayUse(said.role, "choose")) return reading;
  const refusal = refuse({ code: "role", verb: "choose" });
  const about =
    reading.kind === "command" && "question" in reading.command ? reading.command.question : undefined;
  return about === undefined ? refusal : { ...refusal, question: about };
}

function readPress(said: Said, press: NonNullable<Said["press"]>, world: World): Reading {
  const { action } = press;
  if (said.token === null) return refuse({ code: "no-token" });
  // Who may look may read all options, too.
  const verb = action === "skip" || action === "retry" ? action : "choose";
  if (action !== "/more" && said.role !== undefined && !mayUse(said.role, verb)) {
    return refuse({ code: "role", verb });
  }
  const recognised = action === "/more" || /^[a-z0-9]{1,8}$/.test(action);
  if (!recognised) return refuse({ code: "bad-press", typed: action.slice(0, 64) });
  // A press is on its own message: nothing is in conflict with it.
  const { thread: _, ...alone } = said;
  const target = named(press.question, alone, world);
  if (!target.ok) return target.reading;
  const { id: question, options } = target.known.question;
  if (action === "/more") return { kind: "more", question };
  if (verb !== "choose") return { kind: "command", command: { verb, question } };
  const recommended = options.find((option) => option.recommended === true);
  return action === "go" && recommended
    ? { kind: "command", command: { verb: "choose", question, key: recommended.key, goAhead: true } }
    : { kind: "command", command: { verb: "choose", question, key: action } };
}
