import { z } from 'zod';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import type { FieldTable } from '@callout/domain/metadata/field';
import { inputsOf, keysOf, requiredOf } from '@callout/domain/metadata/field-table';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { readKeys, refuseKey } from '@callout/domain/input/read-keys';
import { secretMask } from '@callout/domain/input/secret-mask';
import { secretKey } from '../settings/signature.ts';
import { secretField } from './setting-fields.ts';

/** The new key of a webhook, and how long the previous one also signs. */
export interface SecretRotation {
  readonly secretKey: string;
  /** 0 to 168. */
  readonly overlapHours: number;
}

const MAX_OVERLAP_HOURS = 168;
const notAnOverlap = `must be a whole number of hours from 0 to ${MAX_OVERLAP_HOURS}`;
const hours = z.int(notAnOverlap).min(0, notAnOverlap).max(MAX_OVERLAP_HOURS, notAnOverlap);

const hoursInput = z.union(
  [
    hours,
    z
      .string()
      .regex(/^\d{1,3}$/u)
      .transform(Number)
      .pipe(hours),
  ],
  { error: notAnOverlap },
);

/** How long what is replaced also signs. */
export const overlapField = {
  dataType: 'integer',
  minimum: 0,
  maximum: MAX_OVERLAP_HOURS,
  input: hoursInput,
  requiredOf: ['create'],
} as const;

/** The keys of a rotation's body. */
export const secretRotationFields = {
  secretKey: { ...secretField, requiredOf: ['create'], description: secretKey.description },
  overlapHours: {
    ...overlapField,
    description: 'For how many hours the previous secret also signs; 0 ends an overlap.',
  },
} as const satisfies FieldTable;

const inputs = inputsOf(secretRotationFields);
const required = requiredOf(secretRotationFields, 'create');

/** The same, prepared for reading. */
export const knownRotationKeys = knownKeys(keysOf(secretRotationFields));

/**
 * Reads the body of a rotation, both of whose keys are required; null counts as absent. The rules for a secret are
 * those of a webhook's creation. Throws an `invalid` Problem with everything that is wrong.
 */
export function parseSecretRotation(body: unknown): SecretRotation {
  const problems: ProblemDetail[] = [];
  const read = readKeys(foldKeys(body, knownRotationKeys), inputs, problems, { nullIsAbsent: true, required });
  const { secretKey, overlapHours } = read;
  if (secretKey === secretMask) {
    refuseKey(problems, 'secretKey', `must not be ${secretMask}, which means an unchanged one`);
  }
  if (problems.length > 0 || secretKey === undefined || overlapHours === undefined) throw Problem.invalid(problems);
  return { secretKey, overlapHours };
}
