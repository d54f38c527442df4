import { sizeOf } from "../../renderers/fit.ts";
import { fitsRow } from "../../renderers/ladder.ts";
import { rowOf } from "../../renderers/matrix.ts";
import { penFor } from "../../renderers/pen.ts";
import { render } from "../../renderers/render.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Option, Question } from "../../src/domain/question.ts";
import { aQuestion } from "../builders.ts";
import { brokenRules, folded, type Limits, type Pattern, visible } from "../renderers/rules.ts";
import { type CaseKind, type Fields, isFields, judge, type Verdict } from "./case-kind.ts";
import { type Builder, builtText, viewOf } from "./render-probe.ts";

type Probe = {
  readonly id: string;
  readonly channel: string;
  readonly tried?: Builder;
  readonly context?: Builder;
  readonly options?: { readonly count: number; readonly label: Builder; readonly consequence: Builder };
  readonly optionKeys?: readonly string[];
  readonly set_id?: string;
  readonly expect: "fits" | "too-large";
  readonly cut?: "context" | "tried" | false;
  readonly keeps?: readonly string[];
  readonly buttonsMax?: number;
};

type Content = {
  readonly base: Question;
  readonly probes: readonly Probe[];
  readonly channels: Readonly<Record<string, Limits>>;
  readonly neverAnywhere: readonly Pattern[];
};

/** `render/limits.json`: questions that sit exactly on a limit, and the rules of each channel. */
export const caseKind: CaseKind = {
  name: "render limits",
  knows: ({ content }) =>
    isFields(content) && "probes" in content && "channels" in content && "base" in content,
  run: (file) => {
    const content = file.content as Fields as unknown as Content;
    return content.probes.flatMap((probe) =>
      prefixesOf(probe).map((prefix, at) => runProbe(content, probe, prefix, at)),
    );
  },
};

function prefixesOf(probe: Probe): readonly string[] {
  return typeof probe.tried === "object" ? (probe.tried.prefixes ?? [""]) : [""];
}

function runProbe(content: Content, probe: Probe, prefix: string, at: number): Verdict {
  const row = rowOf(probe.channel);
  const wanted = { expect: probe.expect, broken: [] };
  return judge(at === 0 ? probe.id : `${probe.id} ${at + 1}`, wanted, () => {
    const question = probeQuestion(content.base, probe, prefix, row);
    const view = viewOf(question);
    if (!fitsRow(view, row)) return { expect: "too-large", broken: [] };
    const message = render(view, row);
    const broken = [
      ...brokenRules(view, message, row, content.channels[probe.channel], content.neverAnywhere),
    ];
    const flat = folded(visible(message, row));
    for (const field of ["context", "tried"] as const) {
      const isWhole = flat.includes(folded(question[field] ?? ""));
      if (probe.cut === field ? isWhole : probe.cut !== undefined && !isWhole) broken.push(`cut ${field}`);
    }
    for (const text of probe.keeps ?? []) if (!flat.includes(text)) broken.push(`keeps ${text}`);
    if (message.buttons.length > (probe.buttonsMax ?? 100)) broken.push("buttonsMax");
    return { expect: "fits", broken };
  });
}

function probeQuestion(base: Question, probe: Probe, prefix: string, row: Capabilities): Question {
  const question: Question = {
    ...aQuestion(),
    ...base,
    ...(probe.set_id === undefined ? {} : { id: probe.set_id as QuestionId }),
    ...(probe.context === undefined ? {} : { context: builtText(probe.context) }),
    options: optionsOf(base.options, probe),
  };
  const { iteration: _iteration, progress: _progress, tried: _tried, ...bare } = question;
  if (probe.tried === undefined) return bare;
  if (typeof probe.tried === "string" || probe.tried.repeatUntil === undefined)
    return { ...bare, tried: builtText(probe.tried, prefix) };
  const { repeatUntil, limit = 0 } = probe.tried;
  const endless: Capabilities = {
    ...row,
    body: { max: 1e9, unit: row.body.unit, counted: row.body.counted },
  };
  const least = render(viewOf({ ...bare, tried: repeatUntil }), endless);
  const size = sizeOf(row.body.counted === "shown" ? least.plain : least.body, penFor(row).unit);
  return { ...bare, tried: repeatUntil.repeat(limit - size + 1) };
}

function optionsOf(base: readonly Option[], probe: Probe): readonly Option[] {
  const { options, optionKeys } = probe;
  const built = options
    ? Array.from({ length: options.count }, (_, at) => ({
        key: String(at + 1),
        label: numbered(options.label, at + 1),
        consequence: builtText(options.consequence),
        recommended: at === 0,
      }))
    : base;
  return built.map((option, at) => ({ ...option, key: optionKeys?.[at] ?? option.key }));
}

function numbered(label: Builder, number: number): string {
  return builtText(label).replace("the number of the option", String(number));
}
