import { randomBytes } from 'node:crypto';
import type { DataDirectory } from './data-directory.ts';

type Files = Pick<DataDirectory, 'read' | 'write'>;

/** The text of a file, made by the first start. */
async function madeOnce({ read, write }: Files, name: string, make: () => string): Promise<string> {
  const stored = (await read(name))?.trim();
  if (stored) return stored;
  const value = make();
  await write(name, `${value}\n`);
  return value;
}

/**
 * The key ring of webhook secrets, in the form of `SECRET_KEYS`: without it, the secrets of the webhooks in the database
 * can never be read again.
 */
export const keyRingIn = (directory: Files) =>
  madeOnce(directory, 'key-ring', () => `local:${randomBytes(32).toString('base64')}`);

/** The token of the operator API, in the form of `OPERATOR_TOKEN`: scripts find the same again. */
export const operatorTokenIn = (directory: Files) =>
  madeOnce(directory, 'operator-token', () => randomBytes(32).toString('hex'));

/** How our keys begin in a Redis that belongs to others. */
export const redisPrefixIn = (directory: Files) =>
  madeOnce(directory, 'redis-prefix', () => `callout-${randomBytes(8).toString('hex')}`);
