/** What a wait ended with: said in the place of the spinner. */
export type Told = { readonly ok: boolean; readonly text: string };

export type Choice<Value extends string> = {
  readonly message: string;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
  readonly otherwise?: Value;
};

/**
 * The person at the terminal, as the guided set-up sees them. Whatever asks gives `undefined` when they stop it (Ctrl-C
 * or Escape), and then nothing more is asked.
 */
export type Prompts = {
  /** The first line. */
  hello(text: string): void;
  /** One piece of commentary. */
  say(text: string): void;
  warn(text: string): void;
  /** Text to be read as it stands, under a title. */
  show(title: string, text: string): void;
  /** A QR code in half blocks: dark on light, whatever the terminal's own colours are. */
  picture(text: string): void;
  /** The last line. */
  bye(text: string): void;
  /** `check` gives what is wrong with the text, which is then asked again. Enter alone gives `otherwise`. */
  text(ask: {
    readonly message: string;
    readonly otherwise?: string;
    readonly hint?: string;
    check?(text: string): string | undefined;
  }): Promise<string | undefined>;
  /** Like `text`, and never shown. */
  secret(ask: {
    readonly message: string;
    check(text: string): string | undefined;
  }): Promise<string | undefined>;
  yes(ask: { readonly message: string; readonly otherwise: boolean }): Promise<boolean | undefined>;
  choose<Value extends string>(ask: Choice<Value>): Promise<Value | undefined>;
  /** Shows that something is being done. When it is stopped, `signal` aborts and undefined comes at once. */
  wait<Value>(ask: {
    readonly message: string;
    work(signal: AbortSignal): Promise<Value>;
    told(value: Value): Told;
  }): Promise<Value | undefined>;
};
