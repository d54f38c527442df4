import type { Form, Known, Said, World } from "../../src/core/grammar.ts";
import type { QuestionId, RunId, TaskId } from "../../src/domain/ids.ts";
import type { Role } from "../../src/domain/person.ts";
import type { Kind, Option } from "../../src/domain/question.ts";

export const bot = ["@owlpost_bot", "<@U0BOT>"];

/** `1: A label` and so on; the first is recommended, but for a fact. */
export function aKnown(
  id: string,
  labels: Record<string, string>,
  form?: Form,
  kind: Kind = "decide",
): Known {
  const options = Object.entries(labels).map(
    ([key, label], at): Option => ({
      key,
      label,
      consequence: "Nothing else changes",
      ...(at === 0 && kind !== "fact" ? { recommended: true } : {}),
    }),
  );
  const task = id.split("-").slice(2, -1).join("-") as TaskId;
  return {
    question: { id: id as QuestionId, kind, task, options },
    ...(form === undefined ? {} : { form }),
  };
}

export type WholeWorld = World & { readonly closed: readonly Known[] };

export function aWorld(open: readonly Known[], closed: readonly Known[] = [], runs = ["a3f2"]): WholeWorld {
  return {
    open,
    closed,
    question: (id) => [...open, ...closed].find((known) => known.question.id === id),
    runs: runs as RunId[],
  };
}

export function aSaid(text: string, changes: Partial<Said> = {}): Said {
  return { text, chat: "direct", addressed: true, mentions: bot, role: "owner", ...changes };
}

export const auth = aKnown("q-a3f2-012-fix-auth-1", {
  "1": "Refresh-token rotation",
  "2": "Extend the TTL to 30 days",
});
export const search = aKnown("q-a3f2-013-search-1", {
  "1": "Keep the old index",
  "2": "Rebuild the index",
  "3": "Drop search for now",
});
const old = aKnown("q-a3f2-011-old-1", { "1": "Left", "2": "Right" });
const menu = aKnown("q-7c1e-017-menu-1", { a: "Café crème", b: "ΟΔΟΣ", ok8: "Yes" });
const many = aKnown("q-7c1e-016-many-2", { "1": "First shard", "2": "Second shard", "11": "Eleventh" });
const fact = aKnown("q-7c1e-014-bill-3", { yes: "It is", no: "It is not", unknown: "?" }, undefined, "fact");
const twins = aKnown("q-7c1e-019-twin-5", { "1": "Do it", "2": "do\u00a0 IT", "3": "Do not" });
const words = aKnown("q-7c1e-018-word-4", { redis: "Cache in Redis", "1": "OK", "2": "Go" });
export const consent: Known = { ...auth, form: "consent" };
const held: Known = { ...search, form: "held" };
export const questions = [auth, search, old, menu, many, fact, twins, words];

export const worlds: readonly WholeWorld[] = [
  aWorld([auth], [old]),
  aWorld([auth, search], [old]),
  aWorld([menu], [old, many]),
  aWorld([many], [auth]),
  aWorld([fact], [old]),
  aWorld([words], [fact]),
  aWorld([twins], [menu]),
  aWorld([consent], [old]),
  aWorld([consent, { ...search, form: "consent" }]),
  aWorld([held, consent], [old]),
  aWorld([], [old, auth]),
  aWorld([auth, search, menu, many, fact, words], [old], ["a3f2", "b7d0", "stop"]),
];

/** Numbers that the seed alone decides (mulberry32). */
export function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
}

type Roll = (sides: number) => number;
type Near = readonly Known[];
type Piece = (roll: Roll, near: Near) => string;
const one = <Each>(roll: Roll, list: readonly Each[]): Each => list[roll(list.length)] as Each;

const verbs = "answer skip retry steer override abort status pending help pair unpair start frobnicate".split(
  " ",
);
const hidden = ["\u200b", "\u200c", "\u200d", "\u2066", "\u2069", "\u202e", "\ufeff", "\u00ad", "\u061c"];
const spaces = [" ", " ", " ", " ", "  ", "\n", "\t", "\u00a0", "\u3000", "\r\n", "\u2028", "\x85"];
const runs = ["a3f2", "a3f2", "a3f", "A3F2", "b7d0", "stop", "zzzz"];
const junk = [
  "\0",
  "\x1b[31m",
  "\ud800",
  "\udfff",
  "\ufffd",
  "\u{e0041}",
  "\u0301",
  "\u20e3",
  "\ufe0f",
  "'; DROP TABLE questions;--",
  "1 OR 1=1",
  "<b>1</b>",
  "<script>alert(1)</script>",
  '{"key":"1"}',
  "{{1}}",
  "$(skip)",
  "../../1",
  "%31",
  "&#49;",
  "“1”",
  "-1",
  "+1",
  "1?",
  "1st",
  "①",
  "➊",
  "١",
  "१",
  "Ⅰ",
  "一",
  "🥇",
  "👎",
  "👍🏽",
  "👍👍",
  "👩‍💻",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "1️⃣2️⃣",
  "11️⃣",
  "（1）",
  "ａ",
  "ß",
  "ſkip",
  "İ",
  "ı",
];
const chatter = [
  "who broke the build",
  "yes please",
  "okay",
  "no way",
  "go on",
  "skip lunch?",
  "I would go with 1",
  "1 think so too",
  "thanks",
  "好的，选一",
  "はい",
  "نعم، الأول",
  "да, первый",
  "ναι",
  "हाँ",
  "네",
  "erste Option",
  "option 1",
  "maybe later",
];

function anId(roll: Roll, near: Near): string {
  const id = one(roll, roll(4) === 0 ? questions : near).question.id;
  switch (roll(14)) {
    case 0:
      return id.toUpperCase();
    case 1:
      return id.slice(0, -1);
    case 2:
      return `${id}${roll(10)}`;
    case 3:
      return id.slice(2);
    case 4:
      return "q-ffff-099-nope-1";
    case 5:
      return one(roll, ["q-", "q-1", "q-a3f2", "Q-and-a", `${id}:`, `\`${id}\``, "q-a3f2-012_fix-1"]);
    default:
      return id;
  }
}

function aKey(roll: Roll, near: Near): string {
  const option = one(roll, one(roll, roll(4) === 0 ? questions : near).question.options);
  const key = one(roll, [option.key, option.key, "1", "2", "3", "7", "42", "117", "z", "y"]);
  const wide = key.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  return one(roll, [
    key,
    key,
    key.toUpperCase(),
    `${key}.`,
    `${key})`,
    `#${key}`,
    `(${key})`,
    `${key}️⃣`,
    wide,
  ]);
}

function aLabel(roll: Roll, near: Near): string {
  const { label } = one(roll, one(roll, roll(4) === 0 ? questions : near).question.options);
  const changed = [label, label, label.toUpperCase(), label.toLowerCase(), label.normalize("NFD")];
  return one(roll, [...changed, label.slice(0, -1), `${label}!`]);
}

function aVerb(roll: Roll): string {
  const verb = one(roll, verbs);
  const name = one(roll, ["", "", "", "@owlpost_bot", "@OwlPost_Bot", "@other_bot"]);
  const typed = `${one(roll, ["/", "/", "!", "", "//"])}${verb}${name}`;
  return roll(20) === 0 ? `/owlpost ${verb}` : roll(8) === 0 ? typed.toUpperCase() : typed;
}

const pieces: readonly Piece[] = [
  aKey,
  aKey,
  aLabel,
  anId,
  anId,
  aVerb,
  aVerb,
  (roll) => one(roll, ["yes", "y", "ok", "go", "👍", "no", "unknown", "skip", "retry", "YES", "Ok"]),
  (roll) =>
    one(roll, ["@owlpost_bot", "<@U0BOT>", "@owlpost_bot:", "@OWLPOST_BOT,", "@owlpost_bot2", "@eve"]),
  (roll) => one(roll, [...runs, "013-search", "012-fix-auth"]),
  (roll) => one(roll, junk),
  (roll) => one(roll, chatter),
];

/** The shapes in which replies are meant, so that many of them are right or nearly so. */
const shapes: readonly ((roll: Roll, near: Near) => readonly string[])[] = [
  (roll, near) => [aKey(roll, near)],
  (roll, near) => [aLabel(roll, near)],
  (roll, near) => [anId(roll, near), aKey(roll, near)],
  (roll, near) => [anId(roll, near), aLabel(roll, near)],
  (roll) => [`${one(roll, ["/", "!", "<@U0BOT> "])}${one(roll, ["skip", "retry", "status"])}`],
  (roll, near) => [aVerb(roll), anId(roll, near)],
  (roll, near) => [aVerb(roll), anId(roll, near), aKey(roll, near)],
  (roll, near) => [`${one(roll, ["/", "!", "<@U0BOT> "])}override`, anId(roll, near), aKey(roll, near)],
  (roll) => [`${one(roll, ["/", "!", "@owlpost_bot "])}abort`, one(roll, runs)],
  (roll, near) => ["<@U0BOT>", one(roll, verbs), anId(roll, near), aKey(roll, near)],
  mixed,
  mixed,
  mixed,
  mixed,
  mixed,
];

function mixed(roll: Roll, near: Near): readonly string[] {
  return Array.from({ length: 1 + roll(4) }, () => one(roll, pieces)(roll, near));
}

export function aText(roll: Roll, near: Near): string {
  let text = one(roll, shapes)(roll, near).join(roll(12) === 0 ? "" : one(roll, spaces));
  if (roll(4) === 0) text = `${one(roll, spaces)}${text}${one(roll, spaces)}`;
  for (let times = roll(3) === 0 ? roll(4) : 0; times > 0; times -= 1) {
    const at = roll(text.length + 1);
    text = text.slice(0, at) + one(roll, [hidden, hidden, junk, spaces][roll(4)] ?? hidden) + text.slice(at);
  }
  return roll(400) === 0 ? text.repeat(1 + roll(2000)) : text;
}

/** A reply in some place by somebody, and the world in which it is read. */
export function aScene(roll: Roll): { readonly said: Said; readonly world: WholeWorld } {
  const world = one(roll, worlds);
  const anyone = [...world.open, ...world.closed];
  const anyId = (): QuestionId => one(roll, anyone).question.id;
  const chat = one(roll, ["direct", "direct", "group", "thread"] as const);
  const said = aSaid(aText(roll, anyone), {
    chat,
    addressed: chat === "direct" || roll(2) === 0,
    role: one<Role | undefined>(roll, ["owner", "owner", "owner", "member", "viewer", undefined]),
    ...(roll(3) === 0 ? { thread: anyId() } : {}),
    ...(roll(8) === 0 ? { token: roll(4) === 0 ? null : anyId() } : {}),
    ...(roll(6) === 0 ? { buttonless: true } : {}),
  });
  return { said, world };
}
