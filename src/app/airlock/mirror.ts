import { join } from "node:path";
import { steeringNote } from "../../core/steering.ts";
import type { Event } from "../../domain/event.ts";
import { isProjectName, type QuestionId, questionId } from "../../domain/ids.ts";
import type { Note, Store } from "../../domain/store.ts";
import { withFileLock } from "../../store/file-lock.ts";
import { appendEvents } from "./events-file.ts";
import { codeOf, type Look, writeWhole } from "./files.ts";
import { ensurePlace, type Home, lockPath, lockTimeoutMs, placeOf, questionFile } from "./place.ts";
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
};

export type Mirror = {
  /** Brings every airlock up to date with the store. Returns true while an airlock stands behind. */
  run(): Promise<boolean>;
  /** Writes one question's file again. */
  refresh(id: QuestionId): Promise<void>;
};

const cursorName = "mirror";
const pageRows = 100;
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

  async function run(): Promise<boolean> {
    const last = await store.lastEvent();
    if (last === done) return false;
    const failing = { events: new Set<string>(), notes: new Set<string>() };
    for (;;) {
      const page = await withFileLock(lockPath(settings.home), () => onePage(failing), lockTimeoutMs);
      if (page.more) continue;
      done = page.behind ? undefined : last;
      return page.behind;
    }
  }

  async function onePage(failing: {
    events: Set<string>;
    notes: Set<string>;
  }): Promise<{ more: boolean; behind: boolean }> {
    const before = readCursor(await store.cursor(cursorName));
    const lastSeq = await store.lastEvent();
    const events = await follow(
      eventStream(lastSeq, failing.events),
      before.events,
      pageRows,
      failing.events,
    );
    const notes = await follow(noteStream(failing.notes), before.notes, pageRows, failing.notes);
    if (events.moved || notes.moved) {
      const cursor = { events: events.position, notes: notes.position };
      await store.setCursor(cursorName, JSON.stringify(cursor), settings.now());
    }
    const behind = [events, notes].some((step) => Object.keys(step.position.behind).length > 0);
    return { more: events.more || notes.more, behind };
  }

  function eventStream(lastSeq: number, failing: Set<string>): Stream<Event> {
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
        await writeQuestions([...ids]);
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

  async function writeQuestions(ids: QuestionId[]): Promise<void> {
    const waiting = [...ids];
    const writer = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await writeQuestion(id);
    };
    await Promise.all(Array.from({ length: Math.min(writersAtOnce, ids.length) }, writer));
  }

  async function writeQuestion(id: QuestionId): Promise<void> {
    const stored = await store.question(id);
    if (!stored) return;
    const { project } = stored.question;
    const place = placeOf(settings, project);
    const path = questionFile(place, id);
    try {
      const look = await writeWhole(path, await questionText(stored), place.fileMode);
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
    await withFileLock(lockPath(settings.home), () => writeQuestion(id), lockTimeoutMs);
  }

  return { run, refresh };
}

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
