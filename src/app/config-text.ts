import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { ConfigError } from "./config-values.ts";
import type { Environment } from "./home.ts";

export type Path = readonly (string | number)[];

/** The document of `config.yaml` with the places of its keys. */
export type ConfigText = {
  /** The values, `${NAME}` replaced. */
  readonly value: Record<string, unknown>;
  /** Variables that the environment does not give. */
  readonly missing: readonly { readonly path: Path; readonly message: string }[];
  /** The line of a key, or of the nearest key around it. */
  line(path: Path, key?: string): number | undefined;
  /** The text as it stands in the file, before any variable was replaced. */
  written(path: Path): unknown;
};

export type ParsedConfigText =
  | { readonly ok: true; readonly source: ConfigText }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

const variable = /\$\{([^}]*)\}/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What the YAML reader's codes mean; its own messages may quote the file and with it a secret. */
const yamlReasons: Readonly<Record<string, string>> = {
  BAD_INDENT: "the indentation does not fit",
  BLOCK_AS_IMPLICIT_KEY: "a nested block stands where a value on one line is wanted",
  DUPLICATE_KEY: "the same key stands here twice",
  MISSING_CHAR: "a quote, a bracket or a comma is missing",
  MULTIPLE_DOCS: "only one YAML document is allowed",
  TAB_AS_INDENT: "tabs cannot indent: use spaces",
  UNEXPECTED_TOKEN: "this does not belong here",
};

/** Reads the YAML and replaces `${NAME}` inside its string values, after parsing. */
export function readConfigText(text: string, env: Environment): ParsedConfigText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const errors = document.errors.map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      const reason = yamlReasons[error.code] ?? error.code.toLowerCase().replaceAll("_", " ");
      return { path: "", line, message: `cannot be read as YAML at column ${col}: ${reason}` };
    });
    return { ok: false, errors };
  }
  let value: unknown;
  try {
    value = document.toJS() ?? {};
  } catch {
    return { ok: false, errors: [{ path: "", message: "holds too many aliases" }] };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      ok: false,
      errors: [{ path: "", line: 1, message: "must hold keys and values, such as zone: Europe/Berlin" }],
    };
  }
  const missing: { path: Path; message: string }[] = [];
  const filled = fill(value, [], env, missing) as Record<string, unknown>;
  const top = document.contents;
  return {
    ok: true,
    source: {
      value: filled,
      missing,
      line: (path, key) => {
        const offset = offsetOf(top, key === undefined ? path : [...path, key]);
        return offset === undefined ? undefined : lines.linePos(offset).line;
      },
      written: (path) => document.getIn(path),
    },
  };
}

/** `channels.inbox.port`, `deliver[1]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text ? `${text}.${step}` : step;
  }, "");
}

function fill(
  value: unknown,
  path: Path,
  env: Environment,
  missing: { path: Path; message: string }[],
): unknown {
  if (typeof value === "string") {
    return value.replace(variable, (whole, name: string) => {
      const found = variableName.test(name) ? env[name] : undefined;
      if (found) return found;
      missing.push({ path, message: missingText(name, found) });
      return whole;
    });
  }
  if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, index], env, missing));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fill(item, [...path, key], env, missing)]),
    );
  }
  return value;
}

function missingText(name: string, found: string | undefined): string {
  if (!variableName.test(name)) return "holds ${…} without the name of an environment variable";
  return found === undefined
    ? `the environment variable ${name} is not set`
    : `the environment variable ${name} is empty`;
}

/** Where the last step of the path that exists is written. */
function offsetOf(top: unknown, path: Path): number | undefined {
  let node: unknown = top;
  let offset: number | undefined = startOf(top);
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (!pair) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else return offset;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
