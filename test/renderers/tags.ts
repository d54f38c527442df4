export type Tag = { readonly name: string; readonly attributes: ReadonlyMap<string, string> };

const empty = new Set(["meta", "br", "hr"]);
const start = /^<([a-z][a-z0-9]*)((?: [a-zA-Z][\w-]*="[^"<>]*")*)>/i;
const attribute = / ([a-zA-Z][\w-]*)="([^"<>]*)"/g;

/**
 * Every element of an HTML text in the order of its start, read strictly: quoted attributes, matching ends, and no `<`
 * or `>` anywhere else. Whatever a browser could read in another way is an error here.
 */
export function tagsOf(html: string): readonly Tag[] {
  const tags: Tag[] = [];
  const open: string[] = [];
  let rest = html.replace(/^<!doctype html>\n/, "");
  while (rest !== "") {
    const text = /^[^<>]+/.exec(rest)?.[0];
    if (text !== undefined) {
      // A bare ampersand is text to a browser; one that begins a character reference is not.
      for (const [entity] of text.matchAll(/&[#\w]+;?/g)) {
        if (open.at(-1) !== "style" && !["&amp;", "&lt;", "&gt;", "&quot;"].includes(entity))
          throw new Error(`odd: ${entity}`);
      }
      rest = rest.slice(text.length);
      continue;
    }
    const end = /^<\/([a-z][a-z0-9]*)>/i.exec(rest);
    if (end) {
      if (open.pop() !== end[1]) throw new Error(`ends out of order: ${rest.slice(0, 80)}`);
      rest = rest.slice(end[0].length);
      continue;
    }
    const begun = start.exec(rest);
    if (!begun) {
      // Style sheets hold no markup, and may use `>`.
      if (open.at(-1) === "style" && rest.startsWith(">")) {
        rest = rest.slice(1);
        continue;
      }
      throw new Error(`no tag: ${rest.slice(0, 80)}`);
    }
    const [whole, name = "", attributes = ""] = begun;
    tags.push({
      name,
      attributes: new Map([...attributes.matchAll(attribute)].map((each) => [each[1] ?? "", each[2] ?? ""])),
    });
    if (!empty.has(name)) open.push(name);
    rest = rest.slice(whole.length);
  }
  if (open.length > 0) throw new Error(`never ended: ${open.join(" ")}`);
  return tags;
}
