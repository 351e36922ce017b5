import { type Command, CommanderError } from 'commander';
import { ownVersion } from '@callout/runtime/process/own-version';
import { jsonLine, safeForTerminal } from '../printable.ts';
import { createOutput, type TextStream } from '../output.ts';
import { exitStatus, explain } from './explain.ts';
import type { Typed } from './context.ts';
import { createProgram } from './program.ts';

/** The parts of `process` that are used. */
export interface CalloutProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly stdin: Typed;
  /** Absent: nothing stops a command. */
  on?(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  /** Absent: a command that was stopped always ends by itself. */
  exit?(status: number): unknown;
}

/**
 * Runs one command line of `callout`.
 * @returns the exit status: of `exitStatus`.
 */
export async function runCallout(args: readonly string[], process: CalloutProcess): Promise<number> {
  const isJson = args.includes('--json');
  const out = createOutput({ stdout: process.stdout, stderr: process.stderr, env: process.env, isJson });
  let status: number = exitStatus.ok;
  const stop = new AbortController();
  // A command has nothing to go on for when the reader has left, as `head` does.
  process.stdout.on('error', () => stop.abort());
  const program = createProgram({
    version: await ownVersion(),
    env: process.env,
    out,
    stdin: process.stdin,
    stopSignal: () => stoppedBySignals(process, stop),
    fail: () => void (status = exitStatus.failed),
    write: (text) => void process.stdout.write(text),
    writeProblem: (text) => void (isJson || process.stderr.write(safeForTerminal(text))),
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitStatus.ok; // help that was asked for
    const { lines, status: failure, answer } = await explain(error, args.includes('admin'));
    const hint = hintAtAdmin(error, args, program);
    if (isJson) out.report(jsonLine({ errors: [...lines, ...hint], ...answer }));
    // Commander has already reported the error.
    else if (!(error instanceof CommanderError)) out.report(lines.join('\n'));
    else if (hint.length > 0) out.report(hint.join('\n'));
    return failure;
  }
}

/** A hint for operators who leave out `admin`. */
function hintAtAdmin(error: unknown, args: readonly string[], program: Command): string[] {
  if (!(error instanceof CommanderError) || error.code !== 'commander.unknownCommand') return [];
  const name = args.find((arg) => !arg.startsWith('-'));
  const has = (commands: readonly Command[] = []) => commands.some((command) => command.name() === name);
  const admin = program.commands.find((command) => command.name() === 'admin');
  return has(admin?.commands) && !has(program.commands) ? [`Did you mean \`callout admin ${name}\`?`] : [];
}

/** A second signal within this time repeats the first: npm forwards the signal that the terminal has sent to all. */
const sameSignalMs = 1_000;

/** The first Ctrl-C lets a command clean up; a later Ctrl-C ends the command at once. */
function stoppedBySignals(process: CalloutProcess, stop: AbortController): AbortSignal {
  let firstAt: number | undefined;
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on?.(signal, () => {
      stop.abort();
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameSignalMs) process.exit?.(status);
    });
  }
  return stop.signal;
}
