import { fstatSync, readSync } from "node:fs";
import { homePath } from "../app/home.ts";
import { isNothing } from "../app/hook/first-look.ts";

const mostBytes = 1_048_576;

/**
 * What `dist/cli.js` looks at first for a hook: most events have nothing to ask, and for those the whole program need not be
 * loaded. Everything else goes to `main`, with what was read put back as standard input.
 */
export function first(main: () => void): void {
  const [, , , agent = "", ...rest] = process.argv;
  const isPlain = rest.every((word) => word === "--headless");
  const { chunks, ended } =
    isPlain && !fstatSync(0).isCharacterDevice() ? readNow() : { chunks: [], ended: false };
  if (ended) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
      if (isNothing(agent, text, homePath(undefined, process.env))) return;
    } catch {
      // The program itself says what is wrong with it.
    }
  }
  if (chunks.length > 0) putBack(chunks, ended);
  main();
}

/** What the descriptor gives without waiting elsewhere: Node's own stream costs a hook more than all the rest. */
function readNow(): { readonly chunks: readonly Buffer[]; readonly ended: boolean } {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  let bytes = 0;
  try {
    while (bytes <= mostBytes) {
      const read = readSync(0, chunk, 0, chunk.length, null);
      if (read === 0) return { chunks, ended: true };
      chunks.push(Buffer.from(chunk.subarray(0, read)));
      bytes += read;
    }
  } catch {
    // It would block, or cannot be read at all: the stream finds out.
  }
  return { chunks, ended: false };
}

function putBack(chunks: readonly Buffer[], ended: boolean): void {
  const { Readable } = process.getBuiltinModule("node:stream");
  const { stdin } = process;
  async function* whole(): AsyncGenerator<unknown> {
    yield* chunks;
    if (!ended) yield* stdin;
  }
  Object.defineProperty(process, "stdin", { value: Readable.from(whole()) });
}
