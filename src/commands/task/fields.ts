import { resolve } from "node:path";
import type { ReadTask } from "../../app/board/document.ts";
import { readSource } from "../source.ts";
import { type Call, textOption, textOptions, type VerbOption } from "../verb.ts";
import { statusNamed } from "./words.ts";

/** Options, and the field of a task's document that each one sets. */
const texts = {
  title: ["--title <text>", "one line", "title"],
  description: [
    "--description <text>",
    "what the task should accomplish, in 50 characters or more",
    "description",
  ],
  acceptance: ["--acceptance <text>", "how anybody can see that it is done", "acceptanceCriteria"],
  plan: ["--plan <text>", "the steps", "executionPlan"],
  context: ["--context <text>", "background and constraints", "context"],
  priority: ["--priority <priority>", "urgent, high, medium or low", "priority"],
  executor: ["--executor <name>", "who or what carries it out: human, claude-code, cli, …", "executor"],
  dir: ["--dir <folder>", "the folder in which a program works", "workingDirectory"],
  repository: ["--repository <url>", "the repository", "repository"],
  branch: ["--branch <name>", "the branch", "branch"],
  parent: ["--parent <task>", "the task of which it is a part", "parentTask"],
  due: ["--due <date>", "such as 2026-12-01", "dueDate"],
  start: ["--start <date>", "such as 2026-12-01", "startDate"],
  group: ["--group <words>", "a grouping of your own (the field project)", "project"],
  output: ["--output <text>", "what came of the work", "agentOutput"],
  session: ["--session <name>", "where the work can be looked up", "sessionReference"],
} as const;
const lists = {
  assignee: ["--assignee <name>", "who answers for it; may be given more than once", "assignee"],
  tag: ["--tag <tag>", "may be given more than once", "tags"],
  blockedBy: ["--blocked-by <task>", "must be finished first; may be given more than once", "blockedBy"],
} as const;

export const fieldOptions: readonly VerbOption[] = [
  ...Object.values(texts).map(([flags, text]) => ({ flags, text })),
  ...Object.values(lists).map(([flags, text]) => ({ flags, text, many: true as const })),
  { flags: "--review", text: "somebody must approve of the work before it is Done" },
  { flags: "--set <field=value>", text: "any field by its name; empty clears it", many: true },
  { flags: "--file <file>", text: "a YAML or JSON document of fields, or - for standard input" },
];

export type Fields =
  | { readonly ok: true; readonly read: ReadTask }
  | { readonly ok: false; readonly error: string; readonly message: string };

/** What only the board itself and an import write. */
const notGiven = ["issuer", "createdAt", "updatedAt", "dispatchedAt", "board", "revision"];

/** The fields that a command line gives: those of the file, over them those of the options. */
export async function readFields(call: Call): Promise<Fields> {
  // Without a prototype, so that a key such as __proto__ is a key like any other.
  const document: Record<string, unknown> = Object.create(null);
  const file = textOption(call, "file");
  if (file !== undefined) {
    const source = await readSource(file, call.io);
    if (!source.ok) return { ok: false, error: "unreadable", message: source.message };
    const { readDocument } = await import("../../app/document.ts");
    const read = await readDocument(source.text, source.origin, "task");
    if (!read.ok) return { ok: false, error: "unreadable", message: read.message };
    if (typeof read.value !== "object" || read.value === null || Array.isArray(read.value))
      return { ok: false, error: "unreadable", message: `${source.origin}: holds no fields of a task` };
    Object.assign(document, read.value);
  }
  for (const [name, [, , field]] of Object.entries(texts)) {
    const text = textOption(call, name);
    if (text !== undefined) put(document, field, field === "workingDirectory" ? absolute(text, call) : text);
  }
  for (const [name, [, , field]] of Object.entries(lists)) {
    const values = textOptions(call, name);
    if (values.length > 0) put(document, field, values);
  }
  if (call.options.review === true) put(document, "requiresReview", true);
  for (const pair of textOptions(call, "set")) {
    const at = pair.indexOf("=");
    if (at < 1) return { ok: false, error: "bad-usage", message: `--set needs field=value (found ${pair})` };
    const value = pair.slice(at + 1);
    put(document, pair.slice(0, at), value === "true" ? true : value === "false" ? false : value);
  }
  if (typeof document.status === "string") document.status = statusNamed(document.status) ?? document.status;
  return checked(document);
}

async function checked(document: Readonly<Record<string, unknown>>): Promise<Fields> {
  const { fieldNames, readTask } = await import("../../app/board/document.ts");
  const read = readTask(document);
  const forbidden = Object.keys(document).filter((key) => notGiven.includes(camel(key)));
  const wrong = [
    ...read.misfits.map(({ message }) => message),
    ...forbidden.map((key) => `${key} is written by owlpost itself: leave it out`),
  ];
  const unknown = read.unknown.filter((key) => !forbidden.includes(key));
  if (unknown.length > 0) {
    const { nearestKey } = await import("../../app/nearest-key.ts");
    const names = unknown.map((key) => ({ key, near: nearestKey(key, fieldNames) }));
    for (const { key, near } of names)
      wrong.push(`there is no field ${key}${near ? `: did you mean ${near}?` : ""}`);
    if (names.some(({ near }) => near === undefined)) wrong.push(`the fields are ${fieldNames.join(", ")}`);
  }
  return wrong.length > 0
    ? { ok: false, error: "field-invalid", message: wrong.join("; ") }
    : { ok: true, read };
}

/** A key of the document in whatever spelling gives way to the option. */
function put(document: Record<string, unknown>, field: string, value: unknown): void {
  for (const key of Object.keys(document)) if (camel(key) === camel(field)) delete document[key];
  document[field] = value;
}

function camel(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}

function absolute(folder: string, call: Call): string {
  return folder === "" ? "" : resolve(call.io.cwd, folder);
}
