import type { ProblemCode } from './problem-code.ts';

/**
 * Maximum number of problems in a response. A reader of a long body stops there: a body of 16 MiB can have
 * two million of them, and each costs hundreds of bytes.
 */
export const mostProblems = 100;

/** A mistake in a request: `code` for programs, `message` (a whole sentence) for people. */
export interface ProblemDetail {
  readonly code: ProblemCode;
  /** The key that is wrong, e.g. `name` or `fields[0].fieldID`; absent when the problem is the request as a whole. */
  readonly field?: string;
  readonly message: string;
}

/**
 * The kinds of reasons why a request cannot be served. The rules know only the kinds; a table of the API defines status
 * and headers.
 */
export type ProblemKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'tooLarge'
  | 'tooMany'
  | 'unavailable'
  | 'wrongZone'
  | 'internal';

interface ProblemOptions {
  readonly retryAfterS?: number;
  readonly cause?: unknown;
}

const sentence = (code: ProblemCode, message: string, field?: string): ProblemDetail =>
  field === undefined ? { code, message } : { code, field, message };

/** The same sentence for every mistake: the answer must not reveal which user names exist. */
const wrongCredentials =
  'The credentials are unknown or wrong: UserName, Secret and ApiIntegrationCode must be those of one credential that is not revoked';

/** A request that cannot be served, with all the information for a correction. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  readonly details: readonly ProblemDetail[];
  /** Whole seconds after which the caller may try again; undefined when that does not help, or is not known to. */
  readonly retryAfterS: number | undefined;

  constructor(kind: ProblemKind, details: readonly ProblemDetail[], options: ProblemOptions = {}) {
    super(details.map((detail) => detail.message).join('; '), { cause: options.cause });
    this.kind = kind;
    this.details = details;
    this.retryAfterS = options.retryAfterS;
  }

  /** JSON, a field or a filter is wrong. Accepts all problems at once, or one sentence. */
  static invalid(what: readonly ProblemDetail[] | string, field?: string): Problem {
    return new Problem('invalid', typeof what === 'string' ? [sentence('invalid', what, field)] : what);
  }

  /** The body is not an object, or absent. */
  static notAnObject(body: unknown): Problem {
    const instead = body === undefined ? ', and is empty' : Array.isArray(body) ? ', not an array' : '';
    return new Problem('invalid', [sentence('invalidType', `The body must be a JSON object${instead}`)]);
  }

  /** Invalid: the tenant has nothing with this id. */
  static unknownReference(message: string, field: string): Problem {
    return new Problem('invalid', [sentence('unknownReference', message, field)]);
  }

  /** Unknown or wrong credentials; the message says when a caller is locked out. */
  static unauthorized(message = wrongCredentials): Problem {
    return new Problem('unauthorized', [sentence('unauthorized', message)]);
  }

  /** The caller is authenticated and lacks the right. */
  static forbidden(message = 'This credential does not have the right to do that'): Problem {
    return new Problem('forbidden', [sentence('forbidden', message)]);
  }

  /** The addressed thing does not exist, or belongs to another tenant. */
  static notFound(message = 'No matching records found'): Problem {
    return new Problem('notFound', [sentence('notFound', message)]);
  }

  /** It conflicts with what is stored, e.g. a duplicate field or a reused idempotency key. */
  static conflict(what: readonly ProblemDetail[] | string, field?: string): Problem {
    return new Problem('conflict', typeof what === 'string' ? [sentence('conflict', what, field)] : what);
  }

  /** Conflict: it exists already. */
  static duplicate(message: string, field: string): Problem {
    return new Problem('conflict', [sentence('duplicate', message, field)]);
  }

  /** The request, or its result, is too large to be processed at once. */
  static tooLarge(message: string): Problem {
    return new Problem('tooLarge', [sentence('tooLarge', message)]);
  }

  /** Too many requests; `retryAfterS` in whole seconds. */
  static tooManyRequests(message: string, retryAfterS: number): Problem {
    return new Problem('tooMany', [sentence('tooManyRequests', message)], { retryAfterS });
  }

  /** The user belongs to another zone. */
  static wrongZone(zoneName: string, url: string): Problem {
    const where = url === '' ? `the zone ${zoneName}` : `the zone ${zoneName}, at ${url}`;
    const message = `The tenant of this user is served by ${where}; zoneInformation tells the address of a user`;
    return new Problem('wrongZone', [sentence('wrongZone', message)]);
  }

  /** Something that the request needs is unavailable; `retryAfterS` in whole seconds. */
  static unavailable(message: string, retryAfterS: number, cause?: unknown): Problem {
    return new Problem('unavailable', [sentence('unavailable', message)], { retryAfterS, cause });
  }
}
