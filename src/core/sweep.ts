import type { Instant, QuestionId } from "../domain/ids.ts";
import { type Copy, hasLapsed, type StoredQuestion } from "../domain/question.ts";
import type { Decision, Effect, GatheredReceipt, SweepSnapshot } from "../domain/store.ts";
import { takeMark } from "./digest.ts";
import { type Move, move } from "./moves.ts";

/** The deadline has come: the question expires, whatever its default is; only the loop applies a default. */
export function expire(stored: StoredQuestion, copies: readonly Copy[] = []): Move | undefined {
  const shown = stored.state === "pending" && stored.heldUntilAt !== undefined ? { never_shown: "held" } : {};
  return move(stored, "deadline", {}, {}, copies, { default: stored.defaultAction, ...shown });
}

/** A claim that nobody confirmed in time: the answer can be taken again. */
export function lapse(stored: StoredQuestion, now: Instant, copies: readonly Copy[] = []): Move | undefined {
  const claim = stored.claim;
  if (!claim || !hasLapsed(claim, now)) return undefined;
  const given = { confirmed: claim.confirmedAt !== undefined };
  const done = move(stored, "lapse", given, { claim: null }, copies, { take: takeMark(claim.claim) });
  return done && { ...done, effects: done.effects.map(marked) };
}

/** What a lapse shows anew says no more than was said before. */
function marked(effect: Effect): Effect {
  return effect.type === "send" ? { ...effect, job: { ...effect.job, notice: lapsedMark } } : effect;
}

const lapsedMark = { kind: "lapsed", text: "" };

/** UTF-16 units of a gathered receipt. */
const mostUnits = 3_500;

/**
 * Several refusals of one sender, told at once: how many, then each on a line of its own. Where that would be too long,
 * every one of them is still named, without its reason.
 */
function gatheredReceipt({ lines, channel, destination, replyTo }: GatheredReceipt): Effect {
  const head = lines.length === 1 ? "1 reply was refused:" : `${lines.length} replies were refused:`;
  const each = lines.map((line) => line.replace(lineBreaks, " ").trim());
  const full = [head, ...each.map((line) => `• ${line}`)].join("\n");
  const text = full.length <= mostUnits ? full : `${head} ${named(each)}`;
  return {
    type: "send",
    job: {
      channel,
      destination,
      kind: "receipt",
      notice: { kind: "receipt", text },
      ...(replyTo === undefined ? {} : { replyTo }),
    },
  };
}

/** What was typed, of each line that begins with it in quotes; how often, where it is the same. */
function named(lines: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const end = line.indexOf("”: ");
    const typed = end < 0 ? line : line.slice(0, end + 1);
    counts.set(typed, (counts.get(typed) ?? 0) + 1);
  }
  const kept: string[] = [];
  let told = 0;
  let units = 0;
  for (const [typed, count] of counts) {
    const words = count === 1 ? typed : `${typed} (${count} times)`;
    units += words.length + 2;
    if (units > mostUnits) break;
    kept.push(words);
    told += count;
  }
  const rest = lines.length - told;
  return `${kept.join(", ")}${rest > 0 ? ` … and ${rest} more` : ""}`;
}

const lineBreaks = /\s*[\n\v\f\r\x85\u2028\u2029]\s*/g;

/** How many questions expired, how many claims lapsed, and how many gathered receipts go out. */
export type Swept = { readonly expired: number; readonly lapsed: number; readonly gathered: number };

export function decideSweep(snapshot: SweepSnapshot, now: Instant): Decision<Swept> {
  const effects: Effect[] = [];
  const copies = (id: QuestionId): readonly Copy[] => snapshot.copies.get(id) ?? [];
  let expired = 0;
  let lapsed = 0;
  for (const stored of snapshot.due) {
    const done = expire(stored, copies(stored.question.id));
    if (!done) continue;
    effects.push(...done.effects);
    expired += 1;
  }
  for (const stored of snapshot.lapsed) {
    const done = lapse(stored, now, copies(stored.question.id));
    if (!done) continue;
    effects.push(...done.effects);
    lapsed += 1;
  }
  const gathered = (snapshot.gathered ?? []).filter(({ lines }) => lines.length > 0);
  effects.push(...gathered.map(gatheredReceipt));
  return { effects, value: { expired, lapsed, gathered: gathered.length } };
}
