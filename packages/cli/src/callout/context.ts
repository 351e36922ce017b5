import type { Output } from '../output.ts';

/** The result of a command. */
export interface Shown {
  /** For programs: one line of JSON with `--json`. */
  readonly data: unknown;
  /** For people. */
  readonly text: string;
  /** Notices for people; on stderr, outside of pipes. */
  readonly note?: string | undefined;
  /** The command ran, and not all of it could be done: the exit status is 1. */
  readonly isIncomplete?: boolean;
}

/** The input, typed or piped. */
export type Typed = AsyncIterable<string | Uint8Array> & {
  readonly isTTY?: boolean;
  /** Of a terminal: whether keys are read one by one, and not shown. */
  setRawMode?(isRaw: boolean): unknown;
};

/** The dependencies of commands. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  /** Read by commands with an option for it. */
  readonly stdin: Typed;
  /** Aborted when the command is to end, as by Ctrl-C; from then on the command ends by itself. */
  readonly stopSignal: () => AbortSignal;
  /** Makes the exit status 1. */
  readonly fail: () => void;
}
