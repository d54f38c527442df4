import type { Known, Said, World } from "../../src/core/grammar.ts";

/**
 * What a reply may change, found another way than the grammar does: by spelling out everything that is legal and
 * comparing with it whole. `nothing`, or one line such as `choose q-a3f2-012-fix-auth-1 2`; `stray` and an id where a
 * key was meant that the question does not have.
 */
export function legalChange(said: Said, world: World): string {
  const nothing = "nothing";
  if (said.role === undefined || said.role === "viewer" || said.token === null) return nothing;
  let text = strip(said.text);
  let addressed = said.addressed || said.chat === "direct";
  const mention = /^(?:@owlpost_bot(?=[\s,:]|$)|<@u0bot>)[,:]?\s?/iu.exec(text);
  if (mention) {
    text = text.slice(mention[0].length);
    addressed = true;
  }
  const marked =
    /^[/!](?:owlpost(@\S*)? )?(answer|skip|retry|steer|override|abort)(@\S*)?(?: (.*))?$/isu.exec(text) ??
    (mention ? /^()(answer|skip|retry|steer|override|abort)()(?: (.*))?$/isu.exec(text) : null);
  if (marked) {
    const bots = [marked[1], marked[3]].filter((bot) => bot !== undefined && bot !== "");
    if (!bots.every((bot) => /^@(?:owlpost_bot|u0bot)$/iu.test(bot ?? ""))) return nothing;
    // A verb after `/owlpost` stands for itself and names no bot.
    if (/^[/!]owlpost/iu.test(text) && marked[3] !== undefined && marked[3] !== "") return nothing;
    if (!addressed && bots.length === 0 && said.thread === undefined) return nothing;
    const verb = lower(marked[2] ?? "");
    return verbChange(verb, marked[4] ?? "", said, world);
  }
  const withId = /^(q-[a-z0-9-]+) (.+)$/isu.exec(text);
  if (withId) {
    const known = byId(withId[1] ?? "", said, world);
    return known ? choice(withId[2] ?? "", known, addressed, said, true) : nothing;
  }
  if (!addressed && said.thread === undefined) return nothing;
  const known = theOne(said, world);
  return known ? choice(text, known, addressed, said, false) : nothing;
}

function verbChange(verb: string, rest: string, said: Said, world: World): string {
  const nothing = "nothing";
  const words = rest === "" ? [] : rest.split(" ");
  if (verb === "abort") {
    const run = world.runs.find((each) => each === lower(rest));
    return run !== undefined && said.role === "owner" && said.token === undefined ? `abort ${run}` : nothing;
  }
  const id = /^q-[a-z0-9]{1,8}-[a-z0-9-]*\d[a-z0-9-]*$/iu.test(words[0] ?? "") ? words[0] : undefined;
  const more = id === undefined ? rest : words.slice(1).join(" ");
  if (verb === "override") {
    const known = id === undefined ? undefined : byId(id, said, world);
    const key = known && spelled(more, known);
    if (!known || more === "") return nothing;
    if (key !== undefined) return `override ${known.question.id} ${key}`;
    return !more.includes(" ") && isShown(more) && more.length < 1000
      ? `stray ${known.question.id}`
      : nothing;
  }
  const known = id === undefined ? theOne(said, world) : byId(id, said, world);
  if (verb === "skip" || verb === "retry") {
    return known && more === "" ? `${verb} ${known.question.id}` : nothing;
  }
  if (!isShown(more)) return nothing;
  if (verb === "steer") return steerChange(words, more, id, known, said, world);
  if (!known) return nothing;
  const key = spelled(more, known);
  if (key !== undefined) return `choose ${known.question.id} ${key}`;
  return `${isShort(more) ? "stray" : "answer"} ${known.question.id}`;
}

function steerChange(
  words: readonly string[],
  more: string,
  id: string | undefined,
  known: Known | undefined,
  said: Said,
  world: World,
): string {
  const first = lower(words[0] ?? "");
  const thread = said.thread === undefined ? undefined : world.question(said.thread);
  const tasks: readonly string[] = [...world.open, ...(thread ? [thread] : [])].map(
    (each) => each.question.task,
  );
  const wide = tasks.includes(first) || world.runs.some((run) => run === first);
  if (id === undefined && wide) {
    const text = words.slice(1).join(" ");
    return !isShown(text) || said.token !== undefined ? "nothing" : `steer ${first}`;
  }
  return known && more !== "" ? `steer ${known.question.id}` : "nothing";
}

function byId(typed: string, said: Said, world: World): Known | undefined {
  const ids = [...new Set([...world.open, ...closed(world)])];
  const known = ids.find((each) => each.question.id === lower(typed));
  return known && (said.token === undefined || said.token === known.question.id) ? known : undefined;
}

function closed(world: World): readonly Known[] {
  return (world as World & { readonly closed?: readonly Known[] }).closed ?? [];
}

function theOne(said: Said, world: World): Known | undefined {
  const here = said.thread ?? said.token;
  if (here) return byId(here, said, world);
  return world.open.length === 1 ? world.open[0] : undefined;
}

/** Is there anything that can be seen? */
function isShown(text: string): boolean {
  return /[^\s\p{Mn}\u2800\u3164\u115f\u1160\uffa0]/u.test(text);
}

function choice(text: string, known: Known, addressed: boolean, said: Said, afterId: boolean): string {
  const { id, options, kind } = known.question;
  const consent = known.form === "consent";
  if (consent && said.buttonless && same(text, "skip")) return `skip ${id}`;
  const agreed = /^(?:yes|y|ok|go|👍[🏻-🏿]?\ufe0f?)$/iu.test(text);
  if (agreed && consent) {
    if (!addressed && /^(?:ok|y)$/iu.test(text)) return "nothing";
    return `choose ${id} ${options.find((option) => option.recommended)?.key} ahead`;
  }
  const meant = isShort(text) || (afterId && !text.includes(" ") && text.length < 1000);
  const stray = meant ? `stray ${id}` : "nothing";
  if (agreed || /^(?:no|unknown)$/iu.test(text)) {
    const key = kind === "fact" ? options.find((option) => same(text, option.key))?.key : undefined;
    return key === undefined || !/^(?:yes|no|unknown)$/.test(key) ? stray : `choose ${id} ${key}`;
  }
  const key = spelled(text, known);
  return key === undefined ? stray : `choose ${id} ${key}`;
}

/** The option of which the text is a legal spelling. */
function spelled(text: string, { question }: Known): string | undefined {
  for (const { key } of question.options) {
    const wide = key.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    const forms = [key, wide].flatMap((form) => [form, `${form}.`, `${form})`, `#${form}`, `(${form})`]);
    if (/^\d$/.test(key)) forms.push(`${key}\ufe0f\u20e3`, `${key}\u20e3`);
    if (forms.some((form) => same(text, form))) return key;
  }
  const labels = question.options.filter((option) => same(text, strip(option.label)));
  return labels.length === 1 ? labels[0]?.key : undefined;
}

/** One or two digits or one letter, in any spelling. */
function isShort(text: string): boolean {
  const one = "(?:[0-9０-９]{1,2}|[a-z])";
  return new RegExp(`^(?:${one}[.)]?|#${one}|\\(${one}\\)|[0-9]\\ufe0f?\\u20e3)$`, "iu").test(text);
}

/** The engine's own case folding is Unicode's simple one. */
function same(text: string, legal: string): boolean {
  return new RegExp(`^${legal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`, "iu").test(text);
}

function lower(text: string): string {
  return text.replace(/ſ/g, "s").toLowerCase();
}

/** Nothing hidden, one space where there was white space, composed. */
export function strip(text: string): string {
  let shown = "";
  // Half a character is a character that nobody can read.
  for (const character of text.replace(/\p{Cs}/gu, "\ufffd"))
    if (!/\p{Cf}/u.test(character)) shown += character;
  return shown
    .split(/[\s\x85]+/u)
    .filter((word) => word !== "")
    .join(" ")
    .normalize("NFC");
}
