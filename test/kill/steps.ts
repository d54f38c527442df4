/**
 * The numbered steps of a child process. A step is named `<phase>/<what>:<before|after|half>#<occurrence>`; at the one
 * that `KILL_AT` names, the process kills itself.
 */
export const phases = [
  "ask",
  "send",
  "receive",
  "decide",
  "pair",
  "sweep",
  "take",
  "confirm",
  "file",
  "board",
  "agent",
  "serve",
  "write",
] as const;
export type Phase = (typeof phases)[number];

const target = process.env.KILL_AT;
const occurrences = new Map<string, number>();
const reached: string[] = [];

export function boundary(phase: Phase, what: string): void {
  if (reach(phase, what)) die();
}

/** For a step that dies in its own way: true when its time has come. */
export function reach(phase: Phase, what: string): boolean {
  const label = `${phase}/${what}`;
  const occurrence = (occurrences.get(label) ?? 0) + 1;
  occurrences.set(label, occurrence);
  const name = `${label}#${occurrence}`;
  reached.push(name);
  return name === target;
}

export function die(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("still alive");
}

/** Every step that was passed, in order. */
export function passed(): readonly string[] {
  return reached;
}

export function phaseOf(name: string): Phase {
  return name.slice(0, name.indexOf("/")) as Phase;
}
