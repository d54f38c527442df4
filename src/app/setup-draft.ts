import { isDeepStrictEqual } from "node:util";
import { type Document, isMap, isScalar, isSeq, parseDocument, Scalar, visit, YAMLMap } from "yaml";
import { readConfig } from "./config-read.ts";
import { pathText, readConfigText } from "./config-text.ts";
import type { ConfigError } from "./config-values.ts";
import type { Environment } from "./home.ts";

/** Everything that the set-up decides. What it does not name stays as it is in the file. */
export type Choices = {
  readonly zone: string;
  readonly telegram?: {
    /** The variable that holds the token; the token itself is never written into the file. */
    readonly variable: string;
    /** `null`: private chats. */
    readonly chat: string | number | null;
    readonly apiRoot?: string;
  };
  readonly airlock?: { readonly project: string; readonly folder: string };
};

export type Draft =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

const firstLines = " Written by owlpost init. config/owlpost.example.yaml shows every key.";

/** The text of `config.yaml` with the choices in it. Comments, order and every other key of the present file stay. */
export function draftConfig(present: string | undefined, choices: Choices): Draft {
  const document = parseDocument(present ?? "");
  if (document.contents === null) {
    document.commentBefore = document.comment ?? firstLines;
    document.comment = null;
  }
  const { zone, telegram, airlock } = choices;
  try {
    setText(document, ["zone"], zone);
    if (telegram) setTelegram(document, telegram);
    if (airlock) {
      openMap(document, ["airlocks"]);
      setText(document, ["airlocks", airlock.project], airlock.folder);
    }
  } catch {
    return {
      ok: false,
      message: "the present file is written in a way that init cannot change (aliases?): change it by hand",
    };
  }
  // Where nothing is new, not even the spacing changes.
  const same = present !== undefined && isDeepStrictEqual(parseDocument(present).toJS(), document.toJS());
  return { ok: true, text: same ? present : document.toString({ lineWidth: 0 }) };
}

function setTelegram(document: Document.Parsed, telegram: NonNullable<Choices["telegram"]>): void {
  const at = ["channels", "telegram"];
  openMap(document, ["channels"]);
  openMap(document, at);
  const token = `\${${telegram.variable}}`;
  if (document.getIn([...at, "token"]) !== token) {
    const quoted = new Scalar(token);
    quoted.type = "QUOTE_DOUBLE";
    document.setIn([...at, "token"], quoted);
  }
  if (telegram.chat === null) document.deleteIn([...at, "chat"]);
  else setText(document, [...at, "chat"], telegram.chat);
  if (telegram.apiRoot !== undefined) setText(document, [...at, "api_root"], telegram.apiRoot);
  const deliver = document.get("deliver");
  if (isSeq(deliver) && !deliver.items.some((item) => isScalar(item) && item.value === "telegram")) {
    deliver.items.unshift(document.createNode("telegram"));
  }
}

/** What stands there already is left alone, quotes and comments too. */
function setText(document: Document.Parsed, path: readonly string[], value: string | number): void {
  const node = document.getIn(path, true);
  if (isScalar(node)) {
    if (node.value !== value) node.value = value;
  } else document.setIn(path, value);
}

/** `channels:` with nothing behind it is a map with nothing in it. */
function openMap(document: Document.Parsed, path: readonly string[]): void {
  const node = document.getIn(path, true);
  if (isMap(node)) return;
  if (node !== undefined && node !== null && !(isScalar(node) && node.value === null))
    throw new Error("no map");
  document.setIn(path, new YAMLMap());
}

/** The file as it may be shown: a credential that somebody wrote into it stays hidden. */
export function shownConfig(text: string): string {
  const document = parseDocument(text);
  visit(document, {
    Pair(_key, pair) {
      if (!isScalar(pair.key) || !isScalar(pair.value)) return;
      const { value } = pair.value;
      if (
        !/token|secret|pass|key|^(?:webhook|url)$/i.test(String(pair.key.value)) ||
        typeof value !== "string"
      )
        return;
      if (!value.includes("${")) pair.value.value = "[hidden]";
    },
  });
  return document.toString({ lineWidth: 0 }).trimEnd();
}

/** What is wrong with a configuration, leaving aside variables that are not set in this shell. */
export async function configProblems(text: string, env: Environment): Promise<readonly ConfigError[]> {
  const read = await readConfig(text, env);
  if (read.ok) return [];
  const parsed = readConfigText(text, env);
  const missing = parsed.ok ? parsed.source.missing.map(({ path }) => pathText(path)) : [];
  return read.errors.filter(({ path }) => !missing.includes(path));
}
