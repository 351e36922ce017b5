/** The parts of `process.stdout` and `process.stderr` that are used. */
export interface TextStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The only way to stdout and stderr. */
export interface Output {
  /** What was asked for, on stdout. Ends the line. */
  readonly print: (text: string) => void;
  /** What goes on and what went wrong, on stderr. Ends the line. */
  readonly tell: (text: string) => void;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
}

interface OutputDeps {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Colours only for a terminal that wants them; elsewhere plain text. */
export function createOutput({ stdout, stderr, env }: OutputDeps): Output {
  // Whoever read us may leave, as `head` does, or close the terminal: that is no reason to fall over.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  const isColoured = stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const style = (on: number, off: number) => (text: string) =>
    isColoured ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  return {
    print: (text) => void stdout.write(`${text}\n`),
    tell: (text) => void stderr.write(`${text}\n`),
    bold: style(1, 22),
    dim: style(2, 22),
    green: style(32, 39),
  };
}
