import { statSync } from "node:fs";
import { relative } from "node:path";
import { findCaseFiles, holdsCases, loadKinds, runFile } from "./case-files.ts";

/** `npm run conformance -- DIR`: runs every case file below DIR that some kind knows. */
const folder = process.argv[2];
if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
  console.error("Name a folder of case files: npm run conformance -- test/cases");
  process.exit(2);
}

const kinds = await loadKinds();
const { files, unreadable } = findCaseFiles(folder);
let passed = 0;
let failed = unreadable.length;
for (const line of unreadable) console.log(`unreadable ${line}`);
for (const file of files) {
  const verdicts = await runFile(file, kinds);
  const name = relative(folder, file.path);
  if (!verdicts) {
    if (holdsCases(file)) console.log(`not known: ${name}`);
    continue;
  }
  for (const verdict of verdicts) {
    if (verdict.ok) passed += 1;
    else {
      failed += 1;
      console.log(`${verdict.id}: expected ${verdict.expected}, got ${verdict.got}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
