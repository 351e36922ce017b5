import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Problem } from '@callout/domain/problem';
import type { CommandContext } from '../context.ts';

export interface SecretOptions {
  readonly secretEnv?: string;
  readonly secretStdin?: true;
  readonly secretFile?: string;
  readonly showSecret?: true;
}

/** A secret to sign with, and a notice about it. */
export interface ChosenSecret {
  readonly secretKey: string;
  /** Shown on request; null: the caller has the secret, or a file has the secret. */
  readonly shown: string | null;
  readonly note?: string;
}

/** Adds the options for the source or the target of a webhook's secret. */
export function withSecretOptions(command: Command): Command {
  return command
    .option('--secret-env <variable>', 'the environment variable with the secret that signs its callouts')
    .option('--secret-stdin', 'read the secret from stdin')
    .option('--show-secret', 'make a secret, and show it once')
    .option('--secret-file <file>', 'make a secret, and write it into a new file that only you can read');
}

/**
 * The secret that the options select. It is never an argument. Throws a Problem 400 unless exactly one option is given.
 */
export async function chosenSecret(context: CommandContext, options: SecretOptions): Promise<ChosenSecret> {
  const { secretEnv, secretStdin, secretFile, showSecret } = options;
  if ([secretEnv, secretStdin, secretFile, showSecret].filter((one) => one !== undefined).length !== 1) {
    throw Problem.invalid(
      'say where the secret is: one of --secret-env, --secret-stdin, --show-secret (a new one is shown) and --secret-file (a new one is written)',
    );
  }
  if (secretEnv !== undefined) return { secretKey: fromEnvironment(context.env, secretEnv), shown: null };
  if (secretStdin === true) return { secretKey: await givenSecret(context, undefined), shown: null };
  const secretKey = newSecret();
  if (secretFile === undefined) return { secretKey, shown: secretKey };
  await writeFile(secretFile, `${secretKey}\n`, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw Problem.invalid(
      code === 'EEXIST' ? `${secretFile} is there already` : `${secretFile} cannot be written (${code})`,
    );
  });
  return { secretKey, shown: null, note: `Its secret is in ${secretFile}.` };
}

/** A secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

const MAX_BYTES = 10_000;

/**
 * A secret from a place where it is not visible: `ps` shows arguments to every user of the machine, and the history of
 * shells keeps them. `variable`: the environment variable with the secret; undefined: stdin, without the line end.
 * Throws a Problem 400 without a secret.
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
