import { isNight, readQuietHours } from "../../src/core/quiet-hours.ts";
import { type CaseKind, type Fields, isCaseList, judge } from "./case-kind.ts";

/** `time/quiet-hours.json`: is that instant inside the night window, and which windows must refuse to start? */
export const caseKind = {
  name: "quiet-hours",
  knows: (file) => isCaseList(file.content, "zone", "window", "at"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) =>
      judge(String(each.id), each.error === true ? "refused" : each.night, () => {
        const read = readQuietHours(String(each.window), String(each.zone));
        return read.ok ? isNight(read.hours, Date.parse(String(each.at))) : "refused";
      }),
    ),
} satisfies CaseKind;
