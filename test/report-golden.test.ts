import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeHtml } from "../renderers/markup-tree.ts";
import { reportHtml } from "../renderers/report-html.ts";
import { timelineSvg } from "../renderers/timeline-svg.ts";
import { reportJson } from "../src/core/report-json.ts";
import { digestText, reportText } from "../src/core/report-text.ts";
import { reportView } from "../src/core/report-view.ts";
import { anEmptyNight, aRealisticNight, aTerribleNight, reportOfNight } from "./nights.ts";

/** `npm run golden` writes them; without it they are compared. */
const folder = join(import.meta.dirname, "golden", "report");
const write = process.env.GOLDEN === "write";

const night = reportOfNight(aRealisticNight());
const terrible = reportOfNight(aTerribleNight());
const empty = reportOfNight(anEmptyNight());
const files: Readonly<Record<string, string>> = {
  "night.txt": reportText(night),
  "night.json": `${JSON.stringify(reportJson(night), null, 2)}\n`,
  "night.html": reportHtml(reportView(night)),
  "night-digest.txt": `${digestText(night)}\n`,
  "night-wide.svg": `${writeHtml(timelineSvg(reportView(night).timeline, "wide"))}\n`,
  "night-narrow.svg": `${writeHtml(timelineSvg(reportView(night).timeline, "narrow"))}\n`,
  "terrible-digest.txt": `${digestText(terrible)}\n`,
  "terrible-wide.svg": `${writeHtml(timelineSvg(reportView(terrible).timeline, "wide"))}\n`,
  "empty.txt": reportText(empty),
  "empty-digest.txt": `${digestText(empty)}\n`,
};

test.each(Object.entries(files))("%s", (name, text) => {
  if (write) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  expect(text).toBe(readFileSync(join(folder, name), "utf8"));
});

test("no golden file of the report is an orphan", () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
});
