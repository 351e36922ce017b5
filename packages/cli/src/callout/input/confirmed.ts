import { Problem } from '@callout/domain/problem';
import type { CommandContext } from '../context.ts';

/** The first line of the input, without its end. */
async function readLine({ stdin }: CommandContext): Promise<string> {
  let typed = '';
  for await (const chunk of stdin) {
    typed += Buffer.from(chunk).toString('utf8');
    if (typed.includes('\n')) break;
  }
  return (typed.split('\n', 1)[0] ?? '').trim();
}

/**
 * Asks a question on a terminal, and returns the typed line.
 * @throws a Problem 400 with `advice` without a terminal.
 */
export async function ask(context: CommandContext, question: string, advice: string): Promise<string> {
  if (context.stdin.isTTY !== true) throw Problem.invalid(`Confirm this first: ${advice}`);
  context.out.report(question);
  return readLine(context);
}

/**
 * Whether an action was confirmed: by `--yes`, or by typing `yes` on a terminal.
 * @throws a Problem 400 without either.
 */
export async function isConfirmed(context: CommandContext, what: string, isYes: boolean | undefined): Promise<boolean> {
  if (isYes === true) return true;
  const typed = await ask(context, `${what} Type "yes" to go on:`, `${what} Add --yes to do it without being asked.`);
  return /^y(es)?$/i.test(typed);
}
