import { hashInput, isUsable, parseVerdict, type Spec, specHash } from "../../src/core/board/verdict.ts";
import { type CaseKind, type Fields, isCaseList, judge } from "./case-kind.ts";

/** `board/verdict.json`: a verdict line in its parts, and the hash of what was judged. */
export const caseKind: CaseKind = {
  name: "board verdict",
  knows: (file) =>
    isCaseList(file.content, "kind", "expect") &&
    file.content.every(({ kind }) => kind === "parse" || kind === "hash"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) =>
      judge(String(each.id), each.expect, () => {
        if (each.kind === "hash") {
          const version = each.version === 1 ? 1 : 2;
          const spec = each.fields as Spec;
          return { input: hashInput(spec, version), hash: specHash(spec, version) };
        }
        const line = parseVerdict(String(each.line));
        if (!line) return { valid: false };
        const { verdict, hash, at, version } = line;
        return { valid: true, verdict, hash, at, version, usable: isUsable(line) };
      }),
    ),
};
