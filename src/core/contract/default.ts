import type { Instant } from "../../domain/ids.ts";
import { type DefaultAction, defaultActions } from "../../domain/question.ts";
import { repairText } from "../text.ts";
import { type DeadlineRule, resolveDeadline } from "../time.ts";
import { type Fields, type Findings, fieldName, isAbsent, isFields, show } from "./findings.ts";

export type Clock = { readonly now: Instant; readonly zone: string; readonly minLeadMs: number };
export type Default = {
  readonly action?: DefaultAction;
  readonly at?: string;
  readonly deadlineAt?: Instant;
};

const forms = '`"06:00"`, `45m`, `2h`, `1d` or `2026-07-07T06:00:00Z`';

export function readDefault(
  fields: Fields,
  clock: Clock,
  optedIn: boolean,
  asAgent: boolean,
  findings: Findings,
): Default {
  const value = fields.default;
  if (!isFields(value) || isAbsent(value.action)) {
    findings.breaks(
      "default-missing",
      "default",
      isFields(value) ? "no action" : show(value),
      `Say what happens without an answer, such as \`default: { action: skip_spec, at: "06:00" }\` (actions: ${defaultActions.join(", ")}).`,
    );
    return {};
  }
  for (const name of Object.keys(value)) {
    if (name !== "action" && name !== "at") findings.droppedFields.push(`default.${fieldName(name)}`);
  }
  const action = defaultActions.find((each) => each === value.action);
  if (!action)
    findings.breaks(
      "field-invalid",
      "default.action",
      show(value.action),
      `Use one of the actions ${defaultActions.join(", ")}.`,
    );
  if (action === "take_recommended" && !optedIn)
    findings.breaks(
      "default-needs-opt-in",
      "default.action",
      show(action),
      asAgent
        ? "Use skip_spec or stay_parked: only the engine may let a default take the recommendation."
        : "Say `auto_default: true` at the top of the question (the owner allows it in config.yaml), or use skip_spec or stay_parked.",
    );
  return { ...(action ? { action } : {}), ...readDeadline(value.at, clock, findings) };
}

function readDeadline(value: unknown, clock: Clock, findings: Findings): Omit<Default, "action"> {
  const field = "default.at";
  if (!isAbsent(value) && typeof value !== "string") {
    findings.breaks(
      "deadline-invalid",
      field,
      show(value),
      `Write the deadline as a text in quotes: ${forms}.`,
    );
    return {};
  }
  const at = repairText(value ?? "");
  const deadline = resolveDeadline(at, clock.now, clock.zone, clock.minLeadMs);
  if (deadline.ok) return { at, deadlineAt: deadline.deadlineAt };
  findings.breaks(deadline.rule, field, show(value), deadlineMend(deadline.rule, clock.minLeadMs));
  return { at };
}

function deadlineMend(rule: DeadlineRule, minLeadMs: number): string {
  switch (rule) {
    case "deadline-missing":
      return `Say until when the answer is waited for: ${forms}.`;
    case "deadline-invalid":
      return `Write the deadline as ${forms}.`;
    case "deadline-past":
      return "This instant is over; name one that is still to come.";
    case "deadline-too-soon":
      return `Leave at least ${Math.ceil(minLeadMs / 60_000)} minutes to answer.`;
  }
}
