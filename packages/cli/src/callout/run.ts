import { type Command, CommanderError } from 'commander';
import { ownVersion } from '@callout/runtime/process';
import { jsonLine } from '../output/printable.ts';
import { createOutput, type TextStream } from '../output/output.ts';
import { exitStatus, explain } from './explain.ts';
import type { Typed } from './context.ts';
import { withPresentNames } from './former-names.ts';
import { createProgram } from './program.ts';

/** The parts of `process` that are used. */
export interface CalloutProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly stdin: Typed;
  /** Absent: nothing stops a command. */
  on?(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/**
 * Runs one command line of `callout`.
 * @returns the exit status: of `exitStatus`.
 */
export async function runCallout(args: readonly string[], process: CalloutProcess): Promise<number> {
  const out = createOutput(process);
  const isJson = args.includes('--json');
  let status: number = exitStatus.ok;
  const program = createProgram({
    version: await ownVersion(),
    env: process.env,
    out,
    stdin: process.stdin,
    stopSignal: () => stopSignal(process),
    fail: () => void (status = exitStatus.failed),
    write: (text) => void process.stdout.write(text),
    writeProblem: (text) => void (isJson || process.stderr.write(text)),
  });
  try {
    await program.parseAsync(withPresentNames(args, isJson ? () => undefined : out.tell), { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitStatus.ok; // help that was asked for
    const { lines, status: failure, answer } = await explain(error);
    const hint = hintAtAdmin(error, args, program);
    if (isJson) out.tell(jsonLine({ errors: [...lines, ...hint], ...answer }));
    // Commander has told people what is wrong already.
    else if (!(error instanceof CommanderError)) out.tell(lines.join('\n'));
    else if (hint.length > 0) out.tell(hint.join('\n'));
    return failure;
  }
}

/** What to tell operators who leave `admin` out. */
function hintAtAdmin(error: unknown, args: readonly string[], program: Command): string[] {
  if (!(error instanceof CommanderError) || error.code !== 'commander.unknownCommand') return [];
  const name = args.find((arg) => !arg.startsWith('-'));
  const has = (commands: readonly Command[] = []) => commands.some((command) => command.name() === name);
  const admin = program.commands.find((command) => command.name() === 'admin');
  return has(admin?.commands) && !has(program.commands) ? [`Did you mean \`callout admin ${name}\`?`] : [];
}

function stopSignal(process: CalloutProcess): AbortSignal {
  const stop = new AbortController();
  process.on?.('SIGINT', () => stop.abort());
  process.on?.('SIGTERM', () => stop.abort());
  return stop.signal;
}
