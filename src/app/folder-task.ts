import { basename } from "node:path";
import { taskId } from "../domain/ids.ts";

/** The folder's name as a task's: that is what an agent works on that says nothing else. */
export function folderTask(folder: string): string {
  const slug = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
  return taskId(slug) ?? "agent";
}
