import type { FieldTable } from '@callout/domain/metadata/field';
import { text } from '@callout/domain/metadata/field';
import { inputsOf, keysOf, requiredOf } from '@callout/domain/metadata/field-table';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import { readKeys } from '@callout/domain/input/read-keys';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { overlapField } from './secret-rotation.ts';

/** Which key pair of a tenant is replaced, and how long it also signs. */
export interface SigningKeyRotation {
  readonly kid: string;
  /** 0 to 168. */
  readonly overlapHours: number;
}

/** The keys of a rotation's body. */
export const signingKeyRotationFields = {
  kid: {
    ...text(64),
    requiredOf: ['create'],
    description: 'The kid of the key that is to be replaced, so that a repeated request rotates once.',
  },
  overlapHours: {
    ...overlapField,
    description: 'For how many hours the replaced key also signs; 0 ends an overlap.',
  },
} as const satisfies FieldTable;

const inputs = inputsOf(signingKeyRotationFields);
const required = requiredOf(signingKeyRotationFields, 'create');

/** The same, prepared for reading. */
export const knownSigningKeyRotationKeys = knownKeys(keysOf(signingKeyRotationFields));

/**
 * Reads the body of a rotation, both of whose keys are required; null counts as absent. Throws an `invalid` Problem with
 * everything that is wrong.
 */
export function parseSigningKeyRotation(body: unknown): SigningKeyRotation {
  const problems: ProblemDetail[] = [];
  const folded = foldKeys(body, knownSigningKeyRotationKeys);
  const { kid, overlapHours } = readKeys(folded, inputs, problems, { nullIsAbsent: true, required });
  if (problems.length > 0 || kid === undefined || overlapHours === undefined) throw Problem.invalid(problems);
  return { kid, overlapHours };
}

/** The keys of a tenant by their names. */
export interface RotatingKeys {
  readonly current: string;
  /** The key before the last rotation, while both sign; null: no such key. */
  readonly previous: string | null;
}

/**
 * The work of a rotation: make a new key pair; or, for the key that the last rotation has replaced, only set the end of
 * the overlap again, since the request is a repetition.
 * @throws a Problem `conflict` for any other key.
 */
export function judgeRotation(keys: RotatingKeys, kid: string): 'rotate' | 'setOverlap' {
  if (kid === keys.current) return 'rotate';
  if (kid === keys.previous) return 'setOverlap';
  throw Problem.conflict(
    `kid is not the current key, which is ${keys.current}. The key may have been rotated already: read the keys again, and rotate only if that is still needed.`,
  );
}
