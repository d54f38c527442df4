import { isAbsolute } from "node:path";
import * as z from "zod";
import { isZone } from "../core/time.ts";
import { isProjectName } from "../domain/ids.ts";
import { channelIds, channelSettings } from "./channel-files.ts";

const duration = z
  .string({ error: "must be a duration such as 10m, 12h or 2d" })
  .regex(/^(?:\d{1,6}[mhd]|PT\d{1,6}[MH])$/, {
    error: "must be a duration such as 10m, 12h or 2d",
    abort: true,
  })
  .meta({ description: "A duration: 10m, 12h, 2d, PT10M or PT12H." });

/** Judged together with the zone: `config-night.ts`. The pattern is for editors. */
const window = z.string({ error: "must be a window such as 22:00-08:00" }).meta({
  description: "Start (inside) and end (outside) on the wall clock of the zone; 00:00-24:00 is always.",
  pattern: "^([01]\\d|2[0-3]):[0-5]\\d-(([01]\\d|2[0-3]):[0-5]\\d|24:00)$",
});

const folder = z
  .string({ error: "must be a folder's absolute path" })
  .refine((path) => isAbsolute(path) || path.startsWith("~/"), {
    error: "must be an absolute path (or begin with ~/)",
  });

/** Every key that `config.yaml` may hold; `channels.<id>` is checked by that channel's own settings. */
export const configSchema = z.strictObject({
  zone: z
    .string({ error: "must be an IANA time zone such as Europe/Berlin" })
    .refine(isZone, {
      error: "must be an IANA time zone, exactly as its name is written, such as Europe/Berlin",
    })
    .optional()
    .meta({ description: "IANA zone of every wall-clock time. Default: the system's." }),
  night: z
    .strictObject({
      window,
      isolated: z.boolean().optional().meta({
        description:
          "The work of a night stays on a branch, and nothing merges or pushes by itself. Default: false.",
      }),
      auto_default: z
        .boolean()
        .optional()
        .meta({ description: "May a default take its recommendation at night? Default: false." }),
    })
    .optional()
    .meta({ description: "Quiet hours: only what two safe answers can settle may ring. Default: none." }),
  min_lead: duration.optional(),
  lease: duration
    .refine((text) => /[1-9]/.test(text), {
      error: "must be longer than nothing: a taken answer would come back at once",
    })
    .optional(),
  auto_default: z
    .boolean()
    .optional()
    .meta({ description: "May a question's default take its recommendation? Default: false." }),
  again_deadline: duration
    .refine((text) => /[1-9]/.test(text), {
      error: "must be longer than nothing: a question that is asked again would run out at once",
    })
    .optional()
    .meta({ description: "How long a question that is asked again in the morning waits. Default: 12h." }),
  reviewer: z
    .strictObject({
      command: z
        .array(z.string().min(1, { error: "must not be empty" }), {
          error: "must be a list: the program, then its arguments",
        })
        .min(1, { error: "must name a program" })
        .meta({ description: "The program and its arguments; no shell reads them." }),
      name: z
        .string()
        .regex(/^[\w.:-]{1,40}$/, { error: "must be one word: letters, digits, . _ : - (at most 40)" })
        .optional()
        .meta({ description: "Who judged, in the verdict's line. Default: the program's name." }),
      time_limit: duration
        .refine((text) => /[1-9]/.test(text), { error: "must be longer than nothing" })
        .optional()
        .meta({ description: "How long one review may take. Default: 5m." }),
      mode: z.enum(["live", "cache-only", "cache-aware"]).optional().meta({
        description:
          "live asks every time, cache-aware only where no PASS stands, cache-only never. Default: cache-aware.",
      }),
      env: z
        .array(z.string().regex(/^[A-Za-z_]\w*$/, { error: "must be the name of a variable" }))
        .optional()
        .meta({
          description: "Variables that it gets beside PATH, HOME and the language: such as an API key's.",
        }),
    })
    .optional()
    .meta({ description: "Judges whether a task says enough (docs/board.md). Default: people alone." }),
  hook: z
    .strictObject({
      deadline: duration.optional().meta({
        description:
          "How long `owlpost hook` waits for an answer; at least min_lead, from 1m to 24d. Default: 15m.",
      }),
    })
    .optional()
    .meta({ description: "What agents ask by themselves, through `owlpost hook`." }),
  airlocks: z
    .record(
      z.string().refine(isProjectName, { error: "is no project name: letters, digits, . _ - (at most 64)" }),
      folder,
    )
    .optional()
    .meta({ description: "Project to the folder of its questions and answers." }),
  deliver: z
    .array(z.string())
    .optional()
    .meta({ description: "Channels that get a copy of every question. Default: every configured channel." }),
  escalate: z
    .array(
      z.strictObject({
        after: duration,
        to: z.array(z.string()).min(1),
        urgent: z.boolean().optional(),
        person: z.string().optional(),
      }),
    )
    .optional()
    .meta({ description: "Who is asked next, and when. Not available in this version." }),
  channels: z.record(z.string(), z.unknown()).optional(),
});

export type ConfigDocument = z.infer<typeof configSchema>;

/** Settings whose shape is known but whose work is not built yet: a setting is never half obeyed. */
export const unavailable = ["escalate"] as const;

/** The keys known at a place of the document; undefined where any key is allowed. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] | undefined {
  let here: unknown = schema;
  for (const step of path) {
    here = bare(here);
    if (here instanceof z.ZodObject) here = here.shape[String(step)];
    else if (here instanceof z.ZodArray) here = here.element;
    else return undefined;
  }
  here = bare(here);
  return here instanceof z.ZodObject ? Object.keys(here.shape) : undefined;
}

function bare(schema: unknown): unknown {
  let here = schema;
  while (here instanceof z.ZodOptional || here instanceof z.ZodDefault || here instanceof z.ZodNullable) {
    here = here.unwrap();
  }
  return here;
}

/** The JSON Schema (draft 2020-12) of `config.yaml` with the settings of every channel. */
export async function configJsonSchema(): Promise<Record<string, unknown>> {
  const shape: Record<string, z.ZodType> = {};
  for (const id of channelIds()) shape[id] = (await channelSettings(id)).optional();
  const whole = configSchema.extend({ channels: z.strictObject(shape).optional() });
  const schema = z.toJSONSchema(whole, { io: "input", unrepresentable: "any" });
  return { ...schema, title: "owlpost config.yaml" };
}
