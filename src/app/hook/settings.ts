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

/** Is there a hook of owlpost in these settings that is started in another way? */
export function hasOther({ hooks }: Fields, command: string): boolean {
  const groups: readonly unknown[] = isFields(hooks) ? Object.values(hooks).flat() : [];
  const all = groups.flatMap((group): readonly unknown[] =>
    isFields(group) && Array.isArray(group.hooks) ? group.hooks : [],
  );
  return all.some((hook) => isFields(hook) && isOurs(hook.command) && hook.command !== command);
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
