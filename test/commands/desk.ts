import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { run } from "../../src/commands/run.ts";
import type { Exit, Io } from "../../src/commands/verb.ts";
import { aDocument } from "../builders.ts";

export type Ran = {
  readonly exit: Exit;
  readonly out: string;
  readonly err: string;
  /** Standard output as its one JSON document. */
  readonly json: Record<string, unknown>;
};

export type RunOptions = {
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  readonly tty?: boolean;
  readonly cwd?: string;
  /** Called before standard output takes a text; what it throws is what the write gives back. */
  readonly onOut?: (text: string) => void;
};

/** A home in a temporary folder, and command lines that run in this process against it. */
export type Desk = {
  readonly folder: string;
  readonly home: string;
  run(line: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Writes a file beside the home and returns its path. */
  file(name: string, content: string): string;
  /** Asks a question and returns its id. */
  ask(changes?: Record<string, unknown>): Promise<string>;
  remove(): void;
};

export function aDesk(): Desk {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-desk-"));
  const home = join(folder, "home");
  const desk: Desk = {
    folder,
    home,
    async run(line, options = {}) {
      const out: string[] = [];
      const err: string[] = [];
      const tty = options.tty ?? false;
      const io: Io = {
        stdin: Readable.from([Buffer.from(options.stdin ?? "")]),
        stdout: {
          tty,
          async write(text) {
            options.onOut?.(text);
            out.push(text);
          },
        },
        stderr: { tty, write: async (text) => void err.push(text) },
        env: { OWLPOST_HOME: home, HOME: folder, ...options.env },
        cwd: options.cwd ?? folder,
      };
      const exit = await run(line, io);
      return {
        exit,
        out: out.join(""),
        err: err.join(""),
        get json() {
          const lines = out.join("").split("\n");
          if (lines.length !== 2 || lines[1] !== "") throw new Error(`not one JSON line: ${out.join("")}`);
          return JSON.parse(lines[0] ?? "") as Record<string, unknown>;
        },
      };
    },
    file(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    async ask(changes = {}) {
      const stdin = JSON.stringify(aDocument({ default: { action: "skip_spec", at: "12h" }, ...changes }));
      const asked = await desk.run(["ask", "--json", "-"], { stdin });
      if (asked.exit !== 0) throw new Error(`the question was not asked: ${asked.out}${asked.err}`);
      return String(asked.json.id);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  return desk;
}
