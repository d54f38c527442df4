import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterwards, until } from "../homes.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");

export const keys = { enter: "\r", down: "\u001b[B", left: "\u001b[D", right: "\u001b[C", stop: "\u0003" };

/** The built command in a real terminal: `script` of util-linux lends it a pty, of 100 columns unless said. */
export function aTerminal(
  line: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly columns?: number;
  },
) {
  const quoted = [process.execPath, cli, ...line].map((word) => `'${word}'`).join(" ");
  const child = spawn(
    "script",
    ["-qfec", `stty cols ${options.columns ?? 100} rows 50 && exec ${quoted}`, "/dev/null"],
    {
      env: { PATH: process.env.PATH, TERM: "xterm-256color", LANG: "C.UTF-8", ...options.env },
      cwd: options.cwd,
    },
  );
  let raw = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    raw += text;
  });
  const ended = new Promise<number | null>((done) => child.on("close", done));
  afterwards(() => void child.kill("SIGKILL"));
  const all = (): string => stripVTControlCharacters(raw);
  return {
    /** Waits until it shows the words, later than all that was waited for before, and then types the keys. */
    async when(words: string, typed = ""): Promise<void> {
      await until(
        () => all().slice(seen),
        (shown) => shown.includes(words),
      );
      seen = all().indexOf(words, seen) + words.length;
      // The words come before the ear for keys does.
      await new Promise((next) => setTimeout(next, 150));
      child.stdin.write(typed);
    },
    /** Everything that was ever shown, without control characters. */
    all,
    /** Everything as the terminal got it. */
    raw: () => raw,
    /** The exit code of the command. */
    ended,
  };
}
