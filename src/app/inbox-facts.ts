import { type Facts, factsForPrograms } from "../domain/question.ts";

/** The engine's facts, ready to be shown: known ones by name, the rest as pairs. Texts are as the engine gave them. */
export type FactLines = {
  readonly command?: string;
  readonly exitCode?: string;
  readonly outputTail?: string;
  readonly diffStat?: string;
  readonly branch?: string;
  readonly nextTask?: string;
  readonly others: readonly { readonly name: string; readonly value: string }[];
};

/** A link; `href` only when it leads to the web. */
export type LinkLine = { readonly name: string; readonly text: string; readonly href?: string };

const known = ["command", "exit_code", "output_tail", "diff_stat", "branch", "next_task"];

export function factLines(facts: Facts): FactLines {
  const others = Object.entries(facts)
    .filter(([name]) => !known.includes(name) && !factsForPrograms.has(name))
    .map(([name, value]) => ({ name: name.replaceAll("_", " "), value: asText(value) }));
  return {
    ...line("command", facts.command),
    ...line("exitCode", facts.exit_code),
    ...line("outputTail", facts.output_tail),
    ...line("diffStat", facts.diff_stat),
    ...line("branch", facts.branch),
    ...line("nextTask", facts.next_task),
    others,
  };
}

export function linkLines(links: Readonly<Record<string, string>>): readonly LinkLine[] {
  return Object.entries(links).map(([name, target]) => {
    const href = webAddress(target);
    return {
      name: name.replaceAll("_", " "),
      text: href ?? String(target),
      ...(href === undefined ? {} : { href }),
    };
  });
}

/** The address in its canonical spelling (a look-alike host shows its punycode), or undefined when it is not http(s). */
export function webAddress(text: unknown): string | undefined {
  if (typeof text !== "string" || !/^https?:\/\//i.test(text)) return undefined;
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function line<Name extends string>(name: Name, value: unknown): { [Key in Name]?: string } {
  const text = asText(value);
  return (text === "" ? {} : { [name]: text }) as { [Key in Name]?: string };
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join("\n");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
