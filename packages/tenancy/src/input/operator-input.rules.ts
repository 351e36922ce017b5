import { z } from 'zod';
import { foldKeys, knownKeys, type KnownKeys } from '@callout/domain/input/fold-keys';
import { idInput } from '@callout/domain/input/input-schemas';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { readKeys, type Read } from '@callout/domain/input/read-keys';

type Shape = Readonly<Record<string, z.ZodType>>;

const maxSmallId = 2 ** 31 - 1;
const maxPerHour = 1_000_000_000;
const notPerHour = `must be a whole number from 0 to ${maxPerHour}, where 0 is no limit, or null for the installation's default`;

/** The id of a zone or resource: they count from 1 and fit into 32 bits. */
export const smallIdInput = idInput.refine((id) => id <= maxSmallId, `must be ${maxSmallId} or less`);

const perHour = z.int(notPerHour).min(0, notPerHour).max(maxPerHour, notPerHour);

/** A limit per hour, also as a quoted numeral: 0 = none, null = the installation's default. */
export const perHourInput = z.union(
  [
    perHour,
    z
      .string()
      .regex(/^\d{1,10}$/u)
      .transform(Number)
      .pipe(perHour),
    z.null(),
  ],
  { error: notPerHour },
);

/** The body of an operator's request: some keys of a shape, required ones among them. */
export interface OperatorInput<S extends Shape> {
  readonly shape: S;
  readonly keys: KnownKeys;
}

export function operatorInput<S extends Shape>(shape: S): OperatorInput<S> {
  return { shape, keys: knownKeys(Object.fromEntries(Object.keys(shape).map((key) => [key, null]))) };
}

/** Reads a body with required and optional keys. Throws a Problem `invalid` that lists all mistakes. */
export function readOperatorInput<S extends Shape, Required extends keyof S & string = never>(
  body: unknown,
  { shape, keys }: OperatorInput<S>,
  required: readonly Required[] = [],
): Read<S> & { [Key in Required]: z.output<S[Key]> } {
  const problems: ProblemDetail[] = [];
  const read = readKeys(foldKeys(body, keys), shape, problems, { required });
  if (problems.length > 0) throw Problem.invalid(problems);
  return read as Read<S> & { [Key in Required]: z.output<S[Key]> };
}
