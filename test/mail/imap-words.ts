/** A word of a command; a quoted one keeps its blanks. */
export type Token = { toString(): string };

/** Puts commands together: lines, and the literals that they announce. */
export class CommandReader {
  #rest = Buffer.alloc(0);
  #line = Buffer.alloc(0);
  #wanted = 0;
  readonly #onCommand: (line: Buffer) => void;
  readonly #onLiteral: () => void;

  constructor(onCommand: (line: Buffer) => void, onLiteral: () => void) {
    this.#onCommand = onCommand;
    this.#onLiteral = onLiteral;
  }

  push(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      if (this.#wanted > 0) {
        if (this.#rest.length < this.#wanted) return;
        this.#line = Buffer.concat([this.#line, this.#rest.subarray(0, this.#wanted)]);
        this.#rest = this.#rest.subarray(this.#wanted);
        this.#wanted = 0;
      }
      const end = this.#rest.indexOf("\r\n");
      if (end < 0) return;
      const part = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end + 2);
      const [, size, isQuick] = /\{(\d+)(\+?)\}$/.exec(part.toString("latin1")) ?? [];
      this.#line = Buffer.concat([this.#line, part]);
      if (size === undefined) {
        const line = this.#line;
        this.#line = Buffer.alloc(0);
        this.#onCommand(line);
      } else {
        this.#line = Buffer.concat([this.#line, Buffer.from("\r\n")]);
        this.#wanted = Number(size);
        if (isQuick === "") this.#onLiteral();
      }
    }
  }
}

/** The words of a command: atoms, quoted strings, literals. What stands in parentheses or brackets stays together. */
export function words(line: Buffer): Token[] {
  const text = line.toString("latin1");
  const found: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === " ") {
      at += 1;
      continue;
    }
    const literal = /^\{(\d+)\+?\}\r\n/.exec(text.slice(at));
    if (literal) {
      at += literal[0].length;
      found.push(text.slice(at, at + Number(literal[1])));
      at += Number(literal[1]);
    } else if (text[at] === '"') {
      const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text.slice(at));
      if (!quoted) throw new Error(`an open quote: ${text}`);
      found.push((quoted[1] ?? "").replace(/\\(.)/g, "$1"));
      at += quoted[0].length;
    } else {
      const end = atomEnd(text, at);
      found.push(text.slice(at, end));
      at = end;
    }
  }
  return found;
}

function atomEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if ("([".includes(letter)) depth += 1;
    if (")]".includes(letter)) depth -= 1;
    if (letter === " " && depth === 0) break;
  }
  return at;
}
