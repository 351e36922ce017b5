import type { ProblemCode } from './problem-code.ts';

/** One thing that is wrong with a request: `code` for programs, `message` (a whole sentence) for people. */
export interface ProblemDetail {
  readonly code: ProblemCode;
  /** The key it is about, e.g. `name` or `fields[0].fieldID`; absent when it is about the request as a whole. */
  readonly field?: string;
  readonly message: string;
}

interface ProblemOptions {
  readonly retryAfterS?: number;
  readonly allowedMethods?: readonly string[];
  readonly cause?: unknown;
}

const sentence = (code: ProblemCode, message: string, field?: string): ProblemDetail =>
  field === undefined ? { code, message } : { code, field, message };

/**
 * A request that cannot be served, with all that the caller needs to mend it.
 * The API answers it as `{"errors":[sentence…],"details":[{code,field,message}…]}` under `status`.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly details: readonly ProblemDetail[];
  /** Seconds for the `Retry-After` header, where the status has one (429, 503). */
  readonly retryAfterS: number | undefined;
  /** Methods for the `Allow` header of a 405. */
  readonly allowedMethods: readonly string[] | undefined;

  constructor(status: number, details: readonly ProblemDetail[], options: ProblemOptions = {}) {
    super(details.map((detail) => detail.message).join('; '), { cause: options.cause });
    this.status = status;
    this.details = details;
    this.retryAfterS = options.retryAfterS;
    this.allowedMethods = options.allowedMethods;
  }

  /** The failure body of the API: every sentence once more under `errors`, for clients that only show text. */
  toEnvelope(): { errors: string[]; details: readonly ProblemDetail[] } {
    return { errors: this.details.map((detail) => detail.message), details: this.details };
  }

  /** 400: JSON, a field or a filter is wrong. Takes every problem at once, or one sentence. */
  static invalid(what: readonly ProblemDetail[] | string, field?: string): Problem {
    return new Problem(400, typeof what === 'string' ? [sentence('invalid', what, field)] : what);
  }

  /** 400: the body is something else than an object, or absent. */
  static notAnObject(): Problem {
    return new Problem(400, [sentence('invalidType', 'The body must be a JSON object')]);
  }

  /** 400: an id is that of nothing this tenant has. */
  static unknownReference(message: string, field: string): Problem {
    return new Problem(400, [sentence('unknownReference', message, field)]);
  }

  /** 401: unknown or wrong credentials; a locked-out caller is told so in `message`. */
  static unauthorized(message = 'The credentials are unknown or wrong'): Problem {
    return new Problem(401, [sentence('unauthorized', message)]);
  }

  /** 403: the caller is known and lacks the right. */
  static forbidden(message = 'This credential does not have the right to do that'): Problem {
    return new Problem(403, [sentence('forbidden', message)]);
  }

  /** 404: unknown path or record. Existing clients look for these two texts in the message. */
  static notFound(message = '404: No matching records found'): Problem {
    return new Problem(404, [sentence('notFound', message)]);
  }

  /** 405: the path exists, the method does not. */
  static methodNotAllowed(allowedMethods: readonly string[]): Problem {
    const message = `This path takes ${allowedMethods.join(', ')} only`;
    return new Problem(405, [sentence('methodNotAllowed', message)], { allowedMethods });
  }

  /** 408: too little of the body came in the last seconds. */
  static stalled(): Problem {
    return new Problem(408, [sentence('malformed', 'The body took too long to arrive.')]);
  }

  /** 409: it conflicts with what is stored, e.g. a duplicate field or a reused idempotency key. */
  static conflict(what: readonly ProblemDetail[] | string, field?: string): Problem {
    return new Problem(409, typeof what === 'string' ? [sentence('conflict', what, field)] : what);
  }

  /** 409: there is one already. */
  static duplicate(message: string, field: string): Problem {
    return new Problem(409, [sentence('duplicate', message, field)]);
  }

  /** 413: the body is longer than `limitBytes`. */
  static tooLarge(limitBytes: number): Problem {
    return new Problem(413, [sentence('tooLarge', `The body must be ${limitBytes} bytes or fewer`)]);
  }

  /** 415: the body is not JSON. */
  static unsupportedMediaType(message = 'Content-Type must be application/json'): Problem {
    return new Problem(415, [sentence('unsupportedMediaType', message)]);
  }

  /** 429: too many requests; `retryAfterS` in whole seconds. */
  static tooManyRequests(message: string, retryAfterS: number): Problem {
    return new Problem(429, [sentence('tooManyRequests', message)], { retryAfterS });
  }

  /** 503: something the request needs is away; `retryAfterS` in whole seconds. */
  static unavailable(message: string, retryAfterS: number, cause?: unknown): Problem {
    return new Problem(503, [sentence('unavailable', message)], { retryAfterS, cause });
  }
}
