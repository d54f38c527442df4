import type { Extent, SizeUnit } from "../../domain/capabilities.ts";
import {
  type ChannelId,
  type Instant,
  maxSeq,
  mintQuestionId,
  type QuestionId,
  type RunId,
  type TaskId,
  taskPart,
} from "../../domain/ids.ts";
import type { DefaultAction, Facts, Kind, Option, StoredQuestion } from "../../domain/question.ts";
import { countCharacters } from "../text.ts";
import type { Findings } from "./findings.ts";

/** A channel as the contract sees it. */
export type Route = { readonly id: ChannelId };

/** Where a question is to go. */
type Places = {
  readonly channels: readonly Route[];
  readonly reaching?: (answerableBy: readonly string[] | undefined) => readonly ChannelId[];
};

/** The channels that reach somebody; none where that is told. */
export function checkRoutes(
  { channels, reaching }: Places,
  answerableBy: readonly string[] | undefined,
  findings: Findings,
): readonly ChannelId[] {
  if (channels.length === 0) {
    findings.breaks(
      "no-route",
      "channels",
      "no channel is configured",
      "Configure a channel under `channels` and `deliver`, at least `inbox`, so that somebody can see the question.",
    );
    return [];
  }
  const reached = reaching?.(answerableBy);
  const ids = channels.map(({ id }) => id);
  const routes = reached === undefined ? ids : ids.filter((id) => reached.includes(id));
  if (routes.length === 0)
    findings.breaks(
      "no-route",
      "channels",
      `nobody on ${ids.join(", ")}`,
      "Pair somebody who may answer (`owlpost pair`), or add `inbox` to `deliver`, so that somebody can see the question.",
    );
  return routes;
}

/**
 * How large what is never cut is where a channel has too little room for it; undefined where it has enough. The question is
 * one that nobody has answered, under the longest id that it may get.
 */
export type Excess = (asked: StoredQuestion, channel: ChannelId) => Extent | undefined;

/** What could be read of all that is never cut. */
export type Uncut = {
  readonly id: QuestionId | undefined;
  readonly kind: Kind | undefined;
  readonly task: TaskId | undefined;
  readonly run: RunId | undefined;
  readonly title: string | undefined;
  readonly options: readonly Option[];
  readonly facts: Facts | undefined;
  readonly lowFidelity: boolean | undefined;
  readonly source: "permission" | undefined;
  readonly deadlineAt: Instant | undefined;
  readonly defaultAction: DefaultAction | undefined;
};

type Room = {
  readonly now: Instant;
  readonly zone: string;
  readonly minLeadMs: number;
  readonly excess?: Excess;
};

/** Whoever mends one of these makes the question smaller: what it measures now says nothing. */
const shortening: ReadonlySet<string> = new Set([
  "title-too-long",
  "title-multiline",
  "options-too-many",
  "label-too-long",
  "consequence-too-long",
  "consequence-multiline",
]);

/** Told only where the question fits none of the channels. */
export function checkRoom(
  uncut: Uncut,
  room: Room,
  channels: readonly ChannelId[],
  findings: Findings,
): void {
  const { excess } = room;
  const { title = "", options } = uncut;
  if (!excess || findings.broken.some(({ rule }) => shortening.has(rule))) return;
  const asked = smallest(uncut, title, room);
  const found: { readonly channel: ChannelId; readonly extent: Extent }[] = [];
  for (const channel of channels) {
    const extent = excess(asked, channel);
    if (!extent) return;
    found.push({ channel, extent });
  }
  const [first, ...others] = found;
  if (!first) return;
  const nearest = others.reduce(
    (best, each) => (each.extent.size * best.extent.room < best.extent.size * each.extent.room ? each : best),
    first,
  );
  const { size, room: most, unit } = nearest.extent;
  findings.breaks(
    "too-large",
    "options",
    found.map(({ channel, extent }) => `${channel}: ${extentWords(extent)}`).join("; "),
    `Nothing of this may be cut, so take away ${size - most === 1 ? `one of the ${unitWords[unit]}` : `at least ${size - most} ${unitWords[unit]}`} for ${nearest.channel}: shorten ${longestOf(title, options)}, the other labels, consequences and the title, or offer fewer options. A channel with more room in \`deliver\`, such as \`inbox\`, takes it as it is.`,
    1_000,
  );
}

/** What could not be read is taken to be short: what is too large all the same stays so when that is mended. */
function smallest(uncut: Uncut, title: string, { now, zone, minLeadMs }: Room): StoredQuestion {
  const { id, options, facts, lowFidelity, source, deadlineAt, defaultAction } = uncut;
  const task = uncut.task ?? ("t" as TaskId);
  const run = uncut.run ?? ("r" as RunId);
  return {
    question: {
      id: id ?? mintQuestionId(run, taskPart(task), maxSeq),
      project: "",
      kind: uncut.kind ?? "decide",
      task,
      run,
      title,
      context: "",
      options,
      default: { action: defaultAction ?? "skip_spec", at: "" },
      ...(facts === undefined ? {} : { facts }),
      ...(lowFidelity === undefined ? {} : { low_fidelity: lowFidelity }),
      ...(source === undefined ? {} : { source }),
    },
    state: "pending",
    digest: "",
    revision: 1,
    askedAt: now,
    deadlineAt: deadlineAt ?? now + minLeadMs,
    zone,
    defaultAction: defaultAction ?? "skip_spec",
  };
}

const unitWords: Readonly<Record<SizeUnit, string>> = {
  utf16: "UTF-16 units",
  codepoint: "characters",
  utf8: "bytes",
};

const extentOf: Readonly<Record<Extent["of"], string>> = {
  message: "",
  part: " in one part",
  request: " of JSON",
};

/** `5210 of 4096 UTF-16 units`. */
function extentWords({ size, room, unit, of }: Extent): string {
  return `${size} of ${room} ${unitWords[unit]}${extentOf[of]}`;
}

/** The field of the title and the options that takes most. */
function longestOf(title: string, options: readonly Option[]): string {
  const fields = options.flatMap(({ label, consequence }, at) => [
    { name: `\`options[${at}].label\``, text: label },
    { name: `\`options[${at}].consequence\``, text: consequence },
  ]);
  const longest = fields.reduce((most, each) => (each.text.length > most.text.length ? each : most), {
    name: "`title`",
    text: title,
  });
  return `${longest.name} (${countCharacters(longest.text)} characters)`;
}
