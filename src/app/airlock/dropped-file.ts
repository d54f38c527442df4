import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { QuestionId } from "../../domain/ids.ts";
import { questionId } from "../../domain/ids.ts";
import type { Store } from "../../domain/store.ts";
import type { Asked, Owlpost } from "../api.ts";
import { readDocument } from "../document.ts";
import { type FileRefusal, type Look, lookOf, readOwned, utf8, writeWhole } from "./files.ts";
import type { Place } from "./place.ts";
import {
  type Fingerprint,
  type Rejection,
  removeRejection,
  wasRejected,
  writeRejection,
} from "./rejection.ts";
import { yamlText } from "./yaml-text.ts";

export type DropSettings = {
  readonly owlpost: Pick<Owlpost, "ask">;
  readonly store: Pick<Store, "append" | "question">;
  readonly now: () => number;
  /** Rejections that are in the event log and whose note could not be written yet. */
  readonly untold: Map<string, Rejection>;
  /** Writes the mirror of a question again. */
  readonly refresh: (id: QuestionId) => Promise<void>;
};

/** The id that a file's name gives to the question in it. */
export function idOfName(name: string): QuestionId | undefined {
  return questionId(name.replace(/\.(?:yaml|yml|json)$/, ""));
}

/**
 * Asks the question in one dropped file whose writing has ended. The same content is asked once, however often this
 * is repeated. Rejects when the store or the folder is at fault: then it is tried again later.
 *
 * @param look what the file looked like when it had settled
 * @returns `settled` when there is nothing more to do with this file as it is, `changed` when it was touched meanwhile
 */
export async function askDropped(
  place: Place,
  name: string,
  look: Look,
  settings: DropSettings,
): Promise<"settled" | "changed"> {
  const read = await readOwned(join(place.dir, "questions", name));
  if (!read.ok) {
    if (read.reason !== "missing") await refuseDropped(place, name, look, read.reason, settings);
    return "settled";
  }
  if (read.look !== look) return "changed";

  const sha256 = createHash("sha256").update(read.bytes).digest("hex");
  const text = utf8(read.bytes);
  const document = text === undefined ? notUtf8(name) : await readDocument(text, name);
  if (!document.ok) {
    const place_ = placeIn(document.message, name);
    await reject(
      place,
      name,
      sha256,
      { error: "unreadable", message: document.message, ...place_ },
      settings,
    );
    return "settled";
  }
  const { value } = document;
  if (isMap(value) && value.state !== undefined && value.state !== null) return "settled";

  const named = idOfName(name);
  const given = isMap(value) ? value.id : undefined;
  if (named !== undefined && given !== undefined && given !== null && given !== named) {
    await reject(place, name, sha256, { error: "rejected", broken: [otherId(given, named)] }, settings);
    return "settled";
  }
  if (await wasRejected(place, name, sha256)) return "settled";
  const untold = settings.untold.get(rejectionKey(place, name, sha256));
  if (untold) {
    await tell(place, name, sha256, untold, settings);
    return "settled";
  }
  const withId = named !== undefined && isMap(value) ? { ...value, id: named } : value;
  const outcome = await settings.owlpost.ask({
    document: withId,
    origin: name,
    project: place.project,
    key: `drop:${place.project}:${name}:${sha256}`,
  });
  if (!outcome.ok) {
    const { ok, ...rejection } = outcome;
    await tell(place, name, sha256, rejection, settings);
    return "settled";
  }
  await answerDrop(place, name, look, outcome, settings);
  await removeRejection(place, name);
  return "settled";
}

/** The asker learns the id: the mirror takes the file's place where the name is the question's, else a ticket does. */
async function answerDrop(
  place: Place,
  name: string,
  look: Look,
  asked: Asked,
  settings: DropSettings,
): Promise<void> {
  const file = `${asked.id}.yaml`;
  if (name === file && asked.project === place.project) {
    await settings.refresh(asked.id);
    return;
  }
  const ticket = {
    id: asked.id,
    state: "asked",
    file,
    ...(asked.project === place.project ? {} : { project: asked.project }),
  };
  const path = join(place.dir, "questions", name);
  // Saved once more meanwhile: that is another drop, and it must not be lost.
  const stat = await lstat(path, { bigint: true }).catch(() => undefined);
  if (!stat || lookOf(stat) !== look) return;
  const text = name.endsWith(".json")
    ? `${JSON.stringify(ticket, null, 2)}\n`
    : await yamlText(ticket, [`Asked. Where it stands: ${file}`]);
  await writeWhole(path, text, place.fileMode);
}

/** Tells once that a file is left alone; it was not read. */
export async function refuseDropped(
  place: Place,
  name: string,
  look: Look,
  reason: FileRefusal,
  settings: Pick<DropSettings, "store" | "now" | "untold">,
): Promise<void> {
  await reject(place, name, `${reason}:${look}`, { error: "refused", reason }, settings);
}

async function reject(
  place: Place,
  name: string,
  fingerprint: Fingerprint,
  rejection: Rejection,
  settings: Pick<DropSettings, "store" | "now" | "untold">,
): Promise<void> {
  if (await wasRejected(place, name, fingerprint)) return;
  if (settings.untold.has(rejectionKey(place, name, fingerprint))) {
    return tell(place, name, fingerprint, rejection, settings);
  }
  const at = settings.now();
  const { project } = place;
  const rules =
    rejection.error === "rejected" ? rejection.broken.map(({ rule, field }) => ({ rule, field })) : undefined;
  const reason = rejection.error === "refused" ? rejection.reason : undefined;
  const data = {
    file: name,
    error: rejection.error,
    ...(rules === undefined ? {} : { rules }),
    ...(reason === undefined ? {} : { reason }),
  };
  await settings.store.append([{ type: "log", event: { kind: "question.rejected", project, data } }], at);
  await tell(place, name, fingerprint, rejection, settings);
}

/** Writes the note beside the file. Until that succeeds it is remembered, so that trying again logs nothing twice. */
async function tell(
  place: Place,
  name: string,
  fingerprint: Fingerprint,
  rejection: Rejection,
  settings: Pick<DropSettings, "now" | "untold">,
): Promise<void> {
  const key = rejectionKey(place, name, fingerprint);
  settings.untold.set(key, rejection);
  await writeRejection(place, name, fingerprint, rejection, settings.now());
  settings.untold.delete(key);
}

function rejectionKey(place: Place, name: string, fingerprint: Fingerprint): string {
  return `${place.project}/${name}:${fingerprint}`;
}

function notUtf8(name: string): { ok: false; message: string } {
  return { ok: false, message: `${name}: not UTF-8; save it as UTF-8` };
}

/** Messages begin with `<name>:<line>:<column>: ` where the place is known. */
function placeIn(message: string, name: string): { line: number; column: number } | undefined {
  if (!message.startsWith(`${name}:`)) return undefined;
  const match = /^(\d+):(\d+):/.exec(message.slice(name.length + 1));
  return match ? { line: Number(match[1]), column: Number(match[2]) } : undefined;
}

function otherId(given: unknown, named: QuestionId) {
  return {
    rule: "field-invalid",
    field: "id",
    found: String(typeof given === "string" ? given : JSON.stringify(given)).slice(0, 80),
    mend: `The file is named ${named}: give the same id, or leave it out.`,
  };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
