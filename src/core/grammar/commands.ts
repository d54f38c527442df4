import type { Command, SteerTarget } from "../../domain/command.ts";
import { questionId } from "../../domain/ids.ts";
import { isBlank } from "../text.ts";
import { answerIn } from "./choice.ts";
import { mayUse, type Reading, refuse, type Said, type Verb, type World } from "./reading.ts";
import { cut, foldShort, isEmpty, type Spoken, trimmed } from "./scan.ts";
import { find, looksLikeId, meant, named, type Target } from "./target.ts";

type Spoke = { readonly said: Said; readonly world: World; readonly rest: string };

/** What a marked verb with its words means. The speaker is known and stands in the right place. */
export function readVerb({ verb, rest }: Spoken & Required<Pick<Spoken, "verb">>, said: Said, world: World) {
  const { name, typed } = verb;
  if (name === undefined) return refuse({ code: "unknown-verb", typed });
  if (said.role !== undefined && !mayUse(said.role, name)) return refuse({ code: "role", verb: name });
  const byToken = said.token !== undefined;
  // A token says nothing about who somebody is.
  if (byToken && !said.proven && bindingVerbs.includes(name))
    return refuse({ code: "token-too-weak", verb: name });
  const reading = readers[name](name, { said, world, rest });
  // It speaks for no whole run either; what is said wrongly is told as that first.
  return byToken && reading.kind === "abort" ? refuse({ code: "token-too-weak", verb: name }) : reading;
}

/** Verbs that are about who speaks, and about no question. */
export const bindingVerbs: readonly Verb[] = ["pair", "unpair", "start"];

const readers: Readonly<Record<Verb, (verb: Verb, spoke: Spoke) => Reading>> = {
  answer: readAnswer,
  skip: (_, spoke) => readSkip("skip", spoke),
  retry: (_, spoke) => readSkip("retry", spoke),
  steer: readSteer,
  override: readOverride,
  abort: readAbort,
  status: (_, spoke) => alone("status", spoke),
  pending: (_, spoke) => alone("pending", spoke),
  help: (_, spoke) => alone("help", spoke),
  unpair: (_, spoke) => alone("unpair", spoke),
  pair: readPair,
  start: readPair,
};

function alone(verb: "status" | "pending" | "help" | "unpair", { rest }: Spoke): Reading {
  return isEmpty(rest) ? { kind: verb } : refuse({ code: "extra", verb, typed: trimmed(rest) });
}

function readSkip(verb: "skip" | "retry", { said, world, rest }: Spoke): Reading {
  const { word, rest: more } = cut(rest);
  const bare = isEmpty(rest);
  if (!bare && (!looksLikeId(word) || !isEmpty(more))) {
    return refuse({ code: "extra", verb, typed: trimmed(rest) });
  }
  const target = bare ? meant({ verb }, said, world) : named(word, said, world);
  return withTarget(target, (question) => ({ verb, question }));
}

function readAnswer(verb: Verb, { said, world, rest }: Spoke): Reading {
  const { word, rest: more } = cut(rest);
  const byId = looksLikeId(word);
  const text = trimmed(byId ? more : rest);
  if (isBlank(text)) return refuse({ code: "missing", verb, needs: "text" });
  const target = byId ? named(word, said, world) : meant({ verb: "answer", text }, said, world);
  if (!target.ok) return target.reading;
  const choice = answerIn(text, target.known);
  return withTarget(target, (question) =>
    choice ? { verb: "choose", question, key: choice.key } : { verb: "answer", question, text },
  );
}

function readSteer(verb: Verb, { said, world, rest }: Spoke): Reading {
  if (isBlank(rest)) return refuse({ code: "missing", verb, needs: "text" });
  const { word, rest: more } = cut(rest);
  const byId = looksLikeId(word);
  const place = byId ? undefined : steered(word, said, world);
  const own = typeof said.token === "string" ? find(said.token, world) : undefined;
  const isOwn = place !== undefined && "task" in place && place.task === own?.question.task;
  const other = isOwn && own ? { question: own.question.id } : place;
  if (place && !isOwn && said.token !== undefined) return refuse({ code: "token-too-weak", verb: "steer" });
  const text = trimmed(byId || other ? more : rest);
  if (isBlank(text)) return refuse({ code: "missing", verb, needs: "text" });
  if (other) return { kind: "command", command: { verb: "steer", target: other, text } };
  const target = byId ? named(word, said, world) : meant({ verb: "steer", text }, said, world);
  return withTarget(target, (question) => ({ verb: "steer", target: { question }, text }));
}

/** The task or run that a word names: only one that is known, since any word could be the name of one. */
function steered(word: string, said: Said, world: World): SteerTarget | undefined {
  const here = said.thread === undefined ? undefined : find(said.thread, world);
  const near = [...world.open, ...(here ? [here] : [])].map((known) => known.question.task);
  const task = [...near, ...(world.tasks ?? [])].find((each) => each === word);
  if (task !== undefined) return { task };
  const run = world.runs.find((each) => each === word);
  return run === undefined ? undefined : { run };
}

function readOverride(verb: Verb, { said, world, rest }: Spoke): Reading {
  const { word, rest: more } = cut(rest);
  if (!looksLikeId(word)) return refuse({ code: "missing", verb, needs: "id" });
  if (isBlank(more)) return refuse({ code: "missing", verb, needs: "option" });
  const id = questionId(word);
  const known = id === undefined ? undefined : find(id, world);
  const choice = known && answerIn(more, known);
  const key = choice?.key ?? foldShort(more);
  if (choice === undefined && (key === "" || (known && key.includes(" ")))) {
    return refuse({ code: "extra", verb, typed: trimmed(more) });
  }
  return withTarget(named(word, said, world), (question) => ({ verb: "override", question, key }));
}

function readAbort(verb: Verb, { world, rest }: Spoke): Reading {
  if (isBlank(rest)) return refuse({ code: "missing", verb, needs: "run" });
  const { word, rest: more } = cut(rest);
  if (!isEmpty(more)) return refuse({ code: "extra", verb, typed: trimmed(rest) });
  const run = world.runs.find((each) => each === word);
  if (run === undefined) return refuse({ code: "run-not-alive", typed: word, alive: world.runs });
  return { kind: "abort", run };
}

/** Longer than any code or token that was ever made. */
const longestCode = 64;

/** A code may be typed in groups. Its letters stay as they are: the token of a link has both cases. */
function readPair(verb: Verb, { said, rest }: Spoke): Reading {
  if (verb === "start" && isBlank(rest)) return { kind: "help" };
  const code = trimmed(rest)
    .slice(0, 4 * longestCode)
    .replace(/[\s\x85\p{Cf}]/gu, "");
  if (said.chat !== "direct") return refuse({ code: "code-in-group", typed: code });
  if (code === "" || code.length > longestCode) return refuse({ code: "missing", verb, needs: "code" });
  return { kind: "pair", code };
}

function withTarget(
  target: Target,
  command: (question: Extract<Target, { ok: true }>["known"]["question"]["id"]) => Command,
): Reading {
  if (!target.ok) return target.reading;
  const { known, conflict } = target;
  return {
    kind: "command",
    command: command(known.question.id),
    ...(conflict === undefined ? {} : { conflict }),
  };
}
