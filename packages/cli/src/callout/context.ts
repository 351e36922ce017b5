import type { Output } from '../output/output.ts';

/** What a command found or did. */
export interface Shown {
  /** For programs: one line of JSON with `--json`. */
  readonly data: unknown;
  /** For people. */
  readonly text: string;
  /** What people should know besides; on stderr, so that it gets into no pipe. */
  readonly note?: string | undefined;
  /** The command ran, and not all of it could be done: the exit status is 1. */
  readonly isIncomplete?: boolean;
}

/** What is typed, or piped in. */
export type Typed = AsyncIterable<string | Uint8Array> & {
  readonly isTTY?: boolean;
  /** Of a terminal: whether keys are read one by one, and not shown. */
  setRawMode?(isRaw: boolean): unknown;
};

/** What commands are made of. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  /** Read by commands that are told to. */
  readonly stdin: Typed;
  /** Aborted when the command is to end, as by Ctrl-C; from then on the command ends by itself. */
  readonly stopSignal: () => AbortSignal;
  /** Makes the exit status 1. */
  readonly fail: () => void;
}
