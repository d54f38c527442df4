import { type Fields, isFields } from "./event.ts";

/** How Claude Code starts owlpost. */
export type HookCommand = { readonly command: string; readonly timeoutSeconds: number };

/** Event, what it is about, and whether a person is waited for. */
const wanted = [
  { event: "PreToolUse", matcher: "AskUserQuestion", waits: true },
  { event: "PermissionRequest", matcher: "*", waits: true },
  { event: "Notification", matcher: "idle_prompt", waits: false },
  { event: "Stop", matcher: undefined, waits: false },
] as const;

const shortTimeoutSeconds = 30;

export type Merged =
  | { readonly ok: true; readonly settings: Fields; readonly changed: boolean }
  | { readonly ok: false; readonly message: string };

/** What owlpost adds, as it is shown before it is written. */
export function hookSettings(how: HookCommand): Fields {
  return { hooks: Object.fromEntries(wanted.map((each) => [each.event, [entryOf(each, how)]])) };
}

/** Claude Code's settings with owlpost's hooks in them, once; everything else stays as and where it is. */
export function mergeSettings(present: Fields, how: HookCommand): Merged {
  const hooks = present.hooks ?? {};
  if (!isFields(hooks)) return { ok: false, message: "its `hooks` are no map" };
  const merged: Record<string, unknown> = { ...hooks };
  for (const each of wanted) {
    const groups = hooks[each.event] ?? [];
    if (!Array.isArray(groups)) return { ok: false, message: `its \`hooks.${each.event}\` are no list` };
    const list: readonly unknown[] = groups;
    const entry = entryOf(each, how);
    const at = list.findIndex(isOnlyOurs);
    const before = at < 0 ? list : list.slice(0, at);
    const behind = at < 0 ? [] : list.slice(at);
    merged[each.event] = [...before.flatMap(withoutOurs), entry, ...behind.flatMap(withoutOurs)];
  }
  const settings = { ...present, hooks: merged };
  return { ok: true, settings, changed: JSON.stringify(settings) !== JSON.stringify(present) };
}

function entryOf({ matcher, waits }: (typeof wanted)[number], how: HookCommand): Fields {
  const timeout = waits ? how.timeoutSeconds : shortTimeoutSeconds;
  return {
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [{ type: "command", command: how.command, timeout }],
  };
}

/** Seconds after which Claude Code stops a hook that says nothing else. */
const usualTimeoutSeconds = 600;

/** The shortest time, in seconds, for which a hook of owlpost that waits for a person is left alone; undefined where there is none. */
export function shortestWait({ hooks }: Fields): number | undefined {
  if (!isFields(hooks)) return undefined;
  const all = wanted
    .filter(({ waits }) => waits)
    .flatMap(({ event }) => hooksIn(hooks[event]))
    .filter(({ command }) => isOurs(command));
  const seconds = all.map(({ timeout }) => (typeof timeout === "number" ? timeout : usualTimeoutSeconds));
  return seconds.length === 0 ? undefined : Math.min(...seconds);
}

/** Is there a hook of owlpost in these settings that is started in another way? */
export function hasOther({ hooks }: Fields, command: string): boolean {
  const all = isFields(hooks) ? Object.values(hooks).flatMap(hooksIn) : [];
  return all.some((hook) => isOurs(hook.command) && hook.command !== command);
}

function hooksIn(groups: unknown): readonly Fields[] {
  const list: readonly unknown[] = Array.isArray(groups) ? groups : [];
  return list.flatMap((group): readonly Fields[] =>
    isFields(group) && Array.isArray(group.hooks) ? group.hooks.filter(isFields) : [],
  );
}

/** An older hook of owlpost would ask everything twice, also one that stands in a group with others: those stay. */
function withoutOurs(group: unknown): readonly unknown[] {
  if (!isFields(group) || !Array.isArray(group.hooks)) return [group];
  const hooks: readonly unknown[] = group.hooks;
  const others = hooks.filter((hook) => !(isFields(hook) && isOurs(hook.command)));
  if (others.length === hooks.length) return [group];
  return others.length === 0 ? [] : [{ ...group, hooks: others }];
}

/** A group that an earlier set-up wrote. */
function isOnlyOurs(group: unknown): boolean {
  if (!isFields(group) || !Array.isArray(group.hooks)) return false;
  const hooks: readonly unknown[] = group.hooks;
  return hooks.length > 0 && hooks.every((hook) => isFields(hook) && isOurs(hook.command));
}

function isOurs(command: unknown): boolean {
  return (
    typeof command === "string" && /owlpost|cli\.js/.test(command) && /\bhook claude-code\b/.test(command)
  );
}
