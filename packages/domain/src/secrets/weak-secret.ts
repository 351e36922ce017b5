import type { ProblemDetail } from '../problem.ts';

/** Shorter secrets are accepted, since the API family recommends the length and does not require it. */
const recommendedLength = 10;

/** A warning about a secret that can be guessed; empty for other secrets, and without a secret. */
export function weakSecret(secretKey: string | undefined): ProblemDetail[] {
  if (secretKey === undefined || secretKey.length >= recommendedLength) return [];
  const characters = secretKey.length === 1 ? '1 character' : `${secretKey.length} characters`;
  const message = `secretKey has ${characters}, so that signatures can be forged by guessing: use ${recommendedLength} or more, best 32 at random`;
  return [{ code: 'weakSecret', field: 'secretKey', message }];
}
