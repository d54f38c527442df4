import type { Prompts } from "../../src/app/setup-prompts.ts";

/** What somebody does at one question, or elsewhere while something is waited for; the pattern must fit what is asked. */
export type Step = readonly [
  question: RegExp,
  does: string | boolean | "stop" | ((shown: readonly string[]) => void),
];
export const stop = "stop";
/** Enter alone. */
export const enter = "";

/** Somebody at the terminal who follows a script, and everything that was shown to them. */
export function aPerson(script: readonly Step[]): Prompts & { readonly shown: string[]; left(): number } {
  const steps = [...script];
  const shown: string[] = [];
  const show = (text: string): void => void shown.push(text);
  function next(message: string): string | boolean {
    const step = steps.shift();
    if (!step?.[0].test(message)) throw new Error(`not in the script: ${message}; next is ${step?.[0]}`);
    shown.push(message);
    if (typeof step[1] === "function") throw new Error(`nothing to wait for at ${message}`);
    return step[1];
  }
  /** A wrong text is told and asked again, as in a terminal. */
  function typed(message: string, otherwise: string, check: (text: string) => string | undefined) {
    for (;;) {
      const does = next(message);
      if (does === stop) return undefined;
      const text = does === enter ? otherwise : String(does);
      const problem = check(text);
      if (problem === undefined) return text;
      shown.push(problem);
    }
  }
  return {
    shown,
    left: () => steps.length,
    hello: show,
    say: show,
    warn: show,
    bye: show,
    picture: show,
    show: (title, text) => show(`${title}\n${text}`),
    text: async ({ message, otherwise = "", check = () => undefined }) => typed(message, otherwise, check),
    secret: async ({ message, check }) => typed(message, "", check),
    async yes({ message, otherwise }) {
      const does = next(message);
      if (does === stop) return undefined;
      return does === enter ? otherwise : does === true;
    },
    async choose({ message, options, otherwise }) {
      const does = next(message);
      if (does === stop) return undefined;
      const value = does === enter ? (otherwise ?? options[0]?.value) : does;
      return options.find((option) => option.value === value)?.value;
    },
    async wait({ message, work, told }) {
      const step = steps[0]?.[0].test(message) ? steps.shift() : undefined;
      if (step?.[1] === stop) return undefined;
      if (typeof step?.[1] === "function") step[1](shown);
      const value = await work(new AbortController().signal);
      show(told(value).text);
      return value;
    },
  };
}
