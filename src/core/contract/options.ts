import type { Kind, Option } from "../../domain/question.ts";
import { asksForSecret } from "../secrets.ts";
import { countCharacters, foldText, isBlank, isLongerThan, isMultiline } from "../text.ts";
import {
  type Fields,
  type Findings,
  fieldName,
  isAbsent,
  isFields,
  show,
  textOrInteger,
} from "./findings.ts";

const minOptions = 2;
const maxOptions = 9;
/** So many are looked at one by one; a longer list is refused for its length anyway. */
const examined = 32;
const maxLabel = 80;
const maxConsequence = 160;

const keyPattern = /^[a-z0-9]{1,8}$/;
/** The names of the verbs, and the words of a consent question. */
const reservedKeys = new Set(
  "answer skip retry steer override abort status pending help pair unpair go ok y".split(" "),
);
const factKeys = new Set(["yes", "no", "unknown"]);
const known = new Set(["key", "label", "consequence", "recommended", "reversible"]);

/** The options that could be read; whether they all keep the contract is in `findings`. */
export function readOptions(
  fields: Fields,
  kind: Kind | undefined,
  permission: boolean,
  findings: Findings,
): readonly Option[] {
  const value = fields.options;
  if (!isAbsent(value) && !Array.isArray(value)) {
    findings.breaks(
      "field-invalid",
      "options",
      show(value),
      "Write the options as a list, each with key, label and consequence.",
    );
    return [];
  }
  const list: readonly unknown[] = isAbsent(value) ? [] : value;
  if (list.length < minOptions)
    findings.breaks(
      "options-too-few",
      "options",
      isAbsent(value) ? "nothing" : `${list.length} option${list.length === 1 ? "" : "s"}`,
      `Offer at least ${minOptions} options that lead to different outcomes.`,
    );
  if (list.length > maxOptions)
    findings.breaks(
      "options-too-many",
      "options",
      `${list.length} options`,
      `Offer at most ${maxOptions} options.`,
    );

  const broken = findings.broken.length;
  const options = Array.from(list.slice(0, examined), (option, at) => readOption(option, at, kind, findings));
  checkDistinct(options, findings);
  const unclear = findings.broken.slice(broken).some((each) => each.field.endsWith(".recommended"));
  if (!unclear) checkRecommended(options, kind, permission, findings);
  return options;
}

function readOption(value: unknown, at: number, kind: Kind | undefined, findings: Findings): Option {
  const path = `options[${at}]`;
  if (!isFields(value)) {
    findings.breaks(
      "field-invalid",
      path,
      show(value),
      "Write each option as a map of key, label and consequence.",
    );
    return { key: "", label: "", consequence: "" };
  }
  const key = readKey(value, path, kind, findings);
  const label = readLabel(value, path, findings);
  const consequence = readConsequence(value, path, findings);
  const recommended = findings.flag(value, "recommended", `${path}.recommended`);
  const reversible = findings.flag(value, "reversible", `${path}.reversible`);
  for (const name of Object.keys(value)) {
    if (!known.has(name)) findings.droppedFields.push(`${path}.${fieldName(name)}`);
  }
  return {
    key,
    label,
    consequence,
    ...(recommended === undefined ? {} : { recommended }),
    ...(reversible === undefined ? {} : { reversible }),
  };
}

function readKey(option: Fields, path: string, kind: Kind | undefined, findings: Findings): string {
  const value = textOrInteger(option.key);
  const field = `${path}.key`;
  if (typeof value !== "string" || !keyPattern.test(value)) {
    findings.breaks(
      "option-key-invalid",
      field,
      show(value),
      "Use 1 to 8 lower-case letters and digits as a key, such as `1` or `a`.",
    );
    return "";
  }
  if (reservedKeys.has(value))
    findings.breaks(
      "option-key-reserved",
      field,
      show(value),
      `\`${value}\` is a word with a meaning of its own in replies; use another key.`,
    );
  else if (factKeys.has(value) && kind !== "fact")
    findings.breaks(
      "option-key-reserved",
      field,
      show(value),
      `\`${value}\` is a key of \`fact\` questions only; use another key, such as \`1\`.`,
    );
  return value;
}

function readLabel(option: Fields, path: string, findings: Findings): string {
  const field = `${path}.label`;
  const value = textOrInteger(option.label);
  if (!isAbsent(value) && typeof value !== "string") {
    findings.breaks("field-invalid", field, show(value), "Write the label as a text in quotes.");
    return "";
  }
  // No rule speaks of lines in a label; folded, it fits a button and compares as replies do.
  const label = isAbsent(value) ? "" : oneLine(findings.keepText(field, value));
  if (isBlank(label)) {
    findings.breaks(
      "label-missing",
      field,
      show(value),
      "Give the option a label: the few words on its button.",
    );
    return "";
  }
  if (isLongerThan(label, maxLabel))
    findings.breaks(
      "label-too-long",
      field,
      `${countCharacters(label)} characters`,
      `Shorten the label to ${maxLabel} characters; what follows from it belongs into the consequence.`,
    );
  checkSecret(label, field, findings);
  return label;
}

function oneLine(text: string): string {
  if (!isMultiline(text)) return text;
  const lines = text.split(/[\n\v\f\r\x85\u2028\u2029]/).map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

function readConsequence(option: Fields, path: string, findings: Findings): string {
  const field = `${path}.consequence`;
  const value = option.consequence;
  if (!isAbsent(value) && typeof value !== "string") {
    findings.breaks("field-invalid", field, show(value), "Write the consequence as a text in quotes.");
    return "";
  }
  const consequence = isAbsent(value) ? "" : findings.keepText(field, value);
  if (isBlank(consequence)) {
    findings.breaks(
      "consequence-missing",
      field,
      show(value),
      "Say in one line what happens when this option is chosen.",
    );
    return consequence;
  }
  if (isMultiline(consequence))
    findings.breaks(
      "consequence-multiline",
      field,
      show(consequence),
      "Put the consequence on one line, without a line break at its end.",
    );
  if (isLongerThan(consequence, maxConsequence))
    findings.breaks(
      "consequence-too-long",
      field,
      `${countCharacters(consequence)} characters`,
      `Shorten the consequence to ${maxConsequence} characters.`,
    );
  checkSecret(consequence, field, findings);
  return consequence;
}

/** A reply must never mean two options. */
function checkDistinct(options: readonly Option[], findings: Findings): void {
  const keys = new Map<string, number>();
  const labels = new Map<string, number>();
  for (const [at, { key, label }] of options.entries()) {
    if (key !== "") {
      const first = keys.get(key);
      if (first === undefined) keys.set(key, at);
      else
        findings.breaks(
          "option-key-duplicate",
          `options[${at}].key`,
          show(key),
          `Option ${first + 1} has this key already; give each option a key of its own.`,
        );
    }
    const folded = foldText(label);
    if (folded === "") continue;
    const first = labels.get(folded);
    if (first === undefined) labels.set(folded, at);
    else
      findings.breaks(
        "options-not-distinct",
        `options[${at}].label`,
        show(label),
        `Option ${first + 1} has the same label; say what is different here.`,
      );
  }
  for (const [folded, at] of labels) {
    const other = keys.get(folded);
    if (other !== undefined && options[at]?.key !== folded)
      findings.breaks(
        "options-not-distinct",
        `options[${at}].label`,
        show(options[at]?.label),
        `This label is the key of option ${other + 1}, so a reply would mean both; reword it.`,
      );
  }
}

function checkRecommended(
  options: readonly Option[],
  kind: Kind | undefined,
  permission: boolean,
  findings: Findings,
): void {
  const count = options.filter((option) => option.recommended === true).length;
  if (kind === "fact") {
    if (count > 0)
      findings.breaks(
        "fact-recommends",
        "options",
        `${count} recommended`,
        "Take the recommendation away: a `fact` question must stay neutral.",
      );
    return;
  }
  if (count === 1 || (permission && count === 0)) return;
  findings.breaks(
    "recommended-not-one",
    "options",
    `${count} recommended`,
    "Mark exactly one option with `recommended: true`.",
  );
}

export function checkSecret(text: string, field: string, findings: Findings): void {
  if (!asksForSecret(text)) return;
  findings.breaks(
    "asks-for-secret",
    field,
    show(text),
    "Never ask for a credential in a reply; ask to have it put where the program reads it, such as the environment or a vault.",
  );
}
