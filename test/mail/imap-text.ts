/** One mail in a mailbox. */
export type StoredMail = {
  readonly uid: number;
  readonly raw: Buffer;
  /** When it came in. */
  readonly at: number;
  readonly flags: string[];
};

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `"17-Jul-2026 02:44:25 +0000"`. */
export function internalDate(at: number): string {
  const when = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = String(when.getUTCDate()).padStart(2, " ");
  const time = [when.getUTCHours(), when.getUTCMinutes(), when.getUTCSeconds()].map(two).join(":");
  return `"${day}-${months[when.getUTCMonth()]}-${when.getUTCFullYear()} ${time} +0000"`;
}

/** The beginning of a day that a search names, such as `6-Jul-2026`. */
export function searchDay(text: string): number {
  const [, day, month = "", year] = /^"?(\d{1,2})-([A-Z][a-z]{2})-(\d{4})"?$/.exec(text) ?? [];
  if (day === undefined) throw new Error(`no date: ${text}`);
  return Date.UTC(Number(year), months.indexOf(month), Number(day));
}

export function headOf(raw: Buffer): Buffer {
  const end = raw.indexOf("\r\n\r\n");
  return end < 0 ? raw : raw.subarray(0, end + 4);
}

/** The lines of some header fields, as they stand, and an empty one. */
export function fieldsOf(raw: Buffer, names: readonly string[]): Buffer {
  const wanted = names.map((name) => name.toLowerCase());
  const lines = headOf(raw)
    .toString("latin1")
    .split(/\r\n(?![ \t])/);
  const kept = lines.filter((line) => wanted.includes(line.split(":", 1)[0]?.toLowerCase() ?? ""));
  return Buffer.from([...kept, "", ""].join("\r\n"), "latin1");
}

export function fieldOf(raw: Buffer, name: string): string | undefined {
  const [line] = fieldsOf(raw, [name])
    .toString("latin1")
    .split(/\r\n(?![ \t])/);
  if (line === undefined || line === "") return undefined;
  return line
    .slice(line.indexOf(":") + 1)
    .replace(/\r\n[ \t]+/g, " ")
    .trim();
}

/** A string of the protocol: a literal where it has to be one. */
export function asString(text: string | undefined): string {
  if (text === undefined) return "NIL";
  if (/^[\x20-\x7e]*$/.test(text)) return `"${text.replace(/["\\]/g, "\\$&")}"`;
  return `{${Buffer.byteLength(text, "latin1")}}\r\n${text}`;
}

/** RFC 3501, ENVELOPE: header fields as they stand, encoded words and all. */
export function envelopeOf(raw: Buffer): string {
  const field = (name: string): string | undefined => fieldOf(raw, name);
  const from = addressesOf(field("from"));
  return `(${[
    asString(field("date")),
    asString(field("subject")),
    from,
    field("sender") === undefined ? from : addressesOf(field("sender")),
    field("reply-to") === undefined ? from : addressesOf(field("reply-to")),
    addressesOf(field("to")),
    addressesOf(field("cc")),
    addressesOf(field("bcc")),
    asString(field("in-reply-to")),
    asString(field("message-id")),
  ].join(" ")})`;
}

function addressesOf(value: string | undefined): string {
  if (value === undefined) return "NIL";
  const list = value.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((each) => {
    const [, name, angled] = /^\s*(.*?)\s*<([^>]*)>\s*$/.exec(each) ?? [];
    const address = (angled ?? each).trim();
    const at = address.lastIndexOf("@");
    const shown = name?.replace(/^"|"$/g, "");
    const local = at < 0 ? address : address.slice(0, at);
    return `(${asString(shown === "" ? undefined : shown)} NIL ${asString(local)} ${asString(at < 0 ? undefined : address.slice(at + 1))})`;
  });
  return `(${list.join("")})`;
}
