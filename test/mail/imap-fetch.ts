import { envelopeOf, fieldsOf, headOf, internalDate, type StoredMail } from "./imap-text.ts";

/** One item of a FETCH: its name as it comes back, and what it is of a mail. */
export type Fetched = { readonly name: string; readonly of: (mail: StoredMail) => string };

const plain: Readonly<Record<string, Fetched["of"]>> = {
  UID: ({ uid }) => String(uid),
  FLAGS: ({ flags }) => `(${flags.join(" ")})`,
  INTERNALDATE: ({ at }) => internalDate(at),
  "RFC822.SIZE": ({ raw }) => String(raw.length),
  ENVELOPE: ({ raw }) => envelopeOf(raw),
};

const literal = (bytes: Buffer): string => `{${bytes.length}}\r\n${bytes.toString("latin1")}`;

/** What `(UID INTERNALDATE BODY.PEEK[]<0.1000>)` asks for; undefined where it names something unknown. */
export function fetchItems(text: string): readonly Fetched[] | undefined {
  const list = text.replace(/^\(|\)$/g, "");
  const names = list.match(/BODY(?:\.PEEK)?\[[^\]]*\](?:<\d+\.\d+>)?|[^\s()]+/gi) ?? [];
  const items = names.map(itemOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function itemOf(name: string): Fetched | undefined {
  const known = plain[name.toUpperCase()];
  if (known) return { name: name.toUpperCase(), of: known };
  const [, section, from, most] = /^BODY\.PEEK\[([^\]]*)\](?:<(\d+)\.(\d+)>)?$/i.exec(name) ?? [];
  // Without PEEK it would mark the mail as read.
  if (section === undefined) return undefined;
  const bytes = sectionOf(section);
  if (!bytes) return undefined;
  const cut = from === undefined ? "" : `<${from}>`;
  return {
    name: `BODY[${section}]${cut}`,
    of: ({ raw }) => {
      const whole = bytes(raw);
      const part = from === undefined ? whole : whole.subarray(Number(from), Number(from) + Number(most));
      return literal(part);
    },
  };
}

function sectionOf(section: string): ((raw: Buffer) => Buffer) | undefined {
  if (section === "") return (raw) => raw;
  if (/^HEADER$/i.test(section)) return headOf;
  const [, names] = /^HEADER\.FIELDS \(([^)]*)\)$/i.exec(section) ?? [];
  if (names === undefined) return undefined;
  return (raw) => fieldsOf(raw, names.replaceAll('"', "").split(" "));
}

export function fetchLine(
  place: number,
  mail: StoredMail,
  items: readonly Fetched[],
  isUid: boolean,
): string {
  const all =
    isUid && !items.some(({ name }) => name === "UID") ? [{ name: "UID", of: plain.UID }, ...items] : items;
  return `* ${place} FETCH (${all.map(({ name, of }) => `${name} ${of?.(mail)}`).join(" ")})`;
}
