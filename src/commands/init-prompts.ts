import type { Readable } from "node:stream";
import * as clack from "@clack/prompts";
import type { Choice, Prompts } from "../app/setup-prompts.ts";

/** The person at this terminal. Everything is shown on stderr: stdout is for results. */
export function terminalPrompts(input: Readable): Prompts {
  const output = process.stderr;
  // A terminal that does not know its width says 0, and everything would be set in a column of single letters.
  if (output.columns === 0) output.columns = 80;
  const doors = { input, output };
  return {
    hello: (text) => clack.intro(text, doors),
    say: (text) => clack.log.info(text, doors),
    warn: (text) => clack.log.warn(text, doors),
    show: (title, text) => clack.note(text, title, { ...doors, format: (line) => line }),
    picture(text) {
      const lines = text.split("\n");
      const isPlain = process.env.NO_COLOR || process.env.TERM === "dumb";
      output.write(
        `\n${lines.map((line) => (isPlain ? line : `\u001b[30;107m${line}\u001b[0m`)).join("\n")}\n`,
      );
    },
    bye: (text) => clack.outro(text, doors),
    async text({ message, otherwise, hint, check }) {
      return given(
        await clack.text({
          ...doors,
          message,
          ...(otherwise === undefined ? {} : { defaultValue: otherwise, placeholder: hint ?? otherwise }),
          validate: (typed = "") => {
            const text = typed === "" ? (otherwise ?? "") : typed;
            return check?.(text);
          },
        }),
      );
    },
    async secret({ message, check }) {
      const validate = (typed = "") => check(typed);
      return given(await clack.password({ ...doors, message, clearOnError: true, validate }));
    },
    async yes({ message, otherwise }) {
      return given(await clack.confirm({ ...doors, message, initialValue: otherwise }));
    },
    async choose<Value extends string>({ message, options, otherwise }: Choice<Value>) {
      const picked = await clack.select<string>({
        ...doors,
        message,
        options: options.map((option) => ({ ...option })),
        ...(otherwise === undefined ? {} : { initialValue: otherwise }),
      });
      return given(picked) as Value | undefined;
    },
    async wait({ message, work, told }) {
      const stop = new AbortController();
      const stopped = new Promise<undefined>((done) => {
        stop.signal.addEventListener("abort", () => done(undefined), { once: true });
      });
      const spinner = clack.spinner({ output, onCancel: () => stop.abort() });
      spinner.start(message);
      const release = ownKeys(input, () => stop.abort());
      try {
        const value = await Promise.race([work(stop.signal), stopped]);
        if (stop.signal.aborted || value === undefined) spinner.cancel(message);
        else {
          const { ok, text } = told(value);
          if (ok) spinner.stop(text);
          else spinner.error(text);
        }
        return stop.signal.aborted ? undefined : value;
      } catch (error) {
        spinner.error(message);
        throw error;
      } finally {
        release();
      }
    },
  };
}

function given<Value>(value: Value | typeof clack.CANCEL_SYMBOL): Value | undefined {
  return clack.isCancel(value) ? undefined : (value as Value);
}

type Key = { readonly name?: string; readonly ctrl?: boolean };

/** While clack's spinner turns, Ctrl-C would end the whole process with exit 0: its ear for keys is taken off for ours. */
function ownKeys(input: Readable, stop: () => void): () => void {
  input.removeAllListeners("keypress");
  const hear = (_text: unknown, key?: Key): void => {
    if (key?.name === "escape" || (key?.ctrl && key.name === "c")) stop();
  };
  input.on("keypress", hear);
  return () => void input.off("keypress", hear);
}
