import { jsonLine, safeForTerminal } from './printable.ts';

/** The parts of `process.stdout` and `process.stderr` that are used. */
export interface TextStream {
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number;
  write(text: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once?(event: 'drain' | 'close', listener: () => void): unknown;
}

/** The only way to stdout and stderr. No written text steers a terminal, wherever the text is from. */
export interface Output {
  /** The result, on stdout. Ends the line. */
  readonly print: (text: string) => void;
  /**
   * One of many lines on stdout, which are more than fit into memory: resolves when there is capacity for the next.
   * @returns false when the reader is gone.
   */
  readonly pour: (text: string) => Promise<boolean>;
  /** Progress and errors, on stderr. Ends the line. */
  readonly report: (text: string) => void;
  /**
   * The progress of a long-running command, on stderr: a sentence or, with `--json`, a line of JSON with `data` beside
   * it.
   */
  readonly progress: (text: string, data?: object) => void;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  /** The columns of the terminal; undefined: no terminal, with lines of any length. */
  readonly columns: number | undefined;
}

interface OutputDeps {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether `--json` was given. */
  readonly isJson?: boolean;
}

/** Colours only for a terminal that wants them; elsewhere plain text. */
export function createOutput({ stdout, stderr, env, isJson = false }: OutputDeps): Output {
  // The reader may go away, as `head` does, or close the terminal: that is no reason to crash.
  let isLeft = false;
  stdout.on('error', () => (isLeft = true));
  stderr.on('error', () => undefined);
  const isColoured = stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const style = (on: number, off: number) => (text: string) =>
    isColoured ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  // Poured output is data for a file; printed output may be read through a pager, too.
  const poured = stdout.isTTY === true ? safeForTerminal : (text: string) => text;
  const report = (text: string) => void stderr.write(`${safeForTerminal(text)}\n`);
  return {
    columns: stdout.isTTY === true ? (stdout.columns ?? 80) : undefined,
    print: (text) => void stdout.write(`${safeForTerminal(text)}\n`),
    async pour(text) {
      if (isLeft) return false;
      const hasRoom = stdout.write(`${poured(text)}\n`) !== false;
      if (!hasRoom) await roomIn(stdout);
      return !isLeft;
    },
    report,
    progress: (text, data) => report(isJson ? jsonLine({ progress: text, ...data }) : text),
    bold: style(1, 22),
    dim: style(2, 22),
    green: style(32, 39),
    red: style(31, 39),
    yellow: style(33, 39),
  };
}

/** Until everything written is read, or the reader has gone. */
function roomIn(stream: TextStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.once === undefined) resolve();
    stream.once?.('drain', resolve);
    stream.once?.('close', resolve);
  });
}
