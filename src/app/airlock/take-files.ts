import { lstat, readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { runId, type TaskId, taskId } from "../../domain/ids.ts";
import type { Store } from "../../domain/store.ts";
import type { Owlpost } from "../api.ts";
import { writeAbort } from "./abort-file.ts";
import { writeAnswer } from "./answer.ts";
import {
  codeOf,
  freshMs,
  isFresh,
  type Look,
  lookOf,
  readOwned,
  refusalOf,
  refusalWords,
  utf8,
} from "./files.ts";
import { folderOf, type Home, type Place } from "./place.ts";
import type { Troubles } from "./troubles.ts";

export type TakeFileSettings = Home & {
  readonly owlpost: Pick<Owlpost, "take" | "confirm">;
  readonly store: Pick<Store, "question">;
  readonly zone: string;
  readonly troubles: Troubles;
};

export type TakeFiles = {
  /** Serves every request of an airlock. Returns in how many ms it wants to look again; undefined: when the folder changes. */
  scan(place: Place): Promise<number | undefined>;
  /** The folder may have changed. */
  hint(project: string): void;
};

const retryMs = 2_000;
/** An empty file this young may be about to be written: `echo RUN > take/TASK` makes it before it fills it. */
const youngMs = 250;
const mostRequestBytes = 1_024;

/**
 * `<airlock>/take/<task>`: a file engine's boundary call. The answers are written, the claim is confirmed, then the
 * request goes; a request that goes without an answer means: nothing yet. The claim is made of the file itself, so
 * that the same request, served again after a kill, is the same take.
 */
export function openTakeFiles(settings: TakeFileSettings): TakeFiles {
  const { troubles } = settings;
  const seen = new Map<string, string>();

  async function scan(place: Place): Promise<number | undefined> {
    const folder = folderOf(place, "take");
    const again: number[] = [];
    try {
      const folderStat = await stat(folder, { bigint: true });
      const folderLook = lookOf(folderStat);
      if (seen.get(place.project) === folderLook) return undefined;
      for (const name of await readdir(folder)) {
        if (name.startsWith(".") || name.endsWith(".rejected")) continue;
        const waitMs = await lookAt(place, name);
        if (waitMs !== undefined) again.push(waitMs);
      }
      troubles.clear(`take:${place.project}`);
      if (isFresh(folderStat)) again.push(freshMs);
      if (again.length === 0) seen.set(place.project, folderLook);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") {
        troubles.report(`take:${place.project}`, `the take folder in ${place.dir} cannot be read`, error);
      }
      again.push(retryMs);
    }
    return again.length === 0 ? undefined : Math.min(...again);
  }

  async function lookAt(place: Place, name: string): Promise<number | undefined> {
    const path = join(place.dir, "take", name);
    const key = `take:${place.project}/${name}`;
    try {
      const file = await lstat(path, { bigint: true });
      const reason = refusalOf(file);
      if (reason) {
        troubles.report(key, `the take request ${path} is left alone`, refusalWords[reason]);
        return undefined;
      }
      const task = taskId(name.replace(/\.md$/, ""));
      if (!task) {
        // An engine waits for its request to go: it must not wait for ever on a name that can mean nothing.
        troubles.report(key, `the take request ${path} is rejected`, "its name is no task id");
        await rename(path, `${path}.rejected`);
        return undefined;
      }
      const ageMs = Date.now() - Number(file.mtimeNs / 1_000_000n);
      if (file.size === 0n && ageMs >= 0 && ageMs < youngMs) return youngMs - ageMs;
      const request = await readRequest(path);
      if (!request) return youngMs;
      if (!request.ok) {
        troubles.report(key, `the take request ${path} is left alone`, request.why);
        return undefined;
      }
      await serve(place, task, request);
      await removeRequest(path, request.look);
      troubles.clear(key);
      return undefined;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      troubles.report(key, `the take request ${path} waits: it is tried again`, error);
      return retryMs;
    }
  }

  async function serve(place: Place, task: TaskId, request: Request): Promise<void> {
    const { owlpost } = settings;
    const claim = claimOf(place.project, task, request.look);
    const { taken, aborts } = await owlpost.take({
      project: place.project,
      task,
      claim,
      ...(request.run === undefined ? {} : { run: request.run }),
    });
    for (const each of taken) {
      await writeAnswer(each, settings);
    }
    for (const each of aborts) await writeAbort(each, settings);
    if (taken.length + aborts.length > 0) await owlpost.confirm(claim);
  }

  return { scan, hint: (project) => seen.delete(project) };
}

type Request = { readonly ok: true; readonly look: Look; readonly run?: string };

/** Undefined: it changed while it was read. */
async function readRequest(path: string): Promise<Request | { ok: false; why: string } | undefined> {
  const read = await readOwned(path, mostRequestBytes);
  if (!read.ok) return read.reason === "missing" ? undefined : { ok: false, why: refusalWords[read.reason] };
  const text = utf8(read.bytes)?.trim();
  if (text === "") return { ok: true, look: read.look };
  const run = text === undefined ? undefined : runId(text);
  return run
    ? { ok: true, look: read.look, run }
    : { ok: false, why: "it holds something else than a run id; leave it empty to take whatever the run" };
}

function claimOf(project: string, task: TaskId, look: Look): string {
  const [ino, , mtimeNs] = look.split(":");
  return `file:${project}:${task}:${ino}:${mtimeNs}`;
}

/** A request that was made again meanwhile stays: it is another one. */
async function removeRequest(path: string, look: Look): Promise<void> {
  const file = await lstat(path, { bigint: true });
  if (lookOf(file) === look) await unlink(path);
}
