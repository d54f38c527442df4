import { describe, expect, test } from "vitest";
import { readIncoming } from "../../src/app/board/incoming.ts";

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What comes out, whatever the pieces in which it comes in. */
async function read(source: string | Buffer, size = 7) {
  const incoming = await readIncoming(inPieces(Buffer.from(source as string), size));
  if (incoming.kind !== "lines") return incoming;
  const found: unknown[] = [];
  for await (const { line, value, wrong } of incoming.documents) found.push([line, value, wrong]);
  return found;
}

const a = { title: "日本語 🦉" };
const line = JSON.stringify(a);

describe("what comes in", () => {
  test("is a document a line, with any line ends, a mark of byte order, blank lines and a torn end", async () => {
    const text = `\uFEFF${line}\r\n\n  \r\n${line}\n${line.slice(0, 9)}`;
    for (const size of [1, 2, 3, 64])
      expect(await read(text, size)).toEqual([
        [1, a, undefined],
        [4, a, undefined],
        [5, undefined, undefined],
      ]);
  });

  test("names the line that is no text, and the one that is too long, and goes on behind it", async () => {
    const text = Buffer.concat([
      Buffer.from(`${line}\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`"${"x".repeat(17 * 1024 * 1024)}"\n${line}`),
    ]);
    expect(await read(text, 1_000_000)).toEqual([
      [1, a, undefined],
      [2, undefined, "is not UTF-8 text"],
      [3, undefined, "is longer than 16 MiB"],
      [4, a, undefined],
    ]);
  });

  test("is one document for all of it, in one line or in many, and keeps the numbers of its lines", async () => {
    const whole = (text: string) => ({ kind: "whole", text });
    expect(await read(`[${line}]`)).toEqual(whole(`[${line}]\n`));
    expect(await read(`{"results":[${line}]}\n`)).toEqual(whole(`{"results":[${line}]}\n`));
    const pretty = JSON.stringify({ results: [a] }, null, 2);
    expect(await read(pretty)).toEqual(whole(`${pretty}\n`));
    expect(await read("{torn\n\n{torn")).toEqual(whole("{torn\n\n{torn\n"));
    expect(await read("")).toEqual(whole(""));
    expect(await read(Buffer.from("\uFEFF[]", "utf16le"))).toMatchObject({
      kind: "unreadable",
      why: expect.stringContaining("UTF-8"),
    });
  });
});
