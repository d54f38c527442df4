import { isUtf8 } from "node:buffer";
import iconv from "iconv-lite";

/**
 * Names that mean more than they say: what was written under them holds the characters of the larger set, and ISO-8859-1
 * has control characters where windows-1252 has quotation marks. (Node 20's own TextDecoder has them, too.)
 */
const larger: Readonly<Record<string, string>> = {
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
  l1: "windows-1252",
  "iso-8859-9": "windows-1254",
  "iso-8859-11": "windows-874",
  "tis-620": "windows-874",
  gb2312: "gb18030",
  "x-gbk": "gb18030",
  gbk: "gb18030",
  gb_2312: "gb18030",
  "gb_2312-80": "gb18030",
  "hz-gb-2312": "gb18030",
  "iso-8859-8-i": "iso-8859-8",
  "cp-850": "cp850",
};

/** What iconv-lite does not know: these switch between sets by escape sequences. */
const escaped: Readonly<Record<string, string>> = {
  "iso-2022-jp": "iso-2022-jp",
  "iso-2022-jp-1": "iso-2022-jp",
  "iso-2022-jp-2": "iso-2022-jp",
  "iso-2022-jp-ms": "iso-2022-jp",
  "iso-2022-jp-3": "iso-2022-jp",
  csiso2022jp: "iso-2022-jp",
  cp50220: "iso-2022-jp",
  cp50221: "iso-2022-jp",
};

/** Bytes in that charset as text. Without a name, or under one that nobody knows: UTF-8 where it is that, else windows-1252. */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const given = (charset ?? "").trim().toLowerCase();
  const name = larger[given] ?? given;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const switching = escaped[name];
  if (switching !== undefined) return new TextDecoder(switching).decode(bytes);
  const unnamed = name === "" || name === "us-ascii" || name === "ascii" || !isKnown(name);
  return iconv.decode(buffer, unnamed ? (isUtf8(bytes) ? "utf-8" : "windows-1252") : name);
}

function isKnown(name: string): boolean {
  // Encodings of bytes as text are none of text as bytes.
  return !/^(?:base64|hex|binary|internal|ucs2?|ucs-2)$/.test(name) && iconv.encodingExists(name);
}

/**
 * `format=flowed` (RFC 3676): a line that ends in a space goes on in the next one of the same quote depth. `delSp`: that
 * space was put there for the break alone.
 */
export function unflowed(text: string, delSp: boolean): string {
  const lines: string[] = [];
  let open: { depth: number; parts: string[] } | undefined;
  const end = (): void => {
    if (open) lines.push(quoted(open.depth, open.parts.join("")));
    open = undefined;
  };
  for (const line of text.split("\n")) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0;
    const content = line.slice(depth).replace(/^ /, "");
    const isSignature = content === "-- ";
    if (open && (open.depth !== depth || isSignature)) end();
    const soft = content.endsWith(" ") && !isSignature;
    open ??= { depth, parts: [] };
    open.parts.push(soft && delSp ? content.slice(0, -1) : content);
    if (!soft) end();
  }
  end();
  return lines.join("\n");
}

function quoted(depth: number, content: string): string {
  return depth === 0 ? content : `${">".repeat(depth)} ${content}`;
}
