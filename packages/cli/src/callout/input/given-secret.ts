import { Problem } from '@callout/domain/problem/problem';
import type { CommandContext } from '../context.ts';

const MAX_BYTES = 10_000;

/**
 * A secret from a place where it is not visible: `ps` shows arguments to every user of the machine, and the history of
 * shells keeps them. `variable`: the environment variable with the secret; undefined: it is on stdin, without the line
 * end after it. Throws a Problem 400 when there is none.
 */
export async function givenSecret({ env, stdin }: CommandContext, variable: string | undefined): Promise<string> {
  if (variable !== undefined) return fromEnvironment(env, variable);
  const secret = (await readAll(stdin)).replace(/\r?\n$/, '');
  if (secret === '') throw Problem.invalid('stdin is empty: write the secret to it, such as `… --secret-stdin < file`');
  return secret;
}

/** The value of an environment variable. Throws a Problem 400 when it is not set. */
export function fromEnvironment(env: CommandContext['env'], variable: string): string {
  const value = env[variable] ?? '';
  if (value === '') throw Problem.invalid(`the environment variable ${variable} is not set, or is empty`);
  return value;
}

async function readAll(stdin: CommandContext['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw Problem.invalid(`stdin has more than ${MAX_BYTES} bytes: that is no secret`);
  }
  return Buffer.concat(chunks).toString('utf8');
}
