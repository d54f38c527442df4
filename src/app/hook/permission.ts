import { createHash } from "node:crypto";
import { redactDeep } from "../../core/redact.ts";
import { shorten } from "../../domain/text.ts";
import type { Scene } from "./choices.ts";
import type { Fields } from "./event.ts";
import { shownFolder, visible, visibleLine } from "./shown.ts";

export type PermissionAsk = {
  readonly document: Fields;
  /** What owlpost itself adds: no agent can write it. */
  readonly facts: Fields;
};

/** The option that allows; every other answer, and none, does not. */
export const allowKey = "1";

const mostContext = 600;
const mostArgumentsBytes = 48_000;
const mostTool = 60;
const mostSays = 120;
/** What an argument is called under which a tool says what it acts on, the first that is there. */
const subjects = ["command", "file_path", "notebook_path", "filePath", "path", "url", "pattern", "query"];

/**
 * An agent's permission prompt as a question: what would run, with exactly which arguments, where. It recommends nothing, and
 * no answer does not allow it. Undefined where the arguments are too many for anybody to judge: the agent's own prompt asks.
 */
export function permissionAsk(
  input: unknown,
  says: string | undefined,
  scene: Scene,
): PermissionAsk | undefined {
  const whole = JSON.stringify(input ?? null);
  if (Buffer.byteLength(whole) > mostArgumentsBytes) return undefined;
  const shown = subjectOf(input);
  const tool = shorten(visibleLine(scene.tool), mostTool);
  const where = `Tool: ${tool}. Folder: ${visibleLine(shownFolder(scene.folder))}`;
  const words = says === undefined ? [] : [`The agent says: ${shorten(visibleLine(says), mostSays)}`];
  const frame = [`${shown.name}:`, where, ...words];
  const room = mostContext - frame.reduce((sum, line) => sum + [...line].length + 1, 0);
  const text = visible(shown.text);
  const context = [frame[0], headAndTail(text, room), ...frame.slice(1)].join("\n");
  const isWhole = shown.isAll && [...text].length <= room;
  return {
    document: {
      kind: "approval",
      source: "permission",
      task: scene.task,
      title: `May ${scene.agent} use ${tool} now?`,
      context,
      options: [
        {
          key: allowKey,
          label: "Allow once",
          consequence: "this one call runs, with exactly these arguments",
        },
        { key: "2", label: "Do not allow", consequence: "the call does not run, and the agent is told so" },
      ],
      // Nothing is skipped: what silence does to a permission has a name of its own wherever it is told.
      default: { action: "skip_spec", at: scene.at },
    },
    facts: {
      arguments_sha256: createHash("sha256").update(`${scene.tool}\n${whole}`).digest("hex").slice(0, 16),
      ...(isWhole ? {} : { arguments: visible(JSON.stringify(redactDeep(input).value)) }),
    },
  };
}

type Subject = { readonly name: string; readonly text: string; readonly isAll: boolean };

function subjectOf(input: unknown): Subject {
  const fields = typeof input === "object" && input !== null ? (input as Fields) : {};
  for (const name of subjects) {
    const value = fields[name];
    if (typeof value !== "string" || value.trim() === "") continue;
    const others = Object.keys(fields).filter((other) => other !== name && other !== "description");
    const label = name === "command" ? "Command" : name === "url" ? "Address" : "On";
    return { name: label, text: value, isAll: others.length === 0 };
  }
  const { description: _, ...rest } = fields;
  return { name: "Arguments", text: JSON.stringify(redactDeep(rest).value), isAll: true };
}

/** What stands at the end of a long command matters as much as its beginning. */
function headAndTail(text: string, room: number): string {
  const points = [...text];
  if (points.length <= room) return text;
  const note = (left: number): string => ` …(${left} characters are left out here)… `;
  const kept = room - [...note(points.length)].length;
  const head = Math.ceil(kept / 2);
  const tail = kept - head;
  return `${points.slice(0, head).join("")}${note(points.length - kept)}${points.slice(points.length - tail).join("")}`;
}
