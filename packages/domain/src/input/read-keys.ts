import type { z } from 'zod';
import { isProblemCode, type ProblemCode } from '../problem-code.ts';
import type { ProblemDetail } from '../problem.ts';

/** A body, or an object in one, with folded keys. */
export type Body = Readonly<Record<string, unknown>>;

type Shape = Readonly<Record<string, z.ZodType>>;

/** The keys of a body that are present and valid. */
export type Read<S extends Shape> = { -readonly [Key in keyof S]?: z.output<S[Key]> };

export interface ReadOptions {
  /** The path of the object in the body, e.g. `fields[0].`; empty at the top. */
  readonly path?: string;
  /** Treats an explicit null like an absent key. */
  readonly nullIsAbsent?: boolean;
  /** Keys that must be present. */
  readonly required?: readonly string[];
}

/**
 * Reads a folded body key by key and adds a sentence to `problems` for every mistake, so a caller gets everything at
 * once: one z.object would stop checking rules about several keys after the first invalid key.
 */
export function readKeys<S extends Shape>(
  body: Readonly<Record<string, unknown>>,
  shape: S,
  problems: ProblemDetail[],
  { path = '', nullIsAbsent = false, required = [] }: ReadOptions = {},
): Read<S> {
  const read: Read<S> = {};
  for (const key of Object.keys(shape) as (keyof S & string)[]) {
    const input = body[key];
    const field = `${path}${key}`;
    if (input === undefined || (nullIsAbsent && input === null)) {
      if (required.includes(key)) problems.push({ code: 'required', field, message: `${field} is required` });
      continue;
    }
    const parsed = shape[key]?.safeParse(input);
    if (parsed?.success) read[key] = parsed.data as z.output<S[typeof key]>;
    else if (input === null) refuseKey(problems, field, 'must not be null', 'required');
    else
      for (const issue of parsed?.error?.issues ?? []) {
        problems.push({ code: codeOf(issue), field, message: `${field} ${issue.message}` });
      }
  }
  return read;
}

function codeOf(issue: z.core.$ZodIssue): ProblemCode {
  const issueCode: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  if (isProblemCode(issueCode)) return issueCode;
  return issue.code === 'invalid_type' || issue.code === 'invalid_union' ? 'invalidType' : 'invalid';
}

/** Adds a problem with the value of a key; `what` continues a sentence that begins with the key. */
export function refuseKey(problems: ProblemDetail[], field: string, what: string, code: ProblemCode = 'invalid'): void {
  problems.push({ code, field, message: `${field} ${what}` });
}
