/** How a question is asked; the rules stand in the README, and the shape in `config/question.schema.json`. */
export type QuestionInput = {
  /** `q-<run>-<task>-<number>`; made by owlpost where it is left out. The same id is the same question. */
  readonly id?: string;
  /** Where the options of `ask` name none. */
  readonly project?: string;
  /** One line, at most 120 characters. */
  readonly title: string;
  /** What somebody must know to decide, at most 600 characters; it names a file, a test, an issue or the task. */
  readonly context: string;
  /** What the answer is for, such as `012-fix-auth`. */
  readonly task?: string;
  readonly kind?: "decide" | "blocked" | "stalled" | "approval" | "fact";
  readonly tried?: string;
  /** 2 to 9; exactly one is recommended, unless the kind is `fact`. */
  readonly options: readonly OptionInput[];
  /** What happens when nobody answers, and when: `06:00`, `2h`, `PT2H`, or ISO 8601 with an offset. */
  readonly default: {
    readonly action: "skip_spec" | "take_recommended" | "stay_parked";
    readonly at: string;
  };
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly iteration?: number;
  readonly progress?: string;
  readonly answerable_by?: readonly string[];
  readonly auto_default?: boolean;
};

export type OptionInput = {
  /** 1 to 8 lower-case letters and digits. */
  readonly key: string;
  /** At most 80 characters. */
  readonly label: string;
  /** One line of at most 160 characters. */
  readonly consequence: string;
  readonly recommended?: boolean;
  readonly reversible?: boolean;
};

export type OpenOptions = {
  /** The home; `OWLPOST_HOME`, else `~/.owlpost`, where it is left out. */
  readonly home?: string;
  /** An agent's rights: what only the engine may say of a question is dropped. The environment's `OWLPOST_AS` where it is left out. */
  readonly as?: "owner" | "agent";
  /** The project of what is asked; else the configured airlock that holds the current directory. */
  readonly project?: string;
};

export type AskOptions = {
  /** The same key is the same question, however often it is asked. Without one (and without an id) every ask is a new question. */
  readonly key?: string;
  readonly task?: string;
  readonly run?: string;
  readonly project?: string;
};

/** The question is stored, whatever the network does; or it is refused, with everything that is wrong with it. */
export type AskResult =
  | {
      readonly ok: true;
      readonly id: string;
      readonly state: string;
      readonly deadline: Date;
      readonly channels: readonly string[];
      /** It was asked before; nothing was stored twice. */
      readonly repeated: boolean;
      /** Fields that were not kept. */
      readonly dropped: readonly string[];
      /** Fields in which a credential became `[redacted]`. */
      readonly redacted: readonly string[];
      /** The default that will run is `skip_spec`, since nothing may be taken without an answer. */
      readonly defaultChanged: boolean;
      /** It rings nobody before: quiet hours. */
      readonly heldUntil?: Date;
      /** Why it is cancelled, where `state` says so. */
      readonly why?: string;
    }
  | {
      readonly ok: false;
      readonly error: "rejected";
      readonly broken: readonly {
        readonly rule: string;
        readonly field: string;
        readonly found: string;
        readonly mend: string;
      }[];
    }
  | { readonly ok: false; readonly error: "unreadable" | "id-conflict"; readonly message: string };

export type TakeOptions = {
  readonly task?: string;
  readonly run?: string;
  readonly project?: string;
  /** Of this question alone. */
  readonly question?: string;
  /** A token of your own: the same one again is the same take. */
  readonly claim?: string;
  /**
   * Your claim on the task of owlpost's board: an answered task goes on under it, and is Ready for anybody without it. The
   * environment's `OWLPOST_TASK_CLAIM` where it is left out.
   */
  readonly taskClaim?: string;
};

/**
 * What came of a question. `by` is there only where a person decided; `defaulted` means that nobody did, and `default` says
 * what counts then.
 */
export type Decision = {
  readonly id: string;
  readonly task: string;
  readonly project: string;
  readonly outcome: "answered" | "skipped" | "retried" | "defaulted" | "overridden" | "expired" | "cancelled";
  readonly option?: string;
  readonly label?: string;
  readonly text?: string;
  readonly by?: string;
  readonly via?: string;
  readonly at: Date;
  readonly default?: "skip_spec" | "take_recommended" | "stay_parked";
  /** To be confirmed once it was acted on; after the lease (10 minutes) it comes back otherwise. */
  readonly claim: string;
  /** The same in a sentence, for an agent to read. */
  readonly told: string;
};

/** A run that a person has stopped. */
export type Abort = {
  readonly run: string;
  readonly project: string;
  readonly by?: string;
  readonly via: string;
  readonly at: Date;
  readonly claim: string;
};

export type Taken = { readonly decisions: readonly Decision[]; readonly aborts: readonly Abort[] };

export type ListenOptions = Pick<TakeOptions, "task" | "run" | "project" | "question" | "taskClaim"> & {
  /** A listener that failed, or a fault of the store. Without it, such an error is thrown where nobody catches it. */
  readonly onError?: (error: unknown) => void;
};

/** A home, opened by a program. */
export type OwlpostClient = {
  ask(question: QuestionInput, options?: AskOptions): Promise<AskResult>;
  /**
   * What is decided by now, and the runs that are to stop; empty lists when nothing is. What an agent's hook asked is left to
   * that agent, unless its task, run or question is named.
   */
  take(options?: TakeOptions): Promise<Taken>;
  /** It was acted on. Returns the ids that the claim closed; none where it had lapsed. */
  confirm(claim: string): Promise<readonly string[]>;
  /**
   * Waits at most `waitMs` for what comes of one question, and takes it: `confirm` its claim. Undefined when nothing came in
   * time; at once where nothing can come any more, since it was cancelled, closed or taken by somebody else.
   */
  wait(id: string, waitMs: number, signal?: AbortSignal): Promise<Decision | undefined>;
  /**
   * Takes every decision as it comes, also those that came before, and confirms it once the listener's promise resolves. One that
   * rejects leaves its decision unconfirmed: it comes back after the lease. So does one whose program ends in between: what a
   * listener does may be done twice. Work that takes longer than the lease belongs elsewhere: while it goes on, another program
   * may be given the same decision. Runs that are to stop are told by `take` alone. Returns what ends the listening.
   */
  onDecision(options: ListenOptions, listener: (decision: Decision) => void | Promise<void>): () => void;
  /** Ends all listening, once the listeners are done. */
  close(): Promise<void>;
};
