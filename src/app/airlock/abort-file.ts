import { join } from "node:path";
import { withFileLock } from "../../store/file-lock.ts";
import type { Aborted } from "../api.ts";
import { writeWhole } from "./files.ts";
import { ensurePlace, type Home, lockPath, lockTimeoutMs, placeOf } from "./place.ts";
import { yamlText } from "./yaml-text.ts";

/**
 * Tells a file engine that its run is to stop: `answers/abort-<run>.yaml` in the airlock of the project. No question has
 * such a name. Writing it again is the same file.
 */
export async function writeAbort(aborted: Aborted, settings: Home): Promise<void> {
  const place = placeOf(settings, aborted.project);
  const text = await yamlText(
    { run: aborted.run, by: aborted.by, via: aborted.via, at: new Date(aborted.at).toISOString() },
    ["Written by owlpost: this run is to stop. Remove the file when it has."],
  );
  await withFileLock(
    lockPath(settings.home),
    async () => {
      await ensurePlace(settings, place);
      await writeWhole(join(place.dir, "answers", abortFileName(aborted)), text, place.fileMode);
    },
    lockTimeoutMs,
  );
}

function abortFileName({ run }: Aborted): string {
  return `abort-${run}.yaml`;
}
