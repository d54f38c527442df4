import { z } from "zod";
import type { LocalCommand } from "./api.ts";

const id = z.string().min(1).max(64);
const key = z.string().min(1).max(64);
const text = z
  .string()
  .max(100_000)
  .refine((value) => value.trim() !== "", "is blank");

const confirmed = z.literal("in-full").optional();

const command = z.discriminatedUnion("verb", [
  z.strictObject({ verb: z.literal("override"), question: id, key }),
  z.strictObject({ verb: z.literal("choose"), question: id, key, confirmed }),
  z.strictObject({ verb: z.literal("answer"), question: id, text, confirmed }),
  z.strictObject({ verb: z.enum(["skip", "retry"]), question: id }),
  z.strictObject({ verb: z.literal("steer"), target: id, text, project: z.string().max(64).optional() }),
]);

const decision = z.strictObject({
  command,
  // Made by the page, the same for every attempt of one press.
  key: z.string().regex(/^[A-Za-z0-9_-]{16,64}$/, "must be 16 to 64 letters or digits"),
});

export type Decision =
  | { readonly ok: true; readonly command: LocalCommand; readonly key: string }
  | { readonly ok: false; readonly message: string };

/** What a page sends when a button is pressed; everything else is refused with the first thing that is wrong. */
export function parseDecision(body: unknown): Decision {
  const parsed = decision.safeParse(body);
  if (parsed.success) {
    return { ok: true, command: parsed.data.command as LocalCommand, key: parsed.data.key };
  }
  const issue = parsed.error.issues[0];
  const where = issue?.path.join(".") || "the body";
  return { ok: false, message: `${where}: ${issue?.message ?? "is not a decision"}` };
}
