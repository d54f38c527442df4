/** What the linter cannot say about a source file. Each rule takes a file and gives the pieces that break it. */
export type SourceRule = {
  readonly id: string;
  readonly why: string;
  readonly find: (file: string, text: string) => readonly string[];
};

const isPure = (file: string) => /^(src\/(domain|core)|renderers)\//.test(file);
const isTest = (file: string) => file.startsWith("test/");
const found = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([piece]) => piece.trim());

/** The path of every import, export-from and literal `import()`. */
const importPaths = (text: string) =>
  Array.from(text.matchAll(/\b(?:from|import)\s*\(?\s*["'`]([^"'`\n]+)["'`]/g), ([, path]) => path as string);

/** Files over 300 lines, each with the reason why it is not two rooms. */
export const longFiles: Readonly<Record<string, string>> = {
  "channels/telegram.ts": "A channel is one file, and this platform says no in many ways.",
};

const layerRules = [
  "noRestrictedImports",
  "noRestrictedGlobals",
  "noImportCycles",
  "noExplicitAny",
  "noConsole",
];

export const sourceRules: readonly SourceRule[] = [
  {
    id: "no-randomness",
    why: "A pure function gives the same answer twice: take the random value as an argument.",
    find: (file, text) =>
      isPure(file)
        ? found(
            text,
            /\bMath\b(?!\s*\.\s*(?!random\b)[a-zA-Z])[^\n;]*|\b(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/g,
          )
        : [],
  },
  {
    id: "no-clock",
    why: "A pure function does not know the time: take the instant as an argument.",
    find: (file, text) =>
      isPure(file)
        ? found(
            text,
            /\bnew\s+Date\b|\bDate\s*\.\s*\w+|\bDateTime\s*\.\s*(?:now|local|utc)\(\s*\)|\bhrtime\b/g,
          )
        : [],
  },
  {
    id: "no-environment",
    why: "A pure function is the same on every machine: no global object, no language or zone of the machine.",
    find: (file, text) =>
      isPure(file)
        ? found(
            text,
            /\bglobalThis\b|\bimport\.meta\b|\.toLocale\w+\(\s*\)|\.localeCompare\([^,()]*\)|\bIntl\.\w+\(\s*(?:\)|undefined)|\bSettings\.default\w+/g,
          )
        : [],
  },
  {
    id: "no-sql-outside-store",
    why: "A PostgreSQL store must be able to stand where the SQLite store stands: SQL lives in src/store.",
    find: (file, text) =>
      isTest(file) || file.startsWith("src/store/")
        ? []
        : found(
            text,
            /["'`]\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\s|ALTER\s+TABLE\s|DROP\s+\w+\s|PRAGMA\s|BEGIN\s+(?:IMMEDIATE|EXCLUSIVE))/g,
          ),
  },
  {
    id: "lazy-imports-only-in-the-shell",
    why: "Only src/cli.ts, src/commands, src/app and channels load late; a computed path is the shell's alone.",
    find: (file, text) => {
      if (isTest(file) || file.startsWith("src/app/")) return [];
      const mayLoadLate = file === "src/cli.ts" || /^(src\/commands|channels)\//.test(file);
      return found(text, mayLoadLate ? /\bimport\(\s*(?!["'])[^)]*\)/g : /\bimport\([^)]*\)/g);
    },
  },
  {
    id: "no-inline-import-type",
    why: 'The linter does not see `import("…").Name`: import the type at the top.',
    find: (_file, text) =>
      found(text, /\btypeof\s+import\([^)]*\)|\bimport\(\s*["'][^"']+["']\s*\)\s*\.\s*[A-Z]\w*/g),
  },
  {
    id: "climb-first",
    why: "The layer rules read the path as it is written: it climbs at its start or not at all.",
    find: (_file, text) => importPaths(text).filter((path) => /(?:^\.|[^./])\/\.\.(?:\/|$)/.test(path)),
  },
  {
    id: "page-imports-types",
    why: "The page runs in a browser: of src/app it may import types only.",
    find: (file, text) =>
      file.startsWith("src/page/")
        ? found(
            text,
            /\b(?:import|export)\s+(?!type\b)[^;"'`]*?\bfrom\s*["'`]\.\.\/app\/[^"'`]+["'`]|\bimport\s*["'`]\.\.\/app\/[^"'`]+["'`]/g,
          )
        : [],
  },
  {
    id: "one-level-of-rooms",
    why: "The layer rules know a folder and its rooms, and one file per channel with rooms of its own: nothing lies deeper or beside them.",
    find: (file) =>
      isTest(file) ||
      file === "src/cli.ts" ||
      /^(?:src\/(?:domain|core|store|app|commands)|renderers|channels)\/(?:[^/]+\/)?[^/]+$/.test(file) ||
      /^src\/(?:page|library)\/[^/]+$/.test(file)
        ? []
        : [file],
  },
  {
    id: "file-names",
    why: "A file is named after what it holds.",
    find: (file) =>
      found(file, /(?<![a-z])(?:utils?|helpers?|managers?|misc|common|shared|stuff|data|info)(?![a-z])/gi),
  },
  {
    id: "declared-names",
    why: "One word per idea: no …Manager, …Helper, …Util, …Data, …Info.",
    find: (_file, text) =>
      found(
        text,
        /\b(?:class|type|interface|function)\s+\w*(?:Manager|Helper|Utils?|Data|Info)\b|\bexport\s+const\s+\w*(?:Manager|Helper|Utils?|Data|Info)\b/g,
      ),
  },
  {
    id: "no-silenced-rule",
    why: "A rule that is silenced holds nothing: mend the code. (Long files are listed with a reason.)",
    find: (file, text) => [
      ...found(text, /@ts-(?:nocheck|expect-error)\b/g),
      ...found(text, /biome-ignore\S*\s+(?:lint[\w/]*)/g).filter(
        (piece) =>
          piece.endsWith("lint") ||
          layerRules.some((rule) => piece.endsWith(rule)) ||
          (piece.endsWith("noExcessiveLinesPerFile") && !(file in longFiles)),
      ),
    ],
  },
  {
    id: "tests-are-real",
    why: "A test always runs, and against our own modules as they are.",
    find: (file, text) =>
      isTest(file) ? found(text, /\bvi\.(?:mock|doMock|hoisted)\(|\.(?:skipIf|runIf|todo|fails)\(/g) : [],
  },
];

/** Rules about code read no comments: those may name what the code must not do. */
export function withoutComments(text: string): string {
  return text
    .replace(/(^|[\s({,;=])\/\*[\s\S]*?\*\//gm, "$1")
    .replace(/(^|[\s;{}])\/\/(?! ?(?:biome-ignore|@ts-)).*$/gm, "$1");
}

/** `file: rule: piece` for everything that breaks a rule. */
export function breaches(file: string, text: string): string[] {
  const code = withoutComments(text);
  return sourceRules.flatMap(({ id, find }) => find(file, code).map((piece) => `${file}: ${id}: ${piece}`));
}
