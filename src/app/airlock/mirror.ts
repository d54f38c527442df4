import { join } from "node:path";
import { steeringNote } from "../../core/steering.ts";
import type { Event } from "../../domain/event.ts";
import { isProjectName, type QuestionId, questionId } from "../../domain/ids.ts";
import type { StoredQuestion } from "../../domain/question.ts";
import type { Note, Store } from "../../domain/store.ts";
import { withFileLock } from "../../store/file-lock.ts";
import { appendEvents } from "./events-file.ts";
import { codeOf, type Look, placeWhole, syncFolder } from "./files.ts";
import {
  ensurePlace,
  type Home,
  lockPath,
  lockTimeoutMs,
  type Place,
  placeOf,
  questionFile,
} from "./place.ts";
import { questionText } from "./question-file.ts";
import { appendNote, dayOf } from "./steering-file.ts";
import { follow, type Position, type Stream, start } from "./stream.ts";
import type { Troubles } from "./troubles.ts";

export type MirrorSettings = Home & {
  readonly store: Store;
  readonly zone: string;
  readonly now: () => number;
  readonly troubles: Troubles;
  /** Called for every mirrored question file, so that it is not taken for a dropped one. */
  readonly wrote?: (project: string, id: QuestionId, look: Look) => void;
  /** For how many ms the mirror stays out of the way of what somebody waits for; 0: it need not. */
  readonly rushMs?: () => number;
};

export type Mirror = {
  /** Brings every airlock up to date with the store. Returns in how many ms it wants to go on; undefined: it is done. */
  run(): Promise<number | undefined>;
  /** Writes one question's file again. */
  refresh(id: QuestionId): Promise<void>;
};

const cursorName = "mirror";
/** So many rows are written while the lock is held and nothing else comes first. */
const pageRows = 32;
const retryMs = 2_000;
const writersAtOnce = 4;

/**
 * Questions, events and steering notes, from the store into the airlocks. The store is the truth: the files are
 * written from it and never read back. Each page is written under the home's lock and then the cursor moves; a kill
 * in between repeats the page, which adds nothing.
 */
export function openMirror(settings: MirrorSettings): Mirror {
  const { store } = settings;

  /** The newest event when every airlock was last up to date. Every note has its event. */
  let done: number | undefined;

  async function run(): Promise<number | undefined> {
    const last = await store.lastEvent();
    if (last === done) return undefined;
    const tour: Tour = { events: new Set(), notes: new Set(), written: new Map() };
    for (;;) {
      const rushMs = settings.rushMs?.() ?? 0;
      if (rushMs > 0) return rushMs;
      const page = await withFileLock(lockPath(settings.home), () => onePage(tour), lockTimeoutMs);
      if (page.more) continue;
      done = page.behind ? undefined : last;
      return page.behind ? retryMs : undefined;
    }
  }

  async function onePage(tour: Tour): Promise<{ more: boolean; behind: boolean }> {
    const before = readCursor(await store.cursor(cursorName));
    const lastSeq = await store.lastEvent();
    const events = await follow(eventStream(lastSeq, tour), before.events, pageRows, tour.events);
    const notes = await follow(noteStream(tour.notes), before.notes, pageRows, tour.notes);
    if (events.moved || notes.moved) {
      const cursor = { events: events.position, notes: notes.position };
      await store.setCursor(cursorName, JSON.stringify(cursor), settings.now());
    }
    const behind = [events, notes].some((step) => Object.keys(step.position.behind).length > 0);
    return { more: events.more || notes.more, behind };
  }

  function eventStream(lastSeq: number, { events: failing, written }: Tour): Stream<Event> {
    return {
      read: (since, limit, project) => store.events(since, limit, project),
      numberOf: (event) => event.seq,
      async projectOf(event) {
        const id = event.question === undefined ? undefined : questionId(event.question);
        const project =
          event.project ?? (id === undefined ? undefined : (await store.question(id))?.question.project);
        return project !== undefined && isProjectName(project) ? project : undefined;
      },
      async write(project, events) {
        const place = placeOf(settings, project);
        await ensurePlace(settings, place);
        const ids = new Set<QuestionId>();
        for (const event of events) {
          const id = event.question === undefined ? undefined : questionId(event.question);
          if (id) ids.add(id);
        }
        await writeQuestions(place, [...ids], written);
        await appendEvents(join(place.dir, "events.jsonl"), events, lastSeq, place.fileMode);
      },
      ...reports("mirror", failing),
    };
  }

  function noteStream(failing: Set<string>): Stream<Note> {
    return {
      read: (since, limit, project) => store.notes(since, limit, project),
      numberOf: (note) => note.id,
      projectOf: async (note) => (isProjectName(note.project) ? note.project : undefined),
      async write(project, notes) {
        const place = placeOf(settings, project);
        await ensurePlace(settings, place);
        for (const note of notes) {
          const path = join(place.dir, "steering", `${note.task ?? "run"}.md`);
          await appendNote(path, {
            mark: `note ${note.id}`,
            day: dayOf(note.at, settings.zone),
            text: steeringNote({ ...note, zone: settings.zone }),
            mode: place.fileMode,
          });
        }
      },
      ...reports("steering", failing),
    };
  }

  function reports(what: string, failing: Set<string>): Pick<Stream<never>, "failed" | "healed"> {
    return {
      failed(project, error) {
        failing.add(project);
        settings.troubles.report(`${what}:${project}`, `the airlock of ${project} cannot be written`, error);
      },
      healed: (project) => settings.troubles.clear(`${what}:${project}`),
    };
  }

  /** `written`: the revision that each file shows already. */
  async function writeQuestions(
    place: Place,
    ids: QuestionId[],
    written: Map<QuestionId, number>,
  ): Promise<void> {
    const waiting = [...ids];
    let placed = false;
    const writer = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const stored = await store.question(id);
        if (!stored || written.get(id) === stored.revision) continue;
        await writeQuestion(place, stored);
        written.set(id, stored.revision);
        placed = true;
      }
    };
    await Promise.all(Array.from({ length: Math.min(writersAtOnce, ids.length) }, writer));
    if (placed) await syncFolder(join(place.dir, "questions"));
  }

  async function writeQuestion(place: Place, stored: StoredQuestion): Promise<void> {
    const { id, project } = stored.question;
    const path = questionFile(place, id);
    try {
      const look = await placeWhole(path, await questionText(stored), place.fileMode);
      settings.wrote?.(project, id, look);
      settings.troubles.clear(`question:${id}`);
    } catch (error) {
      // A folder in the way of one question holds up no other, nor the event log.
      if (codeOf(error) !== "EISDIR") throw error;
      settings.troubles.report(
        `question:${id}`,
        `${path} is a folder: remove it, and the question is mirrored`,
        error,
      );
    }
  }

  async function refresh(id: QuestionId): Promise<void> {
    await withFileLock(
      lockPath(settings.home),
      async () => {
        const stored = await store.question(id);
        if (stored) await writeQuestions(placeOf(settings, stored.question.project), [id], new Map());
      },
      lockTimeoutMs,
    );
  }

  return { run, refresh };
}

/** What one run remembers from page to page. */
type Tour = {
  /** Projects whose stream has failed in this run. */
  readonly events: Set<string>;
  readonly notes: Set<string>;
  /** The revision that a question's file shows: of a burst many pages tell of the same question. */
  readonly written: Map<QuestionId, number>;
};

type MirrorCursor = { readonly events: Position; readonly notes: Position };

/** A cursor that cannot be read starts again: what the airlocks hold already is not written twice. */
function readCursor(text: string | undefined): MirrorCursor {
  if (text === undefined) return { events: start, notes: start };
  try {
    const { events, notes } = JSON.parse(text) as { events?: unknown; notes?: unknown };
    return { events: positionOf(events), notes: positionOf(notes) };
  } catch {
    return { events: start, notes: start };
  }
}

function positionOf(value: unknown): Position {
  if (typeof value !== "object" || value === null) return start;
  const { at, behind } = value as { at?: unknown; behind?: unknown };
  if (typeof at !== "number" || typeof behind !== "object" || behind === null) return start;
  const late = Object.entries(behind).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  return { at, behind: Object.fromEntries(late) };
}
