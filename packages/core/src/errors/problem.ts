import type { ProblemCode } from './problem-code.ts';

/**
 * The most problems that an answer lists. A reader of a body that may be long looks for no more: a body of 16 MiB can have
 * two million of them, and each costs hundreds of bytes.
 */
export const mostProblems = 100;

/** One thing that is wrong with a request: `code` for programs, `message` (a whole sentence) for people. */
export interface ProblemDetail {
  readonly code: ProblemCode;
  /** The key it is about, e.g. `name` or `fields[0].fieldID`; absent when it is about the request as a whole. */
  readonly field?: string;
  readonly message: string;
}

/**
 * What kind of thing keeps a request from being served. The rules know no more of it than that; what it means on the wire
 * is the business of the API, which has one table for all of them.
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

/** The same words whatever was wrong: they must not tell which user names there are. */
const wrongCredentials =
  'The credentials are unknown or wrong: UserName, Secret and ApiIntegrationCode must be those of one credential that is not revoked';

/** A request that cannot be served, with all that the caller needs to mend it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  readonly details: readonly ProblemDetail[];
  /** Whole seconds after which it is worth trying again; undefined when trying again does not help, or is not known to. */
  readonly retryAfterS: number | undefined;

  constructor(kind: ProblemKind, details: readonly ProblemDetail[], options: ProblemOptions = {}) {
    super(details.map((detail) => detail.message).join('; '), { cause: options.cause });
    this.kind = kind;
    this.details = details;
    this.retryAfterS = options.retryAfterS;
  }

  /** JSON, a field or a filter is wrong. Takes every problem at once, or one sentence. */
  static invalid(what: readonly ProblemDetail[] | string, field?: string): Problem {
    return new Problem('invalid', typeof what === 'string' ? [sentence('invalid', what, field)] : what);
  }

  /** The body is something else than an object, or absent. */
  static notAnObject(body: unknown): Problem {
    const instead = body === undefined ? ', and is empty' : Array.isArray(body) ? ', not an array' : '';
    return new Problem('invalid', [sentence('invalidType', `The body must be a JSON object${instead}`)]);
  }

  /** Invalid: an id is that of nothing this tenant has. */
  static unknownReference(message: string, field: string): Problem {
    return new Problem('invalid', [sentence('unknownReference', message, field)]);
  }

  /** Unknown or wrong credentials; a locked-out caller is told so in `message`. */
  static unauthorized(message = wrongCredentials): Problem {
    return new Problem('unauthorized', [sentence('unauthorized', message)]);
  }

  /** The caller is known and lacks the right. */
  static forbidden(message = 'This credential does not have the right to do that'): Problem {
    return new Problem('forbidden', [sentence('forbidden', message)]);
  }

  /** What is named is not there, or is another tenant's. */
  static notFound(message = 'No matching records found'): Problem {
    return new Problem('notFound', [sentence('notFound', message)]);
  }

  /** It conflicts with what is stored, e.g. a duplicate field or a reused idempotency key. */
  static conflict(what: readonly ProblemDetail[] | string, field?: string): Problem {
    return new Problem('conflict', typeof what === 'string' ? [sentence('conflict', what, field)] : what);
  }

  /** Conflict: there is one already. */
  static duplicate(message: string, field: string): Problem {
    return new Problem('conflict', [sentence('duplicate', message, field)]);
  }

  /** What is given, or what it asks for, is more than can be worked on at once. */
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

  /** Something the request needs is away; `retryAfterS` in whole seconds. */
  static unavailable(message: string, retryAfterS: number, cause?: unknown): Problem {
    return new Problem('unavailable', [sentence('unavailable', message)], { retryAfterS, cause });
  }
}
