/** Whom a message rings: the whole channel, or somebody's id. */
export type Ping = "channel" | "here" | "everyone" | string;

/** Names that clients put in the place of what is typed, and back again where they show a text. */
const emoji: Readonly<Record<string, string>> = {
  "+1": "👍",
  "-1": "👎",
  one: "1️⃣",
  two: "2️⃣",
  three: "3️⃣",
  owl: "🦉",
  white_check_mark: "✅",
  arrow_forward: "▶️",
  alarm_clock: "⏰",
  black_right_pointing_double_triangle_with_vertical_bar: "⏭️",
  "skin-tone-3": "🏼",
};
const names: readonly (readonly [string, string])[] = Object.entries(emoji).map(([name, sign]) => [
  sign,
  name,
]);

/** Who is rung by a mrkdwn text. An escaped `&lt;!channel&gt;` rings nobody. */
export function pingsIn(text: string): Ping[] {
  return Array.from(
    text.matchAll(/<(?:!(channel|here|everyone)|!subteam\^(\w+)|@([UW]\w+))(?:\|[^<>]*)?>/g),
    ([, all, group, user]) => all ?? group ?? user ?? "",
  );
}

/** A mrkdwn text as a person reads it: without marks, with labels and names in the place of ids. */
export function shown(text: string, nameOf: (user: string) => string = (user) => user): string {
  return text
    .replace(/<([^<>]*)>/g, (_, inside: string) => {
      const [what = "", label] = inside.split("|");
      if (what.startsWith("@")) return `@${nameOf(what.slice(1))}`;
      if (what.startsWith("#")) return `#${label ?? what.slice(1)}`;
      if (what.startsWith("!date^")) return label ?? "";
      if (what.startsWith("!")) return `@${label ?? what.slice(1)}`;
      return label ?? what;
    })
    .replace(/:([a-z0-9_+'-]+):/g, (whole, name: string) => emoji[name] ?? whole)
    .replace(/^&gt; ?/gm, "")
    .replace(/(?<![\p{L}\p{N}\u2060])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}\u2060])/gu, "$2")
    .replace(/```\n?|(?<!\u2060)`(?!\u2060)/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** What a client sends for a text that somebody types: entities, mentions, links and names of emoji. */
export function typed(text: string, idOf: (name: string) => string | undefined): string {
  let sent = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  for (const [sign, name] of names) sent = sent.replaceAll(sign, `:${name}:`);
  return sent
    .replace(/@([\w.-]+)/g, (whole, name: string) => {
      if (["channel", "here", "everyone"].includes(name)) return `<!${name}>`;
      const user = idOf(name);
      return user === undefined ? whole : `<@${user}>`;
    })
    .replace(/https?:\/\/[^\s<>|]+/g, (url) => `<${url}>`);
}

/** The parts that clients send beside a text of theirs: names of emoji come with their characters. */
export function richElements(text: string): Readonly<Record<string, unknown>>[] {
  return text
    .split(/(<[^<>]*>|:[a-z0-9_+'-]+:)/)
    .filter((piece) => piece !== "")
    .map((piece) => {
      const [, user] = /^<@(\w+)>$/.exec(piece) ?? [];
      if (user !== undefined) return { type: "user", user_id: user };
      if (piece.startsWith("<!")) return { type: "broadcast", range: piece.slice(2, -1) };
      if (piece.startsWith("<")) return { type: "link", url: piece.slice(1, -1) };
      const sign = emoji[piece.slice(1, -1)];
      if (sign === undefined) return { type: "text", text: shown(piece) };
      const unicode = Array.from(sign, (each) => (each.codePointAt(0) ?? 0).toString(16)).join("-");
      return { type: "emoji", name: piece.slice(1, -1), unicode };
    });
}
