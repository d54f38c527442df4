import { fstatSync, readSync } from "node:fs";
import { homePath } from "../app/home.ts";
import { isNothing } from "../app/hook/first-look.ts";

const mostBytes = 1_048_576;

/**
 * What `dist/cli.js` looks at first for a hook: most events have nothing to ask, and for those the whole program need not be
 * loaded. Everything else goes to `main`, with what was read put back as standard input.
 */
export function first(main: () => void): void {
  const [, , , agent = "", ...words] = process.argv;
  const home = homeOf(words);
  const { chunks, ended } =
    home !== undefined && !fstatSync(0).isCharacterDevice() ? readNow() : { chunks: [], ended: false };
  // What is no event is the program's to complain about.
  const text = ended ? Buffer.concat(chunks).toString("utf8") : "";
  if (home !== undefined && isNothing(agent, text, home)) process.exit(0);
  if (chunks.length > 0) putBack(chunks, ended);
  main();
}

/** The home that the words behind the agent's name mean; undefined where they are not as a hook's settings have them. */
function homeOf(words: readonly string[]): string | undefined {
  let named: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === "--headless") continue;
    const value = words[at + 1];
    if (word !== "--home" || value === undefined || value.startsWith("-")) return undefined;
    named = value;
    at += 1;
  }
  return homePath(named, process.env);
}

/** What the descriptor gives without waiting elsewhere: Node's own stream costs a hook more than all the rest. */
function readNow(): { readonly chunks: readonly Buffer[]; readonly ended: boolean } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    while (bytes <= mostBytes) {
      const chunk = Buffer.allocUnsafe(65_536);
      const read = readSync(0, chunk, 0, chunk.length, null);
      if (read === 0) return { chunks, ended: true };
      chunks.push(chunk.subarray(0, read));
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
