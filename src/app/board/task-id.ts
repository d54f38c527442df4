import { randomInt } from "node:crypto";
import { type TaskId, taskId } from "../../domain/ids.ts";

const letters = "23456789abcdefghjkmnpqrstuvwxyz";
const longestSlug = 32;

/** A new task's id: words of its title, and a few random letters. */
export function mintTaskId(title: string): TaskId {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  let slug = "";
  for (const word of words) {
    if (slug.length + word.length > longestSlug) break;
    slug += slug === "" ? word : `-${word}`;
  }
  const tail = Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join("");
  const id = taskId(`${slug === "" ? "task" : slug}-${tail}`);
  if (!id) throw new Error(`no id can be made of the title ${title}`);
  return id;
}
